/* technique_confined.c - a group whose free squares all lie in one group of another kind takes that group's queen. */
#include "puzzles/technique.h"

static bool find(const struct grid *grid, const struct position *position, struct finding *finding,
                 const atomic_bool *stop)
{
    (void)stop;
    struct touches touches;
    touches_read(grid, position, &touches);
    for (unsigned kind = grid->kinds; kind-- > 0;)
        for (unsigned into = 0; into < grid->kinds; into++)
            for (uint64_t open = kind == into ? 0 : position_open(grid, position, kind); open; open &= open - 1) {
                const uint64_t targets = touches.of[kind][into][__builtin_ctzll(open)];
                const struct confinement confinement = {kind, into, open & -open, targets};
                if (!targets || targets & (targets - 1) ||
                    !confinement_cross(grid, position, &confinement, finding->cross))
                    continue;
                confinement_found(grid, position, &confinement, finding);
                return true;
            }
    return false;
}

const struct technique technique_confined = {
    .name = "confined",
    .level = LEVEL_EASY,
    .weight = 2,
    .summary = "All free squares of a region lie in one row or column, or those of a row or column in one region: the "
               "other squares of the latter are crossed.",
    .find = find,
};
