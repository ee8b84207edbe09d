/* test_prefixes.c - tests of the prefixes in src/kernels/kernels.c: that of a search is the one of its columns, and
 * lookahead excludes none that a solution begins with. */
/* CI builds: address */
#include "kernels/kernel.h"
#include "rules/rule.h"

#include "support/facts.h"

/* The same squares below are free. */
static void check_same(const struct kernel_board *board, const struct kernel_prefix *a, const struct kernel_prefix *b)
{
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->columns, b->columns);
    for (uint32_t row = a->depth; row < board->n; row++)
        assert_int_equal(kernel_free(board, a, row), kernel_free(board, b, row));
}

/* Returns how many placements of so many rows are not excluded; of all rows, or all but one, those are the solutions.
 */
static size_t check_length(const struct kernel_board *board, const uint64_t *allow, uint32_t length)
{
    struct rule_walk walk;
    uint8_t columns[KERNEL_MAX_N];
    size_t promising = 0;
    rule_walk_begin(&walk, rules[0], board->n, allow, length);
    while (rule_walk_next(&walk, columns)) {
        const struct kernel_prefix prefix = kernel_prefix_of(&walk.search);
        struct kernel_prefix placed;
        struct kernel_tally tally = {0};
        assert_true(prefixes_place(board, columns, length, &placed));
        check_same(board, &prefix, &placed);
        assert_int_equal(kernel_find("scalar")->count(board, &prefix, NULL, &tally), NQ_OK);
        const bool promises = kernel_promises(board, &walk.search);
        assert_true(promises || !tally.solutions[0]);
        promising += promises;
    }
    return promising;
}

TEST(test_prefixes_of_searches)
{
    enum { N_MOST = 9 };
    uint64_t dice = 1;
    for (uint32_t n = 0; n <= N_MOST; n++)
        for (uint32_t length = 0; length <= n; length++)
            for (int holes = 0; holes < 3; holes++) {
                uint64_t allow[N_MOST];
                for (uint32_t row = 0; row < n; row++)
                    allow[row] = (UINT64_C(1) << n) - 1;
                for (uint32_t row = 0; row < n && holes; row++)
                    allow[row] &= ~(UINT64_C(1) << facts_below(&dice, n));
                const struct kernel_board board = kernel_board_of(n, allow);
                const size_t promising = check_length(&board, allow, length);
                if (length + 1 >= n && !holes)
                    assert_int_equal(promising, facts_term("all", n));
            }
}

TEST(test_place_refuses)
{
    const struct kernel_board board = kernel_board_of(6, NULL);
    struct kernel_prefix prefix;
    assert_false(prefixes_place(&board, (const uint8_t[]){0, 1}, 2, &prefix)); /* they attack each other */
    assert_false(prefixes_place(&board, (const uint8_t[]){6}, 1, &prefix));    /* off the board */
    assert_false(prefixes_place(&board, (const uint8_t[]){1, 3, 5, 0, 2, 4, 0}, 7, &prefix)); /* too long */
}
