/* rule_semiqueens.c - queens that attack along rows, columns and diagonals, but not along antidiagonals. */
#include "rules/rule.h"

const struct rule rule_semiqueens = {
    .name = "semiqueens",
    .symmetries = RULE_SYMMETRIES_DIAGONAL,
    .weaker = true,
    .quick_rows = 12,
    .square_rows = 10,
    .moves = MOVE_RIGHT,
};
