/* rule_rooks.c - queens that attack along rows and columns only: rooks. Every permutation is a solution, and there are
 * n! of them, from which F. Romani's article sets out (Ancora le Regine, MCmicrocomputer, 1993). */
#include "rules/rule.h"

static enum conflict_line line(uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    (void)n, (void)row_a, (void)column_a, (void)row_b, (void)column_b;
    return CONFLICT_LINES;
}

const struct rule rule_rooks = {
    .name = "rooks",
    .symmetries = RULE_SYMMETRIES_ALL,
    .shifts = true,
    .weaker = true,
    .quick_rows = 12,
    .square_rows = 10,
    .line = line,
};
