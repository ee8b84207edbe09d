/* rule_superqueens.c - queens that also attack as knights do, which some call amazons. */
#include "rules/rule.h"

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static enum conflict_line line(uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    (void)n;
    const enum conflict_line straight = line_of_queens(row_a, column_a, row_b, column_b);
    if (straight != CONFLICT_LINES)
        return straight;
    /* Neither is 0: only 1 and 2 have this product, for 2 and 1. */
    return (uint64_t)apart(row_a, row_b) * apart(column_a, column_b) == 2 ? LINE_KNIGHT : CONFLICT_LINES;
}

/* By searching, OEIS A051223. */
static bool none(uint32_t n)
{
    return n >= 2 && n <= 9;
}

const struct rule rule_superqueens = {
    .name = "superqueens",
    .symmetries = RULE_SYMMETRIES_ALL,
    .quick_rows = 16,
    .square_rows = 14,
    .none_text = "there are none on boards of 2 to 9 rows",
    .none = none,
    .line = line,
    .moves = MOVE_LEFT | MOVE_RIGHT | MOVE_KNIGHT,
};
