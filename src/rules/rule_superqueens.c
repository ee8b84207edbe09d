/* rule_superqueens.c - queens that also attack as knights do, which some call amazons. */
#include "rules/rule.h"

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
    .moves = MOVE_LEFT | MOVE_RIGHT | MOVE_KNIGHT,
};
