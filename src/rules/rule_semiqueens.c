/* rule_semiqueens.c - queens that attack along rows, columns and diagonals, but not along antidiagonals. */
#include "rules/rule.h"

static enum conflict_line line(uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    (void)n;
    return on_diagonal(row_a, column_a, row_b, column_b) ? LINE_DIAGONAL : CONFLICT_LINES;
}

const struct rule rule_semiqueens = {
    .name = "semiqueens",
    .symmetries = RULE_SYMMETRIES_DIAGONAL,
    .weaker = true,
    .quick_rows = 12,
    .square_rows = 10,
    .line = line,
    .moves = MOVE_RIGHT,
};
