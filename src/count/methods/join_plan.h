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

/* What is counted at once: a range of pairs, or a part of a single one. A pair that is too heavy is divided into
 * parts: those west halves whose y is the `west`-th of each `wests` sets, with those east halves whose v is the
 * `east`-th of each `easts`. Every combination is one part, so each pair of halves meets in one of them. */
struct join_piece {
    struct join_unit range; /* its weight is not set */
    struct join_part {
        uint32_t west, wests, east, easts;
    } part;
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

/* The whole of a unit. */
static inline struct join_piece join_plan_whole(const struct join_unit *unit)
{
    return (struct join_piece){*unit, {.wests = 1, .easts = 1}};
}

/* Returns into how many pieces a unit is split, in order; takes some hundred microseconds. Sets *piece, if there is one
 * of that index. */
size_t join_plan_piece(const struct join_plan *plan, const struct join_unit *unit, size_t index,
                       struct join_piece *piece);

#endif
