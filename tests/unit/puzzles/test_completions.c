/* test_completions.c - tests of src/puzzles/grid.c and completions.c: every solution, in order, against placements
 * tried row by row. */
/* CI builds: address */
#include "puzzles/completions.h"

#include "support/painted_boards.h"

OWNER(grid_free, struct grid *)

extern const struct rule rule_touching, rule_queens;

static struct completions search;

static uint64_t count_all(const struct grid *grid, bool ordered)
{
    struct position position;
    uint64_t count = 0, budget = UINT64_MAX;
    position_begin(grid, &position);
    completions_begin(&search, grid, &position, ordered);
    assert_int_equal(completions_count(&search, UINT64_MAX, &count, &budget, NULL), NQ_OK);
    return count;
}

TEST(test_boards_without_regions)
{
    for (uint32_t n = 1; n <= 8; n++)
        for (int ordered = 0; ordered < 2; ordered++) {
            OWNED(grid_free)
            struct grid *grid = grid_new(&rule_touching, n, NULL), *queens = grid_new(&rule_queens, n, NULL);
            uint64_t touching = 0;
            assert_true(grid && queens && facts_published("touching", n, &touching));
            assert_int_equal(count_all(grid, ordered), touching);
            assert_int_equal(count_all(queens, ordered), facts_term("all", n));
        }
}

/* What a queen attacks, by the rule's lines. */
TEST(test_attacks)
{
    for (size_t i = 0; rules[i]; i++)
        for (uint32_t n = 1; n <= 9; n++) {
            OWNED(grid_free) struct grid *grid = grid_new(rules[i], n, NULL);
            assert_non_null(grid);
            for (uint32_t a = 0; a < n * n; a++)
                for (uint32_t b = 0; b < n * n; b++) {
                    const bool attacked = grid_attacked(grid, a)[b / 64] >> b % 64 & 1;
                    assert_int_equal(attacked, a != b && rule_attack(rules[i], n, a / n, a % n, b / n, b % n));
                }
        }
}

enum { KEPT = 4096 };

/* All solutions in lexicographic order, stopped again and again; and counted in the other order up to every limit. */
static void check_board(uint64_t *dice, uint32_t n, const uint8_t *of)
{
    static uint8_t expected[KEPT * PAINTED_MAX_N];
    const size_t count = painted_solutions(n, of, KEPT, KEPT, expected);
    OWNED(grid_free) struct grid *grid = grid_new(&rule_touching, n, NULL);
    struct position position;
    uint64_t found = 0, budget = 0;
    assert_non_null(grid);
    grid_paint(grid, of);
    position_begin(grid, &position);
    completions_begin(&search, grid, &position, true);
    for (;;) {
        const enum nq_status status = completions_next(&search, &budget, NULL);
        if (status == NQ_END)
            break;
        if (status == NQ_AGAIN) {
            budget = facts_below(dice, 9);
            continue;
        }
        assert_memory_equal(search.columns, expected + found++ * n, n);
    }
    assert_int_equal(found, count);
    assert_int_equal(count_all(grid, false), count);
    for (uint64_t limit = 0; limit <= 3; limit++) {
        found = 0;
        budget = UINT64_MAX;
        completions_begin(&search, grid, &position, false);
        assert_int_equal(completions_count(&search, limit, &found, &budget, NULL), NQ_OK);
        assert_int_equal(found, count < limit ? count : limit);
    }
}

TEST(test_painted_boards)
{
    uint64_t dice = 1;
    for (uint32_t round = 0; round < 100; round++) {
        uint8_t of[PAINTED_SQUARES];
        const uint32_t n = 4 + round % 5;
        painted_random(&dice, n, of);
        check_board(&dice, n, of);
    }
}

/* Below placed queens and crossed squares there are the solutions that have those and not these. */
TEST(test_positions)
{
    enum { N = 7 };
    static uint8_t all[1000 * N];
    const size_t count = painted_solutions(N, NULL, 1000, 1000, all);
    OWNED(grid_free) struct grid *grid = grid_new(&rule_touching, N, NULL);
    assert_non_null(grid);
    for (uint32_t placed = 0; placed < N * N; placed++)
        for (uint32_t crossed = 0; crossed < N * N; crossed += 5) {
            struct position position;
            uint64_t found = 0, budget = UINT64_MAX;
            size_t expected = 0;
            if (placed == crossed)
                continue;
            for (size_t i = 0; i < count; i++)
                expected += all[i * N + placed / N] == placed % N && all[i * N + crossed / N] != crossed % N;
            position_begin(grid, &position);
            assert_true(position_place(grid, &position, placed));
            assert_false(position_place(grid, &position, placed));
            position_cross(&position, crossed);
            completions_begin(&search, grid, &position, placed % 2);
            assert_int_equal(completions_count(&search, UINT64_MAX, &found, &budget, NULL), NQ_OK);
            assert_int_equal(found, expected);
        }
}

TEST(test_stop)
{
    atomic_bool stop = true;
    OWNED(grid_free) struct grid *grid = grid_new(&rule_touching, 9, NULL);
    struct position position;
    uint64_t found = 0, budget = UINT64_MAX;
    size_t stops = 0;
    assert_non_null(grid);
    position_begin(grid, &position);
    completions_begin(&search, grid, &position, false);
    while (completions_count(&search, UINT64_MAX, &found, &budget, &stop) == NQ_CANCELLED && stops++ < 10)
        ;
    assert_true(stops == 11 && found < 47622);
    assert_int_equal(completions_count(&search, UINT64_MAX, &found, &budget, NULL), NQ_OK);
    assert_int_equal(found, 47622);
}
