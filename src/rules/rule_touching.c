/* rule_touching.c - queens that attack along rows and columns, and the squares next to them. */
#include "rules/rule.h"

static bool next_to(uint32_t a, uint32_t b)
{
    return a == b + 1 || b == a + 1;
}

static enum conflict_line line(uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    (void)n;
    return next_to(row_a, row_b) && next_to(column_a, column_b) ? LINE_NEIGHBOUR : CONFLICT_LINES;
}

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
    .line = line,
    .moves = MOVE_NEIGHBOUR,
};
