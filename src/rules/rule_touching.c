/* rule_touching.c - queens that attack along rows and columns, and the squares next to them. */
#include "rules/rule.h"

/* By searching, OEIS A002464. */
static bool none(uint32_t n)
{
    return n == 2 || n == 3;
}

const struct rule rule_touching = {
    .name = "touching",
    .symmetries = RULE_SYMMETRIES_ALL,
    .weaker = true,
    .quick_rows = 12,
    .square_rows = 10,
    .none_text = "there are none for n = 2 and 3",
    .none = none,
    .moves = MOVE_NEIGHBOUR,
};
