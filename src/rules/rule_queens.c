/* rule_queens.c - rows, columns and both diagonals: the rule that all the rest of this program is about. */
#include "rules/rule.h"

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
    .moves = MOVE_LEFT | MOVE_RIGHT,
};
