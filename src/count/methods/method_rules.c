/* method_rules.c - counting by any rule of the family: depth-first search below prefixes. A torus is counted with a
 * queen in the corner, for each of its solutions has n shifts that do; a board that is its own reflection by its left
 * half. It does not know what the rules are. */
#include <stdlib.h>

#include "base/grow.h"
#include "count/methods/method.h"
#include "rules/search.h"

/* A unit is split while it is estimated above this many placements: some tenths of a second. */
#define UNIT_NODES 16e6
/* Boards with so few rows left are not split, and units are not smaller than this share of the whole. */
enum { WHOLE_ROWS = 8, MOST_UNITS = 20000 };
/* Random descents: for the weight of a unit, and for the cost of it all. */
enum { WALKS = 24, COST_WALKS = 2000, LEAST_COST_WALKS = 50 };
/* How many placements of the search method with AVX2 take as long as one here. */
#define NODE_WEIGHT 16.0

struct unit {
    uint8_t columns[KERNEL_MAX_N];
    uint8_t length;
    uint8_t times; /* how often its solutions count */
    double weight;
};

struct plan {
    struct filter filter;
    size_t count, room;
    struct unit *units;
};

static bool rules_suits(const struct filter *filter)
{
    return filter->rule;
}

/* How often a solution counts whose first queen stands in a column. */
static unsigned times_of(const struct filter *filter, uint32_t column)
{
    const uint32_t n = filter->n;
    if (filter->rule->shifts && filter_whole(filter))
        return column == 0 ? n : 0;
    if (!(filter_symmetries(filter) >> SYMMETRY_REFLECTION & 1) || column == n - 1 - column)
        return 1;
    return column < n - 1 - column ? 2 : 0;
}

static double weigh(const struct rule_search *search, unsigned walks, const atomic_bool *stop)
{
    uint64_t seed = search->row;
    for (uint32_t row = 0; row < search->row; row++)
        seed = seed * KERNEL_MAX_N + search->columns[row];
    return (rule_search_walk(search, walks, seed, stop) + 1) * NODE_WEIGHT;
}

static bool add_unit(struct plan *plan, const struct rule_search *search, unsigned times, double weight)
{
    struct unit *units = grow_array(plan->units, plan->count, &plan->room, sizeof *units);
    if (!units)
        return false;
    plan->units = units;
    struct unit *unit = &units[plan->count++];
    *unit = (struct unit){.length = (uint8_t)search->row, .times = (uint8_t)times, .weight = weight};
    for (uint32_t row = 0; row < search->row; row++)
        unit->columns[row] = search->columns[row];
    return true;
}

/* Adds units for everything below the search's prefix, none much above `most` in weight. */
static enum nq_status split(struct plan *plan, struct rule_search *search, unsigned times, double most,
                            const atomic_bool *stop)
{
    const uint32_t n = plan->filter.n;
    const double weight = weigh(search, WALKS, stop);
    enum nq_status status = NQ_OK;
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    if (weight <= most || n - search->row <= WHOLE_ROWS)
        return add_unit(plan, search, times, weight) ? NQ_OK : NQ_NOMEM;
    for (uint32_t column = 0; column < n && status == NQ_OK; column++) {
        if (!rule_search_place(search, column))
            continue;
        status = split(plan, search, times, most, stop);
        rule_search_remove(search);
    }
    return status;
}

static void rules_release(void *state)
{
    struct plan *plan = state;
    if (plan)
        free(plan->units);
    free(plan);
}

static double cost(const struct filter *filter, unsigned walks, const atomic_bool *stop)
{
    double weight = 0;
    struct rule_search search;
    rule_search_begin(&search, filter->rule, filter->n, filter->allow);
    if (rule_none(filter->rule, filter->n))
        return 0;
    for (uint32_t column = 0; column < filter->n && !stop_wanted(stop); column++) {
        if (!times_of(filter, column) || !rule_search_place(&search, column))
            continue;
        weight += weigh(&search, walks, stop);
        rule_search_remove(&search);
    }
    return weight;
}

static enum nq_status rules_prepare(const struct filter *filter, const struct method_means *means,
                                    const atomic_bool *stop, void **out)
{
    struct plan *plan = calloc(1, sizeof *plan);
    struct rule_search search;
    enum nq_status status = NQ_OK;
    (void)means;
    if (!plan)
        return NQ_NOMEM;
    plan->filter = *filter;
    const double even = cost(filter, WALKS, stop) / MOST_UNITS;
    rule_search_begin(&search, filter->rule, filter->n, plan->filter.allow);
    if (filter->n == 0 && !add_unit(plan, &search, 1, NODE_WEIGHT))
        status = NQ_NOMEM;
    for (uint32_t column = 0; column < filter->n && status == NQ_OK && !rule_none(filter->rule, filter->n); column++) {
        const unsigned times = times_of(filter, column);
        if (!times || !rule_search_place(&search, column))
            continue;
        status = split(plan, &search, times, even > UNIT_NODES * NODE_WEIGHT ? even : UNIT_NODES * NODE_WEIGHT, stop);
        rule_search_remove(&search);
    }
    if (status == NQ_OK)
        *out = plan;
    else
        rules_release(plan);
    return status;
}

static size_t rules_units(const void *state)
{
    const struct plan *plan = state;
    return plan->count;
}

static double rules_weight(const void *state, size_t index)
{
    const struct plan *plan = state;
    return plan->units[index].weight;
}

static enum nq_status rules_count(const void *state, size_t index, const struct kernel *kernel, const atomic_bool *stop,
                                  struct unit_result *result)
{
    const struct plan *plan = state;
    const struct unit *unit = &plan->units[index];
    struct rule_search search;
    struct rule_tally tally = {0};
    (void)kernel;
    rule_search_begin(&search, plan->filter.rule, plan->filter.n, plan->filter.allow);
    for (uint32_t row = 0; row < unit->length; row++)
        (void)rule_search_place(&search, unit->columns[row]); /* the plan has done so */
    if (!rule_search_count(&search, stop, &tally))
        return NQ_CANCELLED;
    result->nodes = tally.nodes;
    result->thirds = tally.solutions * unit->times * METHOD_THIRDS;
    return NQ_OK;
}

static double rules_cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    const unsigned walks = method_walks(COST_WALKS, together, LEAST_COST_WALKS);
    return cost(filter, filter->n ? walks / filter->n + 1 : 1, stop);
}

const struct method method_rules = {
    .name = "rules",
    .summary =
        "depth-first search by any rule, with a queen in the corner of a torus, or by the left half of the board",
    .source = "backtracking; the cost after Knuth (1975)",
    .revision = 1,
    .max_n = KERNEL_MAX_N,
    .suits = rules_suits,
    .symmetry = SYMMETRY_ANY,
    .prepare = rules_prepare,
    .units = rules_units,
    .weight = rules_weight,
    .count = rules_count,
    .release = rules_release,
    .cost = rules_cost,
};
