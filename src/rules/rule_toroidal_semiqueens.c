/* rule_toroidal_semiqueens.c - semiqueens on a torus: the diagonals go on at the opposite border. */
#include "rules/rule.h"

/* The columns less the rows would be all numbers modulo n, whose sum is n / 2 modulo an even n; but it is 0. */
static bool none(uint32_t n)
{
    return n % 2 == 0;
}

const struct rule rule_toroidal_semiqueens = {
    .name = "toroidal-semiqueens",
    .symmetries = RULE_SYMMETRIES_DIAGONAL,
    .shifts = true,
    .quick_rows = 15,
    .square_rows = 13,
    .none_text = "there are none on a torus whose n is even",
    .none = none,
    .moves = MOVE_RIGHT | MOVE_WRAP,
};
