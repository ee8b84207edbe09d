/* technique_single.c - a group with one free square has its queen there. */
#include "puzzles/technique.h"

static bool find(const struct grid *grid, const struct position *position, struct finding *finding,
                 const atomic_bool *stop)
{
    (void)stop;
    for (unsigned kind = grid->kinds; kind-- > 0;)
        for (uint64_t open = position_open(grid, position, kind); open; open &= open - 1) {
            const uint32_t index = (uint32_t)__builtin_ctzll(open);
            struct squares_left at = squares_of(grid, position->free, grid_group(grid, kind, index));
            uint32_t square, second;
            if (!squares_next(&at, &square) || squares_next(&at, &second))
                continue;
            finding->queen = square;
            finding_rest_on(grid, position, finding, kind, index);
            return true;
        }
    return false;
}

const struct technique technique_single = {
    .name = "single",
    .level = LEVEL_EASY,
    .weight = 1,
    .summary = "A row, column or region has one free square: a queen.",
    .find = find,
};
