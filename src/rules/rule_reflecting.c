/* rule_reflecting.c - queens beside a reflecting strip left of the first column: a line that comes to it goes on from
 * it the other way (D. A. Klarner, The problem of reflecting queens, American Mathematical Monthly 74, 1967). */
#include "rules/rule.h"

/* Whether the antidiagonal of a queen, downwards, meets the strip where the other one's diagonal, upwards, does. */
static bool reflected(uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    return (uint64_t)row_a + column_a + column_b + 2 == row_b;
}

static enum conflict_line line(uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    (void)n;
    if (on_diagonal(row_a, column_a, row_b, column_b))
        return LINE_DIAGONAL;
    if (on_antidiagonal(row_a, column_a, row_b, column_b))
        return LINE_ANTIDIAGONAL;
    return reflected(row_a, column_a, row_b, column_b) || reflected(row_b, column_b, row_a, column_a) ? LINE_REFLECTION
                                                                                                      : CONFLICT_LINES;
}

static void pass(uint32_t n, uint64_t queen, struct reach *reach)
{
    (void)n;
    const uint64_t left = reach->left | queen;
    reach->columns |= queen;
    reach->right = (reach->right | queen) << 1 | reach->strip;
    reach->left = left >> 1;
    reach->strip = left & 1;
}

const struct rule rule_reflecting = {
    .name = "reflecting",
    .oeis = "A007631",
    .symmetries = RULE_SYMMETRIES_LEFT,
    .quick_rows = 16,
    .line = line,
    .pass = pass,
};
