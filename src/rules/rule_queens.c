/* rule_queens.c - rows, columns and both diagonals: the rule that all the rest of this program is about. */
#include "rules/rule.h"

static enum conflict_line line(uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    (void)n;
    return line_of_queens(row_a, column_a, row_b, column_b);
}

static uint64_t above(uint32_t n, uint32_t row, uint32_t column, uint32_t other)
{
    (void)n;
    return UINT64_C(1) << column | beside_queen(UINT64_C(1) << column, row - other);
}

static bool none(uint32_t n)
{
    return n == 2 || n == 3;
}

const struct rule rule_queens = {
    .name = "queens",
    .symmetries = RULE_SYMMETRIES_ALL,
    .weaker = true,
    .quick_rows = 16,
    .square_rows = 15,
    .none = none,
    .line = line,
    .moves = MOVE_LEFT | MOVE_RIGHT,
    .above = above,
};
