/* technique_common_attack.c - what every free square of a group attacks has no queen: one of them has. */
#include "puzzles/technique.h"

#include <string.h>

/* The free squares that all those of a group attack; false: there are none. */
static bool attacked_by_all(const struct grid *grid, const struct position *position, const uint64_t *group,
                            uint64_t *common)
{
    uint32_t square;
    bool any = false;
    memcpy(common, position->free, grid->words * sizeof *common);
    for (struct squares_left at = squares_of(grid, position->free, group); squares_next(&at, &square);) {
        const uint64_t *attacked = grid_attacked(grid, square);
        uint64_t left = 0;
        for (uint32_t i = 0; i < grid->words; i++)
            left |= common[i] &= attacked[i];
        any = left;
        if (!any)
            break;
    }
    return any;
}

static bool find(const struct grid *grid, const struct position *position, struct finding *finding,
                 const atomic_bool *stop)
{
    (void)stop;
    for (unsigned kind = grid->kinds; kind-- > 0;)
        for (uint64_t open = position_open(grid, position, kind); open; open &= open - 1) {
            const uint32_t index = (uint32_t)__builtin_ctzll(open);
            if (!attacked_by_all(grid, position, grid_group(grid, kind, index), finding->cross))
                continue;
            finding_rest_on(grid, position, finding, kind, index);
            return true;
        }
    memset(finding->cross, 0, grid->words * sizeof *finding->cross);
    return false;
}

const struct technique technique_common_attack = {
    .name = "common-attack",
    .level = LEVEL_MEDIUM,
    .weight = 4,
    .summary = "Every free square of a row, column or region attacks a square: it is crossed.",
    .find = find,
};
