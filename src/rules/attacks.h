/* attacks.h - the squares that a queen attacks by a rule, as masks, for searches that do not go from row to row. */
#ifndef RULES_ATTACKS_H
#define RULES_ATTACKS_H

#include "rules/rule.h"

/* Of an n x n board, n at most RULE_MAX_N: for every square and every row, the columns of the squares there that it
 * attacks, itself included. The caller frees. NULL: out of memory. Takes 2 ms for n = 32. */
uint64_t *rule_attacks(const struct rule *rule, uint32_t n);

/* The masks of a square, by row. */
static inline const uint64_t *attacks_of(const uint64_t *attacks, uint32_t n, uint32_t row, uint32_t column)
{
    return attacks + ((size_t)row * n + column) * n;
}

#endif
