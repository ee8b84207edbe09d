/* test_rows.c - tests of src/kernels/rows: every kernel this machine supports against a plain search, by every
 * rule and by moves that no rule has. NQ_LONG: boards of queens that take a second. */
/* CI builds: plain address */
#include "kernels/rows/rows.h"
#include "support/facts.h"
#include "support/plain_search.h"
#include "support/stop_latency.h"

/* Moves that kernels are not compiled for: what a new rule may have. */
static const struct rule made_up[] = {
    {.name = "queens and neighbours twice", .moves = MOVE_LEFT | MOVE_RIGHT | MOVE_NEIGHBOUR},
    {.name = "reflecting amazons", .moves = MOVE_LEFT | MOVE_RIGHT | MOVE_REFLECT | MOVE_KNIGHT},
    {.name = "antidiagonals on a torus", .moves = MOVE_LEFT | MOVE_WRAP},
    {.name = "knights", .moves = MOVE_KNIGHT},
    {.name = "columns", .moves = 0},
};
enum { MADE_UP = sizeof made_up / sizeof made_up[0] };

/* The table's rules, then those; NULL after the last. */
static const struct rule *rule_at(size_t i)
{
    size_t count = 0;
    while (rules[count])
        count++;
    return i < count ? rules[i] : i < count + MADE_UP ? &made_up[i - count] : NULL;
}

struct problem {
    uint32_t n;
    uint64_t allow[KERNEL_MAX_N];
    struct rule_search search; /* with a prefix */
};

/* Random squares, of which so many per cent are allowed, and a random prefix of at most so many rows. */
static void random_problem(uint64_t *dice, const struct rule *rule, uint32_t percent, uint32_t most,
                           struct problem *problem)
{
    for (uint32_t row = 0; row < problem->n; row++)
        problem->allow[row] = facts_word(dice, problem->n, percent);
    rule_search_begin(&problem->search, rule, problem->n, problem->allow);
    for (uint32_t rows = facts_below(dice, most + 1); rows > 0; rows--) {
        uint32_t tries = 8;
        while (tries && !rule_search_place(&problem->search, facts_below(dice, problem->n)))
            tries--;
        if (!tries)
            return;
    }
}

/* With ROWS_EVERY the placements of the plain search, row by row. */
static void check_every(const struct problem *problem, const struct rows_board *board, const struct rows_prefix *prefix,
                        const struct rule_tally *expected)
{
    struct rows_board every = *board;
    every.moves |= ROWS_EVERY;
    for (const struct rows_kernel *const *at = rows_kernels; *at; at++) {
        uint64_t rows[KERNEL_MAX_N] = {0};
        struct rule_tally tally = {.solutions = 1000, .nodes = 2000, .rows = rows};
        if (!(*at)->supported())
            continue;
        assert_int_equal((*at)->count(&every, prefix, NULL, &tally), NQ_OK);
        assert_memory_equal(rows, expected->rows, sizeof rows);
        if (tally.solutions - 1000 != expected->solutions || tally.nodes - 2000 != expected->nodes)
            fail_msg("%s, %s, n=%u, %u placed: %llu placements instead of %llu", (*at)->name,
                     problem->search.rule->name, problem->n, prefix->row, (unsigned long long)tally.nodes - 2000,
                     (unsigned long long)expected->nodes);
    }
}

/* Kernels add to a tally; the same placements are tried by all, no more than by the plain search. Returns the
 * solutions. */
static uint64_t check(const struct problem *problem)
{
    const struct rule *rule = problem->search.rule;
    const struct rows_board board = rows_board_of(problem->n, rule->moves, problem->allow);
    const struct rows_prefix prefix = rows_prefix_of(&problem->search);
    const atomic_bool go_on = false;
    struct rule_search search = problem->search;
    uint64_t rows[KERNEL_MAX_N] = {0};
    const struct rule_tally expected = plain_search(&search, rows);
    struct rule_tally first = {0};
    for (const struct rows_kernel *const *at = rows_kernels; *at; at++) {
        struct rule_tally tally = {.solutions = 1000, .nodes = 2000};
        if (!(*at)->supported())
            continue;
        assert_int_equal((*at)->count(&board, &prefix, expected.solutions % 2 ? &go_on : NULL, &tally), NQ_OK);
        if (tally.solutions - 1000 != expected.solutions)
            fail_msg("%s, %s, n=%u, %u placed: %llu solutions instead of %llu", (*at)->name, rule->name, problem->n,
                     prefix.row, (unsigned long long)tally.solutions - 1000, (unsigned long long)expected.solutions);
        first = first.nodes ? first : tally;
        assert_int_equal(tally.nodes, first.nodes);
        assert_in_range(tally.nodes, 2000, 2000 + expected.nodes);
    }
    check_every(problem, &board, &prefix, &expected);
    return expected.solutions;
}

TEST(test_random_boards)
{
    uint64_t dice = 1, with = 0, without = 0;
    const struct rule *rule;
    for (size_t i = 0; (rule = rule_at(i)); i++)
        for (uint32_t n = 1; n <= 10; n++)
            for (int round = 0; round < 16; round++) {
                struct problem problem = {.n = n};
                const uint32_t percent = round < 4 ? 100 : 50 + 3 * (uint32_t)round;
                random_problem(&dice, rule, percent, round % 2 || n > 8 ? n : 0, &problem);
                if (check(&problem))
                    with++;
                else
                    without++;
            }
    assert_true(with > 500);
    assert_true(without > 500);
}

/* Whether the plain search takes a millisecond or so. */
static bool is_small(const struct problem *problem)
{
    const struct rows_board board = rows_board_of(problem->n, problem->search.rule->moves, problem->allow);
    const struct rows_prefix prefix = rows_prefix_of(&problem->search);
    return rows_walk(&board, &prefix, 40, 1, NULL) < 1e5;
}

/* Up to 32 columns, with few squares in each row. */
TEST(test_large_sparse_boards)
{
    uint64_t dice = 2, with = 0;
    const struct rule *rule;
    for (size_t i = 0; (rule = rule_at(i)); i++)
        for (uint32_t n = 11; n <= KERNEL_MAX_N; n++)
            for (uint32_t round = 0; round < 8; round++) {
                struct problem problem = {.n = n};
                random_problem(&dice, rule, (250 + 80 * round) / n, round % 2 ? n / 2 : 3, &problem);
                with += is_small(&problem) && check(&problem);
            }
    assert_true(with > 100);
}

/* Open boards, from prefixes that leave more rows than lookahead sees, and fill many batches. */
TEST(test_open_boards)
{
    uint64_t dice = 3, solutions = 0;
    const struct rule *rule;
    for (size_t i = 0; (rule = rule_at(i)); i++)
        for (uint32_t n = 13; n <= 22; n += 3) {
            struct problem problem = {.n = n};
            const uint32_t rows = rule->moves & (MOVE_LEFT | MOVE_RIGHT) ? 10 : 8;
            do
                random_problem(&dice, rule, 100, n - rows, &problem);
            while (problem.search.row != n - rows);
            solutions += check(&problem);
        }
    assert_true(solutions > 0);
}

/* Queens: with the empty board, which is no placement, the numbers of A319283. */
TEST(test_every_placement_as_published)
{
    static const uint32_t nodes[] = {2, 3, 6, 17, 54, 153, 552, 2057, 8394, 35539, 166926, 856189, 4674890, 27358553};
    const uint32_t most = getenv("NQ_LONG") ? 14 : 10;
    uint64_t allow[KERNEL_MAX_N];
    for (uint32_t row = 0; row < KERNEL_MAX_N; row++)
        allow[row] = UINT64_MAX;
    for (const struct rows_kernel *const *at = rows_kernels; *at; at++)
        for (uint32_t n = 1; n <= most && (*at)->supported(); n++) {
            const struct rows_board board = rows_board_of(n, MOVE_LEFT | MOVE_RIGHT | ROWS_EVERY, allow);
            struct rule_tally tally = {.nodes = 1};
            assert_int_equal((*at)->count(&board, &(struct rows_prefix){0}, NULL, &tally), NQ_OK);
            assert_int_equal(tally.nodes, nodes[n - 1]);
        }
}

/* About how many placements there are, by many walks. */
TEST(test_walks)
{
    enum { N = 9, WALKS = 6000 };
    uint64_t dice = 4;
    const struct rule *rule;
    for (size_t i = 0; (rule = rule_at(i)); i++) {
        struct problem problem = {.n = N};
        struct rule_tally tally = {0};
        random_problem(&dice, rule, 100, 0, &problem);
        const struct rows_board board = rows_board_of(N, rule->moves, problem.allow);
        const struct rows_prefix nothing = {0};
        assert_int_equal(rows_kernel_of(kernel_find("scalar"))->count(&board, &nothing, NULL, &tally), NQ_OK);
        const double walked = rows_walk(&board, &nothing, WALKS, 1, NULL);
        assert_true(walked == rows_walk(&board, &nothing, WALKS, 1, NULL));
        assert_true(walked > 0.93 * (double)tally.nodes && walked < 1.07 * (double)tally.nodes);
    }
}

/* ---- Stopping ---- */

struct counted {
    const struct rows_kernel *kernel;
    const struct rows_board *board;
};

static enum nq_status count_all(void *of, const atomic_bool *stop)
{
    const struct counted *counted = of;
    const struct rows_prefix nothing = {0};
    struct rule_tally tally = {0};
    return counted->kernel->count(counted->board, &nothing, stop, &tally);
}

TEST(test_stop)
{
    const atomic_bool stop = true, go_on = false;
    uint64_t allow[KERNEL_MAX_N];
    for (uint32_t row = 0; row < KERNEL_MAX_N; row++)
        allow[row] = UINT64_MAX;
    for (const struct rows_kernel *const *at = rows_kernels; *at; at++)
        for (size_t i = 0; (*at)->supported() && rules[i]; i++) {
            const struct rows_board board = rows_board_of(24, rules[i]->moves, allow);
            const struct rows_board small = rows_board_of(2, rules[i]->moves, allow);
            struct counted counted = {*at, &board}, settled = {*at, &small};
            assert_int_equal(count_all(&counted, &stop), NQ_CANCELLED);
            assert_int_equal(count_all(&settled, &stop), NQ_CANCELLED);
            if (i < 2)
                stop_latency_check(count_all, &counted, 20, 100);
            assert_true(rows_walk(&board, &(struct rows_prefix){0}, 10, 1, &go_on) > 0);
            assert_true(rows_walk(&board, &(struct rows_prefix){0}, 10, 1, &stop) == 0);
        }
}

/* The kernels for queens and these have the same names, and the same needs. */
TEST(test_names)
{
    size_t i = 0;
    for (; kernels[i]; i++) {
        assert_string_equal(kernels[i]->name, rows_kernels[i]->name);
        assert_int_equal(kernels[i]->supported(), rows_kernels[i]->supported());
        if (kernels[i]->supported())
            assert_ptr_equal(rows_kernel_of(kernels[i]), rows_kernels[i]);
    }
    assert_null(rows_kernels[i]);
}
