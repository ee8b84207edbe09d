/* rule_reflecting.c - queens below a reflecting strip above the first row: a diagonal that comes to it goes on from it
 * as an antidiagonal, and the other way round (D. A. Klarner, The problem of reflecting queens, American Mathematical
 * Monthly 74, 1967). */
#include "rules/rule.h"

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
    .moves = MOVE_LEFT | MOVE_RIGHT | MOVE_REFLECT,
};
