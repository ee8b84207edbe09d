/* rule_rooks.c - queens that attack along rows and columns only: rooks. Every permutation is a solution, and there are
 * n! of them, from which F. Romani's article sets out (Ancora le Regine, MCmicrocomputer, 1993). */
#include "rules/rule.h"

const struct rule rule_rooks = {
    .name = "rooks",
    .symmetries = RULE_SYMMETRIES_ALL,
    .shifts = true,
    .weaker = true,
    .quick_rows = 12,
    .square_rows = 10,
};
