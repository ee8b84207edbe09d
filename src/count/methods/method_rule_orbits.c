/* method_rule_orbits.c - counting the solutions by any rule that some motions of the board leave unchanged, by placing
 * whole orbits. It lists units; rule_orbits.c searches. A turn is its own mirror image, or its inverse is: the first
 * queen in the left half stands for two solutions, if the board is its own reflection. */
#include <stdlib.h>

#include "base/grow.h"
#include "count/methods/method.h"
#include "count/methods/rule_orbits.h"

/* A unit is split while it is estimated above this many orbits placed: 0.1 to 0.2 seconds. There are not many more than
 * this. */
#define UNIT_NODES 16e6
enum { MOST_UNITS = 20000 };
/* Random descents: for the weight of a unit, and for the cost of it all. */
enum { WALKS = 32, COST_WALKS = 400, LEAST_COST_WALKS = 10 };
/* How many placements of the search method with AVX2 take as long as one here. */
#define NODE_WEIGHT 6.0

struct unit {
    uint8_t columns[RULE_ORBITS_MAX_N]; /* of the orbits that it begins with */
    uint8_t length;
    uint8_t times; /* how often its solutions count */
    double weight;
};

struct plan {
    struct rule_orbits orbits;
    bool halved;
    size_t count, room;
    struct unit *units;
};

static bool orbits_suit(const struct filter *filter)
{
    return filter_fixed(filter);
}

/* Whether the mirror image of a solution is one, too. */
static bool is_halved(const struct filter *filter)
{
    for (size_t i = 0; i < FILTER_MOTIONS; i++)
        if (filter->fixed[i].symmetry > 3 || filter->fixed[i].down || filter->fixed[i].right)
            return false;
    return filter_symmetries(filter) >> SYMMETRY_REFLECTION & 1;
}

/* Whether a unit, beginning with orbits that are their own mirror images, does not say yet which half it is of. */
static bool is_undecided(const struct plan *plan, const struct unit *unit)
{
    for (uint32_t i = 0; i < unit->length; i++)
        if (2 * unit->columns[i] + 1U != plan->orbits.n)
            return false;
    return plan->halved;
}

/* How often solutions count that have one more orbit. */
static unsigned times_of(const struct plan *plan, const struct unit *unit, uint32_t column)
{
    const uint32_t mirrored = plan->orbits.n - 1 - column;
    if (!is_undecided(plan, unit) || column == mirrored)
        return unit->times;
    return column < mirrored ? 2 : 0;
}

static double weigh(const struct plan *plan, const struct unit *unit, const struct rule_orbits_state *state,
                    unsigned walks, const atomic_bool *stop)
{
    uint64_t seed = unit->length;
    for (uint32_t i = 0; i < unit->length; i++)
        seed = seed * FILTER_MAX_N + unit->columns[i];
    return (rule_orbits_walk(&plan->orbits, state, walks, seed, stop) + 1) * NODE_WEIGHT;
}

static enum nq_status add_unit(struct plan *plan, const struct unit *unit)
{
    struct unit *units = grow_array(plan->units, plan->count, &plan->room, sizeof *units);
    if (!units)
        return NQ_NOMEM;
    plan->units = units;
    plan->units[plan->count++] = *unit;
    return NQ_OK;
}

/* Adds units for everything below one, none above `most` in weight. */
static enum nq_status split(struct plan *plan, struct unit unit, const struct rule_orbits_state *state, double most,
                            const atomic_bool *stop)
{
    enum nq_status status = NQ_OK;
    unit.weight = weigh(plan, &unit, state, WALKS, stop);
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    if (!state->left || (unit.weight <= most && !is_undecided(plan, &unit)))
        return add_unit(plan, &unit);
    for (uint64_t rest = state->free[rule_orbits_next(state)]; rest && status == NQ_OK; rest &= rest - 1) {
        const uint32_t column = (uint32_t)__builtin_ctzll(rest);
        struct unit more = unit;
        struct rule_orbits_state below;
        more.times = (uint8_t)times_of(plan, &unit, column);
        more.columns[more.length++] = (uint8_t)column;
        rule_orbits_place(&plan->orbits, state, column, &below);
        if (more.times && (!below.left || below.free[rule_orbits_next(&below)]))
            status = split(plan, more, &below, most, stop);
    }
    return status;
}

static void orbits_release(void *state)
{
    struct plan *plan = state;
    if (plan) {
        rule_orbits_end(&plan->orbits);
        free(plan->units);
    }
    free(plan);
}

static enum nq_status orbits_prepare(const struct filter *filter, const struct method_means *means,
                                     const atomic_bool *stop, void **out)
{
    struct plan *plan = calloc(1, sizeof *plan);
    (void)means;
    enum nq_status status = plan ? rule_orbits_begin(filter, &plan->orbits) : NQ_NOMEM;
    if (status == NQ_OK && !plan->orbits.none) {
        const struct unit whole = {.times = 1};
        const struct rule_orbits_state root = rule_orbits_root(&plan->orbits);
        plan->halved = is_halved(filter);
        const double even = weigh(plan, &whole, &root, WALKS, stop) / MOST_UNITS;
        status = split(plan, whole, &root, even > UNIT_NODES * NODE_WEIGHT ? even : UNIT_NODES * NODE_WEIGHT, stop);
    }
    if (status == NQ_OK)
        *out = plan;
    else
        orbits_release(plan);
    return status;
}

static size_t orbits_units(const void *state)
{
    const struct plan *plan = state;
    return plan->count;
}

static double orbits_weight(const void *state, size_t index)
{
    const struct plan *plan = state;
    return plan->units[index].weight;
}

static enum nq_status orbits_count(const void *state, size_t index, const struct kernel *kernel,
                                   const atomic_bool *stop, struct unit_result *result)
{
    const struct plan *plan = state;
    const struct unit *unit = &plan->units[index];
    struct rule_orbits_state at = rule_orbits_root(&plan->orbits);
    struct rule_orbits_tally tally = {0};
    (void)kernel;
    for (uint32_t i = 0; i < unit->length; i++)
        rule_orbits_place(&plan->orbits, &at, unit->columns[i], &at);
    const enum nq_status status = rule_orbits_count(&plan->orbits, &at, stop, &tally);
    result->nodes = tally.nodes;
    result->parts = (nq_wide)tally.solutions * unit->times * METHOD_THIRDS;
    return status;
}

static double orbits_cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    struct plan plan = {0};
    const struct unit whole = {0};
    if (rule_orbits_begin(filter, &plan.orbits) != NQ_OK)
        return 0; /* it is asked again by who prepares it */
    const struct rule_orbits_state root = rule_orbits_root(&plan.orbits);
    const double weight =
        plan.orbits.none ? 0 : weigh(&plan, &whole, &root, method_walks(COST_WALKS, together, LEAST_COST_WALKS), stop);
    rule_orbits_end(&plan.orbits);
    return is_halved(filter) ? weight / 2 : weight;
}

const struct method method_rule_orbits = {
    .name = "rule-orbits",
    .summary = "solutions by any rule that motions of the board leave unchanged: all queens of an orbit at once",
    .source = "orbit by orbit, as in counting by Burnside's lemma; checked against OEIS A352661, A053994",
    .revision = 1,
    .max_n = RULE_ORBITS_MAX_N,
    .suits = orbits_suit,
    .symmetry = SYMMETRY_ANY,
    .prepare = orbits_prepare,
    .units = orbits_units,
    .weight = orbits_weight,
    .count = orbits_count,
    .release = orbits_release,
    .cost = orbits_cost,
    .node_seconds = ORBIT_SECONDS,
};
