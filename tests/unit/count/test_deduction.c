/* test_deduction.c - tests of src/count/deduction.c: every completion of a board once, whatever stands on it, in
 * grants of any size and in any order of trying; and what was tried is what its header says. */
/* CI builds: address */
#include "count/deduction.h"
#include "support/sifted_solutions.h"

enum { MOST_N = 9, BOARDS = 100 };

/* A board with some squares that must have queens and some that must not. */
struct board {
    uint32_t n;
    bool placed[MOST_N][MOST_N], excluded[MOST_N][MOST_N];
};

/* Queens that do not attack each other, and squares beside them. */
static struct board draw_board(uint32_t n, uint64_t *dice)
{
    struct board board = {.n = n};
    uint32_t rows[MOST_N], columns[MOST_N], count = 0;
    for (uint32_t throws = n ? facts_below(dice, n + 1) : 0; throws; throws--) {
        const uint32_t row = facts_below(dice, n), column = facts_below(dice, n);
        bool free = true;
        for (uint32_t i = 0; i < count; i++)
            free &= rows[i] != row && columns[i] != column && rows[i] + columns[i] != row + column &&
                    rows[i] - columns[i] != row - column;
        if (free) {
            rows[count] = row;
            columns[count++] = column;
            board.placed[row][column] = true;
        }
    }
    for (uint32_t i = n ? facts_below(dice, n) : 0; i; i--) {
        const uint32_t row = facts_below(dice, n), column = facts_below(dice, n);
        board.excluded[row][column] = !board.placed[row][column];
    }
    return board;
}

static bool fits(const struct board *board, const uint32_t *columns)
{
    for (uint32_t row = 0; row < board->n; row++)
        for (uint32_t column = 0; column < board->n; column++) {
            const bool queen = columns[row] == column;
            if ((board->placed[row][column] && !queen) || (board->excluded[row][column] && queen))
                return false;
        }
    return true;
}

static void lay(struct deduction *deduction, const struct board *board)
{
    deduction_begin(deduction, board->n, rules[0]);
    for (uint32_t row = 0; row < board->n; row++)
        for (uint32_t column = 0; column < board->n; column++) {
            if (board->placed[row][column])
                deduction_place(deduction, row, column);
            if (board->excluded[row][column])
                deduction_exclude(deduction, row, column);
        }
}

/* Checks off every completion in the list of all solutions, and returns how many placements it took. */
static uint64_t check_board(struct deduction *deduction, const struct board *board, const uint32_t *solutions,
                            size_t count, uint64_t grant)
{
    bool *found = calloc(count + 1, sizeof *found);
    enum nq_status status;
    uint64_t spent = 0;
    do {
        uint64_t budget = grant;
        status = deduction_next(deduction, &budget, NULL);
        assert_true(budget <= grant);
        spent += grant - budget;
        if (status == NQ_AGAIN)
            assert_int_equal(budget, 0);
        if (status != NQ_OK)
            continue;
        size_t i = 0;
        while (i < count && memcmp(solutions + i * board->n, deduction->columns, board->n * sizeof *solutions) != 0)
            i++;
        assert_true(i < count && !found[i]);
        found[i] = true;
    } while (status != NQ_END);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(found[i], fits(board, solutions + i * board->n));
    free(found);
    return spent;
}

TEST(test_every_completion)
{
    OWNED(free) struct deduction *deduction = malloc(sizeof *deduction);
    uint64_t dice = 6;
    for (uint32_t n = 0; n <= MOST_N; n++) {
        size_t count;
        OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
        for (int round = 0; round < BOARDS; round++) {
            const struct board board = round ? draw_board(n, &dice) : (struct board){.n = n};
            lay(deduction, &board);
            const uint64_t spent = check_board(deduction, &board, solutions, count, UINT64_MAX);
            const uint64_t guesses = deduction->guesses;
            const uint32_t forced = deduction->forced;
            assert_true(guesses <= spent && forced <= spent);
            lay(deduction, &board);
            (void)check_board(deduction, &board, solutions, count, 1 + facts_below(&dice, 5));
            assert_int_equal(deduction->guesses, guesses); /* however it is cut */
            assert_int_equal(deduction->forced, forced);
            struct random random = random_begin((uint64_t)round, n);
            lay(deduction, &board);
            deduction->random = &random;
            (void)check_board(deduction, &board, solutions, count, UINT64_MAX);
            assert_int_equal(deduction->guesses, guesses); /* the whole tree, in another order */
        }
    }
}

/* ---- The definition, in other words ---- */

struct slow {
    const struct rule *rule;
    uint32_t n;
    bool free[MOST_N][MOST_N], queen[MOST_N][MOST_N];
    uint64_t guesses, solutions;
    uint32_t forced;
};

static void slow_place(struct slow *slow, uint32_t row, uint32_t column)
{
    for (uint32_t r = 0; r < slow->n; r++)
        for (uint32_t c = 0; c < slow->n; c++)
            slow->free[r][c] &= rule_line(slow->rule, slow->n, row, column, r, c) == CONFLICT_LINES;
    slow->queen[row][column] = true;
}

/* The i-th line, rows first: how many squares are left in it, UINT32_MAX when it has a queen. */
static uint32_t slow_left(const struct slow *slow, uint32_t line)
{
    uint32_t left = 0;
    for (uint32_t at = 0; at < slow->n; at++) {
        const uint32_t r = line < slow->n ? line : at, c = line < slow->n ? at : line - slow->n;
        if (slow->queen[r][c])
            return UINT32_MAX;
        left += slow->free[r][c];
    }
    return left;
}

static void slow_search(struct slow *slow)
{
    uint32_t best = 0;
    for (uint32_t line = 1; line < 2 * slow->n; line++)
        if (slow_left(slow, line) < slow_left(slow, best))
            best = line;
    const uint32_t left = slow_left(slow, best);
    if (left == UINT32_MAX) { /* all have queens */
        slow->solutions++;
        return;
    }
    for (uint32_t at = 0; at < slow->n; at++) {
        const uint32_t r = best < slow->n ? best : at, c = best < slow->n ? at : best - slow->n;
        if (!slow->free[r][c])
            continue;
        struct slow below = *slow;
        slow_place(&below, r, c);
        below.guesses += left > 1;
        below.forced += left == 1 && !below.guesses;
        slow_search(&below);
        slow->guesses = below.guesses;
        slow->forced = below.forced;
        slow->solutions = below.solutions;
    }
}

/* By every rule: as many completions, no two the same, without an attack, as the definition finds, and
 * by the same guesses. */
static void check_by_rule(struct deduction *deduction, const struct rule *rule, uint32_t n, uint64_t *dice)
{
    struct slow slow = {.rule = rule, .n = n};
    memset(slow.free, true, sizeof slow.free);
    deduction_begin(deduction, n, rule);
    for (uint32_t queens = facts_below(dice, 3), excluded = facts_below(dice, n); queens + excluded;) {
        const uint32_t row = facts_below(dice, n), column = facts_below(dice, n);
        if (queens && slow.free[row][column]) {
            slow_place(&slow, row, column);
            deduction_place(deduction, row, column);
        } else if (!queens && !slow.queen[row][column]) {
            slow.free[row][column] = false;
            deduction_exclude(deduction, row, column);
        }
        queens -= queens > 0;
        excluded -= queens == 0 && excluded > 0;
    }
    if (!rule_note(rule, n)) /* else nothing is tried */
        slow_search(&slow);
    uint64_t solutions = 0, budget = UINT64_MAX, last = 0;
    while (deduction_next(deduction, &budget, NULL) == NQ_OK) {
        uint64_t name = 0;
        for (uint32_t row = 0; row < n; row++) {
            name = name * n + deduction->columns[row];
            for (uint32_t above = 0; above < row; above++)
                assert_int_equal(
                    rule_line(slow.rule, n, above, deduction->columns[above], row, deduction->columns[row]),
                    CONFLICT_LINES);
        }
        assert_true(solutions == 0 || name != last);
        last = name;
        solutions++;
    }
    assert_int_equal(solutions, slow.solutions);
    assert_int_equal(deduction->guesses, slow.guesses);
    assert_int_equal(deduction->forced, slow.forced);
}

TEST(test_by_every_rule)
{
    OWNED(free) struct deduction *deduction = malloc(sizeof *deduction);
    uint64_t dice = 8, guesses = 0, forced = 0;
    for (size_t i = 0; rules[i]; i++)
        for (uint32_t n = 1; n <= (rule_by_lines(rules[i]) ? 8 : 7); n++)
            for (int round = 0; round < 30; round++) {
                check_by_rule(deduction, rules[i], n, &dice);
                guesses += deduction->guesses;
                forced += deduction->forced;
            }
    assert_true(guesses > 1000 && forced > 100); /* there was something to compare */
}

/* The largest board, and none at all left to spend. */
TEST(test_large)
{
    OWNED(free) struct deduction *deduction = malloc(sizeof *deduction);
    struct random random = random_begin(1, 2);
    uint64_t budget = UINT64_MAX;
    deduction_begin(deduction, FILTER_MAX_N, rules[0]);
    deduction->random = &random;
    assert_int_equal(deduction_next(deduction, &budget, NULL), NQ_OK);
    assert_true(facts_peaceful(FILTER_MAX_N, deduction->columns));
    budget = 0;
    assert_int_equal(deduction_next(deduction, &budget, NULL), NQ_AGAIN);
}
