/* walking.h - where a cursor stands, and whether it has come further, for the tests of src/solvers. */
#ifndef UNIT_WALKING_H
#define UNIT_WALKING_H

#include <nqueens.h>

#include "facts.h"
#include "solvers/solver.h"

struct position {
    uint32_t length, prefix[NQ_SEARCH_MAX_N];
};

struct position position_of(const struct nq_cursor *cursor);

/* Whether more is finished at `after` than at `before`. In lexicographic order that is a greater column, or the same
 * columns but fewer of them: a wider subtree. In any other order it is at least something else. */
bool position_gained(bool lexicographic, const struct position *before, const struct position *after);

/* The solvers that list every solution of any board and can be put after any prefix, one after the other; NULL begins,
 * and ends. */
const struct solver *const *walker_next(const struct solver *const *at);

#endif
