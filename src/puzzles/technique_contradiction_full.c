/* technique_contradiction_full.c - a square is crossed where a queen would leave a group empty after rounds of every
 * easier technique. */
#include "puzzles/technique.h"

extern const struct technique technique_single, technique_confined, technique_common_attack, technique_sets,
    technique_contradiction_1;

static const struct technique *const easier[] = {&technique_single, &technique_confined, &technique_common_attack,
                                                 &technique_sets, &technique_contradiction_1};

/* One round: all of the easiest, or if there is none, one step of the others. */
static bool propagate(const struct grid *grid, struct position *position, const atomic_bool *stop)
{
    struct finding finding;
    if (propagate_short(grid, position, stop))
        return true;
    if (!finding_first(grid, position, easier, sizeof easier / sizeof easier[0], &finding, stop))
        return false;
    finding_apply(grid, position, &finding);
    return true;
}

static bool find(const struct grid *grid, const struct position *position, struct finding *finding,
                 const atomic_bool *stop)
{
    return contradiction_find(grid, position, finding, propagate, stop);
}

const struct technique technique_contradiction_full = {
    .name = "contradiction-full",
    .sized = true,
    .level = LEVEL_EXPERT,
    .weight = 40,
    .more = 8,
    .summary = "A queen on a square would leave a row, column or region empty after rounds of every easier technique: "
               "it is crossed.",
    .refutes = true,
    .propagate = propagate,
    .find = find,
};
