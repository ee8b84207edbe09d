/* join_plan.c - pairs in order, as many to a unit as its weight allows. */
#include "count/methods/join_plan.h"

#include <math.h>

#include "base/grow.h"

/* Weights are nanoseconds with AVX-512 on Zen 4, which are 1.3 placements of the search each: near enough to report how
 * far a count is. A unit should have this much; smaller boards have FEW_UNITS, larger ones no more than MANY_UNITS. */
#define UNIT_WEIGHT 40e6
enum { FEW_UNITS = 64, MANY_UNITS = 20000 };

/* About how long a pair takes. Joining takes time in proportion to the pairs of placements, meeting grows somewhat
 * faster; the power 5/4 of the former fits both within a third. Only roots: they are the same on all machines. */
static double weigh(const struct join_plan *plan, const struct choice *choice, uint32_t u)
{
    const struct quadrants *quadrants = &plan->quadrants;
    const uint32_t all = quadrants->sets - 1, size = (uint32_t)__builtin_popcount(u), rows[] = {choice->x, u};
    const double cells = quadrants_sets(quadrants, size), share = choice->count / cells;
    double pairs = 0;
    for (int half = 0; half < 2; half++) /* the upper west with the lower west, the lower east with the upper east */
        pairs += (double)quadrants->placements[rows[half]] / cells * share * quadrants->placements[rows[!half] ^ all];
    return 500 + (quadrants->n % 2 ? 0.4 : 0.17) * pairs * sqrt(sqrt(pairs));
}

static bool add_unit(struct join_plan *plan, uint32_t x, uint32_t u)
{
    struct join_unit *unit = grow_array(plan->unit, plan->units, &plan->room, sizeof *unit);
    if (!unit)
        return false;
    plan->unit = unit;
    plan->unit[plan->units++] = (struct join_unit){.x = x, .u = u};
    return true;
}

/* Adds up the weight of all pairs. If `most` is more than 0, makes units of at most that weight. */
static enum nq_status list_pairs(struct join_plan *plan, double most, const atomic_bool *stop, double *weight)
{
    struct choice choice = {0};
    *weight = 0;
    for (uint32_t x = 0; x < plan->quadrants.sets; x++) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (!choice_make(&plan->priorities, x, &choice))
            continue;
        for (uint32_t u = 0; u < choice.of_u; u++) {
            const double more = weigh(plan, &choice, choice.set[u]);
            *weight += more;
            if (most <= 0)
                continue;
            if (plan->units == 0 || plan->unit[plan->units - 1].weight + more > most)
                if (!add_unit(plan, x, u))
                    return NQ_NOMEM;
            plan->unit[plan->units - 1].weight += more;
            plan->unit[plan->units - 1].pairs++;
        }
    }
    return NQ_OK;
}

size_t join_plan_piece(const struct join_plan *plan, const struct join_unit *unit, size_t index,
                       struct join_unit *piece)
{
    struct choice choice = {0};
    double weight = 0;
    size_t pieces = 0;
    uint32_t left = unit->pairs, at = unit->u;
    *piece = *unit;
    if (unit->weight <= plan->split_weight)
        return 1;
    for (uint32_t x = unit->x; left; x++, at = 0) {
        if (!choice_make(&plan->priorities, x, &choice))
            continue;
        for (; at < choice.of_u && left; at++, left--) {
            const double more = weigh(plan, &choice, choice.set[at]);
            weight += more;
            if (pieces == 0 || weight > plan->split_weight) {
                weight = more;
                if (pieces++ == index)
                    *piece = (struct join_unit){.x = x, .u = at};
            }
            piece->pairs += pieces == index + 1;
        }
    }
    return pieces;
}

double join_plan_unit_weight(double weight)
{
    double most = UNIT_WEIGHT;
    if (weight / FEW_UNITS < most)
        most = weight / FEW_UNITS;
    return weight / MANY_UNITS > most ? weight / MANY_UNITS : most;
}

enum nq_status join_plan_units(struct join_plan *plan, const atomic_bool *stop)
{
    double weight;
    enum nq_status status = list_pairs(plan, 0, stop, &weight);
    return status == NQ_OK ? list_pairs(plan, join_plan_unit_weight(weight), stop, &weight) : status;
}
