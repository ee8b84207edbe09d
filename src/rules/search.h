/* search.h - depth-first search for the solutions of a board by any rule, row by row, in lexicographic order. All its
 * state is here, so that it can be stopped and resumed. It knows allowed squares, neither filters nor threads. */
#ifndef RULES_SEARCH_H
#define RULES_SEARCH_H

#include <stdatomic.h>

#include "rules/rule.h"

struct rule_search {
    const struct rule *rule;
    const uint64_t *allow; /* by row: bit c for column c; borrowed */
    uint32_t n;
    uint32_t first, row; /* rows above `first` keep their queens; `row` is tried next, and all above it have queens */
    struct {
        struct reach reach;
        uint64_t untried;
    } level[RULE_MAX_N + 1];
    uint8_t columns[RULE_MAX_N];
};

/* Begins before the first solution of a board, n <= RULE_MAX_N. */
void rule_search_begin(struct rule_search *search, const struct rule *rule, uint32_t n, const uint64_t *allow);

/* Places a queen in the next row and stays below it. False, and nothing is changed: the square is not allowed, or
 * attacked. */
bool rule_search_place(struct rule_search *search, uint32_t column);

/* Takes back the last of these. */
void rule_search_remove(struct rule_search *search);

/* What a search has found. */
struct rule_tally {
    uint64_t solutions, nodes; /* nodes: placements tried */
};

/* Adds the solutions that have not been visited. False, within a millisecond of *stop (may be NULL): there are more. */
bool rule_search_count(struct rule_search *search, const atomic_bool *stop, struct rule_tally *tally);

/* About how many placements a count tries: the mean of so many random descents (Knuth, "Estimating the efficiency of
 * backtrack programs", 1975), the same for the same arguments everywhere; less when *stop is set meanwhile. */
double rule_search_walk(const struct rule_search *search, unsigned walks, uint64_t seed, const atomic_bool *stop);

#endif
