/* rule_orbits.h - searching for the solutions that some motions of the board leave unchanged, by any rule, orbit by
 * orbit: a placement puts queens on all squares to which the motions carry one. It knows neither units nor weights.
 *
 * Rows that every orbit has together make a step; the queen of a step's first row says which orbit is placed. */
#ifndef COUNT_METHODS_RULE_ORBITS_H
#define COUNT_METHODS_RULE_ORBITS_H

#include "base/stop.h"
#include "board/query.h"

/* The largest board. */
enum { RULE_ORBITS_MAX_N = 48 };

/* What is constant in a search. Steps with one square come first, then those near the middle. */
struct rule_orbits {
    uint32_t n, steps;
    bool none; /* a row has no orbit, or rows are left over, or a theorem says that there are no solutions */
    uint8_t row[RULE_ORBITS_MAX_N];   /* by step: its first row */
    uint64_t free[RULE_ORBITS_MAX_N]; /* by step: its squares that have an orbit */
    uint64_t *covers;                 /* by step and column: the steps that its orbit fills, as bits */
    uint64_t *attacks; /* by step, column and other step: the squares there whose orbits cannot stand beside it */
};

/* NQ_OK, or NQ_NOMEM and there is nothing to free. n <= RULE_ORBITS_MAX_N. */
enum nq_status rule_orbits_begin(const struct filter *filter, struct rule_orbits *orbits);
void rule_orbits_end(struct rule_orbits *orbits);

/* A partial placement. All zero but for what rule_orbits_root() sets. */
struct rule_orbits_state {
    uint64_t left;                    /* steps, as bits */
    uint64_t free[RULE_ORBITS_MAX_N]; /* by step that is left */
};

struct rule_orbits_state rule_orbits_root(const struct rule_orbits *orbits);

/* The step that is filled next, of those that are left. */
static inline uint32_t rule_orbits_next(const struct rule_orbits_state *state)
{
    return (uint32_t)__builtin_ctzll(state->left);
}

/* With one more orbit, that of a free square of the next step. */
void rule_orbits_place(const struct rule_orbits *orbits, const struct rule_orbits_state *state, uint32_t column,
                       struct rule_orbits_state *next);

/* What a search has found. */
struct rule_orbits_tally {
    uint64_t solutions, nodes; /* nodes: orbits placed */
};

/* Adds what lies below a placement. NQ_OK, or NQ_CANCELLED within a millisecond of *stop (may be NULL). */
enum nq_status rule_orbits_count(const struct rule_orbits *orbits, const struct rule_orbits_state *state,
                                 const atomic_bool *stop, struct rule_orbits_tally *tally);

/* About how many orbits that places: the mean of so many random descents, as rule_search_walk(). */
double rule_orbits_walk(const struct rule_orbits *orbits, const struct rule_orbits_state *state, unsigned walks,
                        uint64_t seed, const atomic_bool *stop);

/* Whether the motions of a filter can leave any solution unchanged, so far as one row tells. False: they do not. */
bool rule_orbits_possible(const struct filter *filter);

#endif
