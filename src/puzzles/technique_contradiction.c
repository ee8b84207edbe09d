/* technique_contradiction.c - a square is crossed where a queen would leave a group empty after rounds of the easiest
 * techniques. */
#include "puzzles/technique.h"

static bool find(const struct grid *grid, const struct position *position, struct finding *finding,
                 const atomic_bool *stop)
{
    return contradiction_find(grid, position, finding, propagate_short, stop);
}

const struct technique technique_contradiction = {
    .name = "contradiction",
    .sized = true,
    .level = LEVEL_EXPERT,
    .weight = 20,
    .more = 4,
    .summary = "A queen on a square would leave a row, column or region empty after rounds of `single` and `confined`: "
               "it is crossed.",
    .refutes = true,
    .propagate = propagate_short,
    .find = find,
};
