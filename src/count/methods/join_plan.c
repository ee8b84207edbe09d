/* join_plan.c - pairs in order, as many to a unit as its weight allows. */
#include "count/methods/join_plan.h"

#include <math.h>

#include "base/grow.h"

/* Weights are nanoseconds with AVX-512 on Zen 4, which are 1.3 placements of the search each: near enough to report how
 * far a count is. A unit should have this much; smaller boards have FEW_UNITS, larger ones no more than MANY_UNITS. */
#define UNIT_WEIGHT 40e6
enum { FEW_UNITS = 64, MANY_UNITS = 20000 };

/* How many pairs of placements are tried for the west halves of a pair, or for its east halves. */
static double tried(const struct join_plan *plan, const struct choice *choice, uint32_t u, bool east)
{
    const struct quadrants *quadrants = &plan->quadrants;
    const uint32_t all = quadrants->sets - 1, size = (uint32_t)__builtin_popcount(u), rows[] = {choice->x, u};
    const double cells = quadrants_sets(quadrants, size), share = choice->count / cells;
    /* the upper west with the lower west, the lower east with the upper east */
    return (double)quadrants->placements[rows[east]] / cells * share * quadrants->placements[rows[!east] ^ all];
}

/* About how long a pair takes. Joining takes time in proportion to the pairs of placements, meeting grows somewhat
 * faster; the power 5/4 of the former fits both within a third. Only roots: they are the same on all machines. */
static double weigh(const struct join_plan *plan, const struct choice *choice, uint32_t u)
{
    const double pairs = tried(plan, choice, u, false) + tried(plan, choice, u, true);
    return 500 + (plan->quadrants.n % 2 ? 0.4 : 0.17) * pairs * sqrt(sqrt(pairs));
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

/* Into how many parts a pair is divided: the side with more halves is cut first, so that few are needed at once. */
static struct join_part parts_of(const struct join_plan *plan, const struct choice *choice, uint32_t u, double weight)
{
    const double west = tried(plan, choice, u, false), east = tried(plan, choice, u, true);
    struct join_part parts = {.wests = 1, .easts = 1};
    while (parts.wests * parts.easts * plan->split_weight < weight)
        if (west * parts.easts >= east * parts.wests)
            parts.wests++;
        else
            parts.easts++;
    return parts;
}

/* The pieces of a unit up to here. */
struct splitting {
    size_t pieces, index; /* which one is looked for */
    double weight;        /* of the last one */
    struct join_piece *piece;
};

/* Adds a pair to the last piece, or begins one with it. */
static void add_pair(struct splitting *splitting, uint32_t x, uint32_t u, double weight, double most)
{
    splitting->weight += weight;
    if (splitting->pieces == 0 || splitting->weight > most) {
        splitting->weight = weight;
        if (splitting->pieces++ == splitting->index)
            *splitting->piece = (struct join_piece){{.x = x, .u = u}, {.wests = 1, .easts = 1}};
    }
    splitting->piece->range.pairs += splitting->pieces == splitting->index + 1;
}

/* Adds the parts of a pair, each a piece of its own; no other pair is added to the last one. */
static void add_parts(struct splitting *splitting, uint32_t x, uint32_t u, struct join_part parts)
{
    const size_t from = splitting->pieces, count = (size_t)parts.wests * parts.easts;
    splitting->pieces += count;
    splitting->weight = INFINITY;
    if (splitting->index < from || splitting->index >= splitting->pieces)
        return;
    parts.west = (uint32_t)((splitting->index - from) / parts.easts);
    parts.east = (uint32_t)((splitting->index - from) % parts.easts);
    *splitting->piece = (struct join_piece){{.x = x, .u = u, .pairs = 1}, parts};
}

/* Of a unit that is split. */
static size_t find_piece(const struct join_plan *plan, const struct join_unit *unit, size_t index,
                         struct join_piece *piece)
{
    struct choice choice = {0};
    struct splitting splitting = {.index = index, .piece = piece};
    uint32_t left = unit->pairs, at = unit->u;
    for (uint32_t x = unit->x; left; x++, at = 0) {
        if (!choice_make(&plan->priorities, x, &choice))
            continue;
        for (; at < choice.of_u && left; at++, left--) {
            const double weight = weigh(plan, &choice, choice.set[at]);
            if (weight > plan->split_weight)
                add_parts(&splitting, x, at, parts_of(plan, &choice, choice.set[at], weight));
            else
                add_pair(&splitting, x, at, weight, plan->split_weight);
        }
    }
    return splitting.pieces;
}

size_t join_plan_piece(const struct join_plan *plan, const struct join_unit *unit, size_t index,
                       struct join_piece *piece)
{
    *piece = join_plan_whole(unit);
    return unit->weight > plan->split_weight ? find_piece(plan, unit, index, piece) : 1;
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
