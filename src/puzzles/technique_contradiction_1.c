/* technique_contradiction_1.c - a square is crossed where a queen would leave a group empty at once. */
#include "puzzles/technique.h"

/* Whether all free squares of a group, which the square is not in, are cleared by a queen there. */
static bool empties(const struct grid *grid, const struct position *position, uint32_t square, unsigned kind,
                    uint32_t index)
{
    const uint64_t *cleared = grid_cleared(grid, square), *group = grid_group(grid, kind, index);
    uint64_t left = 0;
    for (uint32_t i = 0; i < grid->words; i++)
        left |= position->free[i] & group[i] & ~cleared[i];
    return !left && grid->of[kind][square] != index;
}

static bool find(const struct grid *grid, const struct position *position, struct finding *finding,
                 const atomic_bool *stop)
{
    (void)stop;
    uint32_t square;
    for (struct squares_left at = squares_of(grid, position->free, NULL); squares_next(&at, &square);)
        for (unsigned kind = grid->kinds; kind-- > 0;)
            for (uint64_t open = position_open(grid, position, kind); open; open &= open - 1) {
                const uint32_t index = (uint32_t)__builtin_ctzll(open);
                if (!empties(grid, position, square, kind, index))
                    continue;
                finding->cross[square / 64] |= UINT64_C(1) << square % 64;
                finding_rest_on(grid, position, finding, kind, index);
                return true;
            }
    return false;
}

const struct technique technique_contradiction_1 = {
    .name = "contradiction-1",
    .level = LEVEL_EXPERT,
    .weight = 16,
    .summary = "A queen on a square would leave a row, column or region empty at once: it is crossed.",
    .refutes = true,
    .find = find,
};
