/* rule_queens.c - rows, columns and both diagonals: the rule that all the rest of this program is about. */
#include "rules/rule.h"

static enum conflict_line line(uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    (void)n;
    return line_of_queens(row_a, column_a, row_b, column_b);
}

const struct rule rule_queens = {
    .name = "queens",
    .symmetries = RULE_SYMMETRIES_ALL,
    .quick_rows = 14,
    .line = line,
    .moves = MOVE_LEFT | MOVE_RIGHT,
};
