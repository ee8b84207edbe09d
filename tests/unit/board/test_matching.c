/* test_matching.c - tests of src/board/matching.c against every set of rows, and of boards as large as they come. */
/* CI builds: address */
#include "board/matching.h"

#include "support/sifted_solutions.h"

enum { SMALL = 9 };

/* Hall's theorem: no set of rows has fewer columns than rows. */
static bool by_hall(uint32_t n, const uint64_t *allow)
{
    for (uint32_t set = 1; set < 1U << n; set++) {
        uint64_t columns = 0;
        for (uint32_t row = 0; row < n; row++)
            if (set >> row & 1)
                columns |= allow[row];
        if (__builtin_popcountll(columns) < __builtin_popcount(set))
            return false;
    }
    return true;
}

TEST(test_small)
{
    uint64_t dice = 7;
    uint32_t perfect = 0, tried = 0;
    for (uint32_t n = 0; n <= SMALL; n++)
        for (uint32_t round = 0; round < 400; round++, tried++) {
            uint64_t allow[SMALL];
            for (uint32_t row = 0; row < n; row++) {
                allow[row] = 0;
                for (uint32_t column = 0; column < n; column++)
                    allow[row] |= (uint64_t)(facts_below(&dice, n) <= round % 4) << column;
            }
            const bool found = matching_perfect(n, 1, allow);
            assert_int_equal(found, by_hall(n, allow));
            perfect += found;
        }
    assert_true(perfect > tried / 4 && perfect < tried * 3 / 4);
}

static void set(uint64_t *allow, uint32_t words, uint32_t row, uint32_t column)
{
    allow[(size_t)row * words + column / 64] |= UINT64_C(1) << column % 64;
}

/* Each row has its own square and those to the left of it: one way only. Without one of the squares on the diagonal
 * there is none. */
TEST(test_one_way)
{
    static const uint32_t sizes[] = {1, 63, 64, 65, 128, 129, 999, MATCHING_MAX_N};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t n = sizes[i], words = (n + 63) / 64, broken = n / 2;
        OWNED(free) uint64_t *allow = calloc((size_t)n * words, sizeof *allow);
        assert_non_null(allow);
        for (uint32_t row = 0; row < n; row++)
            for (uint32_t column = 0; column <= row; column++)
                set(allow, words, n - 1 - row, column); /* the greedy choice is wrong for all rows but the last */
        assert_true(matching_perfect(n, words, allow));
        allow[(size_t)(n - 1 - broken) * words + broken / 64] &= ~(UINT64_C(1) << broken % 64);
        assert_false(matching_perfect(n, words, allow));
    }
}

/* A block of rows with one column less than rows, anywhere. */
TEST(test_too_few_columns)
{
    enum { N = MATCHING_MAX_N };
    uint64_t dice = 8;
    OWNED(free) uint64_t *allow = calloc((size_t)N * MATCHING_WORDS, sizeof *allow);
    assert_non_null(allow);
    for (uint32_t round = 0; round < 6; round++) {
        const uint32_t rows = 2 + facts_below(&dice, N / 2), from = facts_below(&dice, N - rows);
        const uint32_t columns = rows - round % 2;
        memset(allow, 0, (size_t)N * MATCHING_WORDS * sizeof *allow);
        for (uint32_t row = 0; row < N; row++)
            for (uint32_t column = 0; column < (row >= from && row < from + rows ? columns : N); column++)
                set(allow, MATCHING_WORDS, row, column);
        assert_int_equal(matching_perfect(N, MATCHING_WORDS, allow), columns == rows);
    }
}
