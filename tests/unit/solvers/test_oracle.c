/* test_oracle.c - tests of src/solvers/oracle and what the search from above does with it: whether it says
 * exactly what can be completed, and that large boards are listed as if nobody had been asked. NQ_LONG: larger first
 * solutions, some minutes. */
/* CI builds: address */
#include "solvers/oracle.h"
#include "solvers/solver.h"
#include "support/cursor_walk.h"
#include "support/sifted_solutions.h"

static const unsigned turns[] = {[SYMMETRY_ANY] = 0, [SYMMETRY_POINT] = 2, [SYMMETRY_QUARTER] = 1};

/* ---- The oracle alone ---- */

/* Queens in some rows, the others' squares that those leave, but for some at random. */
struct puzzle {
    uint32_t n;
    uint64_t rows; /* to be filled */
    uint32_t columns[ORACLE_MAX_N];
    uint64_t free[ORACLE_MAX_N];
};

static uint64_t free_columns(const struct puzzle *puzzle)
{
    uint64_t columns = ~UINT64_C(0) >> (64 - puzzle->n);
    for (uint32_t row = 0; row < puzzle->n; row++)
        if (!(puzzle->rows >> row & 1))
            columns &= ~(UINT64_C(1) << puzzle->columns[row]);
    return columns;
}

/* Whether the queens of all rows that have one leave a square alone. */
static bool at_peace(const struct puzzle *puzzle, uint32_t row, uint32_t column)
{
    for (uint32_t other = 0; other < puzzle->n; other++)
        if (!(puzzle->rows >> other & 1) && nq_attack(other, puzzle->columns[other], row, column))
            return false;
    return true;
}

static void lay_out(struct puzzle *puzzle, uint64_t *dice, uint32_t holes)
{
    for (uint32_t row = 0; row < puzzle->n; row++) {
        puzzle->free[row] = 0;
        for (uint32_t column = 0; column < puzzle->n; column++)
            if ((puzzle->rows >> row & 1) && at_peace(puzzle, row, column) && facts_below(dice, 10) >= holes)
                puzzle->free[row] |= UINT64_C(1) << column;
    }
}

/* Random queens in random rows; with a turn, in whole orbits. */
static struct puzzle draw(uint64_t *dice, uint32_t n, unsigned turn)
{
    struct puzzle puzzle = {.n = n, .rows = ~UINT64_C(0) >> (64 - n)};
    for (uint32_t tries = facts_below(dice, 6); tries > 0; tries--) {
        struct puzzle more = puzzle;
        uint32_t row = facts_below(dice, n), column = facts_below(dice, n);
        bool possible = puzzle.rows >> row & 1;
        for (unsigned i = 0; i < 4 && possible; i++) {
            possible = (more.rows >> row & 1) ? at_peace(&more, row, column) : more.columns[row] == column;
            more.columns[row] = column;
            more.rows &= ~(UINT64_C(1) << row);
            square_transform(turn, n, &row, &column);
        }
        if (possible)
            puzzle = more;
    }
    lay_out(&puzzle, dice, turn ? 0 : facts_below(dice, 5));
    return puzzle;
}

static bool keeps_to(const struct puzzle *puzzle, const uint32_t *solution, unsigned turn)
{
    uint32_t image[ORACLE_MAX_N];
    nq_transform(turn, puzzle->n, solution, image);
    for (uint32_t row = 0; row < puzzle->n; row++)
        if ((puzzle->rows >> row & 1) ? !(puzzle->free[row] >> solution[row] & 1)
                                      : solution[row] != puzzle->columns[row])
            return false;
    return memcmp(image, solution, puzzle->n * sizeof *image) == 0;
}

/* Asks with budgets of one size; what it takes in all. */
static enum nq_status ask(struct oracle *oracle, const struct puzzle *puzzle, unsigned turn, uint64_t budget,
                          uint64_t *taken)
{
    enum nq_status status = NQ_AGAIN;
    const struct oracle_question question = {
        .n = puzzle->n, .turn = turn, .rows = puzzle->rows, .columns = free_columns(puzzle), .free = puzzle->free};
    oracle_ask(oracle, &question);
    for (*taken = 0; status == NQ_AGAIN;) {
        uint64_t left = budget;
        status = oracle_answer(oracle, &left);
        assert_true(left <= budget && (status != NQ_AGAIN || left == 0));
        *taken += budget - left;
        assert_true(*taken < 1000000);
    }
    return status;
}

static void check_puzzle(const struct puzzle *puzzle, unsigned turn, const uint32_t *solutions, size_t count,
                         size_t *answers)
{
    static struct oracle oracle;
    uint64_t taken, again;
    bool possible = false;
    for (size_t i = 0; i < count && !possible; i++)
        possible = keeps_to(puzzle, solutions + i * puzzle->n, turn);
    assert_int_equal(ask(&oracle, puzzle, turn, UINT64_MAX, &taken), possible ? NQ_OK : NQ_NONE);
    assert_int_equal(ask(&oracle, puzzle, turn, 1, &again), possible ? NQ_OK : NQ_NONE);
    assert_true(again == taken || (!possible && again == taken + (taken == 0)));
    answers[possible]++;
    if (!possible)
        return;
    uint32_t found[ORACLE_MAX_N];
    for (uint32_t row = 0; row < puzzle->n; row++)
        found[row] = (puzzle->rows >> row & 1) ? oracle.column[row] : puzzle->columns[row];
    assert_true(facts_peaceful(puzzle->n, found));
    assert_true(keeps_to(puzzle, found, turn));
}

TEST(test_oracle)
{
    uint64_t dice = 1;
    for (size_t symmetry = SYMMETRY_ANY; symmetry <= SYMMETRY_QUARTER; symmetry++) {
        size_t answers[2] = {0};
        for (uint32_t n = 1; n <= 10; n++) {
            size_t count;
            OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
            for (int round = 0; round < 300; round++) {
                const struct puzzle puzzle = draw(&dice, n, turns[symmetry]);
                if (puzzle.rows)
                    check_puzzle(&puzzle, turns[symmetry], solutions, count, answers);
            }
        }
        assert_true(answers[false] > 150 && answers[true] > 150);
    }
}

/* ---- Large boards with few queens left to place ---- */

struct list {
    uint32_t n;
    size_t count, room;
    uint32_t *solutions;
};

static void collect(const struct query *query, uint32_t row, uint32_t *columns, struct list *list)
{
    if (row == list->n) {
        if (!sift_least(query, sift_group(query), columns))
            return;
        assert_true(list->count < list->room);
        memcpy(list->solutions + list->count++ * list->n, columns, list->n * sizeof *columns);
        return;
    }
    for (uint64_t rest = query->filter.allow[row]; rest; rest &= rest - 1) {
        uint32_t r = row, c = columns[row] = (uint32_t)__builtin_ctzll(rest);
        square_transform(turns[query->symmetry], list->n, &r, &c);
        bool attacked = r < row && columns[r] != c; /* or not the image it should be */
        for (uint32_t above = 0; above < row && !attacked; above++)
            attacked = nq_attack(above, columns[above], row, columns[row]);
        if (!attacked)
            collect(query, row + 1, columns, list);
    }
}

/* A solution with that symmetry, found by asking with the rows turned to and fro. */
static void find_one(const struct query *query, uint32_t *columns)
{
    OWNED(nq_cursor_close) struct nq_cursor *cursor = NULL;
    uint64_t budget = 1 << 26;
    assert_int_equal(cursor_open(NULL, query, &cursor), NQ_OK);
    assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_OK);
}

/* Takes some orbits of a solution away; all other queens are placed. */
static void take_away(uint64_t *dice, const uint32_t *columns, uint32_t queens, struct query *query)
{
    const uint32_t n = query->filter.n;
    const enum query_distinct distinct = query->distinct;
    const unsigned turn = distinct == DISTINCT_ALL ? turns[query->symmetry] : 1;
    uint64_t gone = 0;
    while ((uint32_t)__builtin_popcountll(gone) < queens) {
        uint32_t row = facts_below(dice, n), column = columns[row];
        for (unsigned i = 0; i < 4; i++) {
            gone |= UINT64_C(1) << row;
            square_transform(turn, n, &row, &column);
        }
    }
    filter_begin(&query->filter, n);
    for (uint32_t row = 0; row < n; row++)
        if (!(gone >> row & 1))
            filter_place(&query->filter, row, columns[row]);
}

static void check_large(uint64_t *dice, struct query *query, size_t *longest)
{
    static const struct manner manners[] = {
        {.budget = UINT64_MAX},
        {.budget = 0, .fresh = true},
        {.budget = 1, .fresh = true},
        {.budget = 1},
        {.budget = 7},
        {.budget = 20, .random = true, .fresh = true},
        {.budget = 50, .random = true},
    };
    struct list list = {.n = query->filter.n, .room = 2000};
    uint32_t columns[NQ_SEARCH_MAX_N], one[NQ_SEARCH_MAX_N];
    find_one(query, one);
    take_away(dice, one, query->symmetry == SYMMETRY_ANY ? 11 : 14, query);
    list.solutions = calloc(list.room * list.n, sizeof(uint32_t));
    assert_non_null(list.solutions);
    collect(query, 0, columns, &list);
    for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++)
        walk_check(NULL, query, list.solutions, list.count, &manners[i]);
    *longest = list.count > *longest ? list.count : *longest;
    free(list.solutions);
}

TEST(test_large_boards)
{
    uint64_t dice = 2;
    for (size_t symmetry = SYMMETRY_ANY; symmetry <= SYMMETRY_QUARTER; symmetry++) {
        size_t longest = 0;
        for (int round = 0; round < 3; round++) {
            static const uint32_t sizes[][3] = {{21, 24, 29}, {41, 44, 45}, {44, 45, 60}};
            struct query query = {.symmetry = (enum query_symmetry)symmetry};
            filter_begin(&query.filter, sizes[symmetry][round % 3]);
            check_large(&dice, &query, &longest);
        }
        assert_true(longest > 2);
    }
}

/* Where whole classes are listed by one: the queens left make the filter symmetric. */
TEST(test_large_classes)
{
    uint64_t dice = 3;
    size_t longest = 0;
    for (int round = 0; round < 8; round++) {
        struct query query = {.symmetry = SYMMETRY_QUARTER};
        uint32_t one[NQ_SEARCH_MAX_N], columns[NQ_SEARCH_MAX_N];
        struct list list = {.n = round % 2 ? 24 : 25, .room = 2000};
        filter_begin(&query.filter, list.n);
        find_one(&query, one);
        query.symmetry = SYMMETRY_ANY;
        query.distinct = DISTINCT_FUNDAMENTAL;
        take_away(&dice, one, 12, &query);
        assert_true(__builtin_popcount(query_group(&query)) >= 4);
        list.solutions = calloc(list.room * list.n, sizeof(uint32_t));
        assert_non_null(list.solutions);
        collect(&query, 0, columns, &list);
        for (uint64_t budget = 1; budget <= 1000; budget *= 10) {
            walk_check(NULL, &query, list.solutions, list.count, &(struct manner){.budget = budget});
            walk_check(NULL, &query, list.solutions, list.count, &(struct manner){.budget = budget, .fresh = true});
        }
        longest = list.count > longest ? list.count : longest;
        free(list.solutions);
    }
    assert_true(longest > 2);
}

/* A filter no one sees through from above: two rows must share a column, far below. */
TEST(test_hopeless_filter)
{
    struct query query = {.distinct = DISTINCT_ALL};
    OWNED(nq_cursor_close) struct nq_cursor *cursor = NULL;
    uint32_t columns[NQ_SEARCH_MAX_N];
    uint64_t budget = 100000;
    filter_begin(&query.filter, NQ_SEARCH_MAX_N);
    for (uint32_t row = 60; row < 63; row++)
        query.filter.allow[row] = 0x9;
    assert_int_equal(cursor_open(NULL, &query, &cursor), NQ_OK);
    assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_END);
}

/* ---- First solutions ---- */

enum { GRANT = 1 << 15, PAGE = 1 << 27 }; /* as the engine's */

/* One grant after the other, each page as if by a fresh cursor; what all of them took. */
static uint64_t find_first(const struct query *query, uint64_t grant, uint32_t *columns)
{
    struct position before = {0};
    OWNED(nq_cursor_close) struct nq_cursor *cursor = NULL;
    uint64_t taken = 0, page = 0, left;
    assert_int_equal(cursor_open(NULL, query, &cursor), NQ_OK);
    for (;; taken += grant) {
        left = grant;
        const enum nq_status status = nq_cursor_next(cursor, &left, columns);
        if (status == NQ_OK)
            break;
        assert_int_equal(status, NQ_AGAIN);
        assert_int_equal(left, 0);
        const struct position after = position_of(cursor);
        assert_true(position_gained(true, &before, &after));
        before = after;
        if ((page += grant) >= PAGE) {
            page = 0;
            assert_int_equal(nq_cursor_seek(cursor, before.prefix, before.length), NQ_OK);
        }
    }
    return taken + grant - left;
}

/* Budgets cut lists at the same place everywhere: what a page holds rests on the numbers of placements here and below.
 * A release in which they change is another release. */
TEST(test_first_solutions)
{
    const uint32_t most = getenv("NQ_LONG") ? 39 : 30;
    uint64_t all = 0, without = 0;
    for (uint32_t n = 4; n <= most; n++) {
        uint32_t columns[NQ_SEARCH_MAX_N];
        struct query query = {.distinct = DISTINCT_ALL};
        const json_t *first = facts_entry("lex_first", n);
        filter_begin(&query.filter, n);
        const uint64_t taken = find_first(&query, GRANT, columns);
        assert_true(facts_peaceful(n, columns));
        if (n == 30)
            assert_int_equal(taken, 20752145);
        for (uint32_t row = 0; row < n && first; row++)
            assert_int_equal(columns[row] + 1, facts_at(json_object_get(first, "solution"), row));
        all += n >= 28 ? taken : 0;
        without += n >= 28 && first ? facts_get(first, "placements") : 0;
    }
    assert_true(all < without / 2); /* though a placement of the oracle counts for many */
}

TEST(test_same_everywhere)
{
    uint32_t columns[NQ_SEARCH_MAX_N];
    struct query query = {.symmetry = SYMMETRY_QUARTER};
    filter_begin(&query.filter, 56);
    assert_int_equal(find_first(&query, GRANT, columns), 1193932);
}

/* A question that outlasts many calls is still answered, and the answer still counts. */
TEST(test_small_budgets)
{
    static const uint64_t grants[] = {UINT64_C(1) << 40, 1000};
    uint64_t taken[sizeof grants / sizeof grants[0]];
    struct query query = {.distinct = DISTINCT_ALL};
    filter_begin(&query.filter, 28);
    for (size_t i = 0; i < sizeof grants / sizeof grants[0]; i++) {
        uint32_t columns[NQ_SEARCH_MAX_N];
        taken[i] = find_first(&query, grants[i], columns);
        assert_true(taken[i] < taken[0] * 3 / 2);
    }
}

/* However far the next solution: each call comes further, and one that is asked to do little takes little. */
TEST(test_ground_is_gained)
{
    for (uint32_t n = 40; n <= NQ_SEARCH_MAX_N; n += 24) {
        const int calls = 20;
        struct position before = {0};
        OWNED(nq_cursor_close) struct nq_cursor *cursor = NULL;
        uint32_t columns[NQ_SEARCH_MAX_N];
        assert_int_equal(nq_cursor_open(NULL, n, &cursor), NQ_OK);
        for (int call = 0; call < calls; call++) {
            uint64_t left = 1 << 15;
            const enum nq_status status = nq_cursor_next(cursor, &left, columns);
            const struct position after = position_of(cursor);
            assert_true(status == NQ_OK || status == NQ_AGAIN);
            assert_true(position_gained(true, &before, &after));
            assert_true(facts_peaceful(after.length, after.prefix));
            before = after;
        }
    }
}
