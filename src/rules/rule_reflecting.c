/* rule_reflecting.c - queens below a reflecting strip above the first row: a diagonal that comes to it goes on from it
 * as an antidiagonal, and the other way round (D. A. Klarner, The problem of reflecting queens, American Mathematical
 * Monthly 74, 1967). */
#include "rules/rule.h"

/* Whether the diagonal of one queen, upwards, meets the strip, which is row -1, where the antidiagonal of the other
 * does. */
static bool reflected(uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    return (uint64_t)row_a + row_b + column_b + 2 == column_a;
}

static enum conflict_line line(uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    (void)n;
    const enum conflict_line straight = line_of_queens(row_a, column_a, row_b, column_b);
    if (straight != CONFLICT_LINES)
        return straight;
    return reflected(row_a, column_a, row_b, column_b) || reflected(row_b, column_b, row_a, column_a) ? LINE_REFLECTION
                                                                                                      : CONFLICT_LINES;
}

static uint64_t away(uint32_t column, uint32_t by)
{
    const uint64_t queen = UINT64_C(1) << column;
    return by < RULE_MAX_N ? queen << by | queen >> by : 0;
}

static uint64_t above(uint32_t n, uint32_t row, uint32_t column, uint32_t other)
{
    (void)n;
    return UINT64_C(1) << column | away(column, row - other) | away(column, row + other + 2);
}

/* By searching, OEIS A007631. */
static bool none(uint32_t n)
{
    return n == 2 || n == 3 || n == 6;
}

const struct rule rule_reflecting = {
    .name = "reflecting",
    .symmetries = RULE_SYMMETRIES_TOP,
    .quick_rows = 16,
    .square_rows = 14,
    .none_text = "there are none for n = 2, 3 and 6",
    .none = none,
    .line = line,
    .moves = MOVE_LEFT | MOVE_RIGHT | MOVE_REFLECT,
    .above = above,
};
