/* join_plan.h - which pairs of sets the method that joins quadrants counts, in units of about the same weight. It knows
 * what a pair weighs, not how it is counted.
 *
 * A unit of work is a range of pairs (x, u): see method_join.c. */
#ifndef COUNT_METHODS_JOIN_PLAN_H
#define COUNT_METHODS_JOIN_PLAN_H

#include "count/methods/choice.h"
#include "count/methods/method.h"

struct join_unit {
    uint32_t x, u; /* the first pair: a set, and the index of a set in struct choice */
    uint32_t pairs;
    double weight;
};

struct join_plan {
    struct quadrants quadrants;
    struct priorities priorities;
    double split_weight;
    struct join_unit *unit;
    size_t units, room;
};

/* The weight that a unit should have, for the weight of a whole board. */
double join_plan_unit_weight(double weight);

/* Makes the units; quadrants and priorities are open. NQ_OK, NQ_NOMEM, NQ_CANCELLED. */
enum nq_status join_plan_units(struct join_plan *plan, const atomic_bool *stop);

/* Returns into how many pieces a unit is split, in order; takes some hundred microseconds. Sets *piece, if there is one
 * of that index. */
size_t join_plan_piece(const struct join_plan *plan, const struct join_unit *unit, size_t index,
                       struct join_unit *piece);

#endif
