/* contradiction.c - the consequences of a queen, round by round, until a group is empty. */
#include "puzzles/technique.h"

#include <assert.h>

#include "base/stop.h"

bool propagate_short(const struct grid *grid, struct position *position, const atomic_bool *stop)
{
    (void)stop;
    bool changed = false;
    for (unsigned kind = 0; kind < grid->kinds; kind++)
        for (uint64_t open = position_open(grid, position, kind); open; open &= open - 1) {
            const uint64_t *group = grid_group(grid, kind, (uint32_t)__builtin_ctzll(open));
            struct squares_left at = squares_of(grid, position->free, group);
            uint32_t first, second;
            if (squares_next(&at, &first) && !squares_next(&at, &second))
                changed |= position_place(grid, position, first);
        }
    struct touches touches;
    uint64_t cross[GRID_MAX_WORDS] = {0};
    touches_read(grid, position, &touches);
    for (unsigned kind = 0; kind < grid->kinds; kind++)
        for (unsigned into = 0; into < grid->kinds; into++)
            for (uint64_t open = kind == into ? 0 : position_open(grid, position, kind); open; open &= open - 1) {
                const uint64_t targets = touches.of[kind][into][__builtin_ctzll(open)];
                if (targets && !(targets & (targets - 1)))
                    changed |= confinement_cross(grid, position,
                                                 &(struct confinement){kind, into, open & -open, targets}, cross);
            }
    for (uint32_t i = 0; i < grid->words; i++)
        position->free[i] &= ~cross[i];
    return changed;
}

/* How squares are tried. */
struct trial {
    const struct grid *grid;
    const struct position *before;
    propagation *propagate;
    const atomic_bool *stop;
};

/* Rounds until a queen on the square leaves a group empty, the first of which is the queen itself; 0: not within
 * `most`. */
static uint32_t rounds_until_dead(const struct trial *trial, uint32_t square, uint32_t most, struct group *empty)
{
    const struct grid *grid = trial->grid;
    struct position position = *trial->before;
    (void)position_place(grid, &position, square);
    for (uint32_t round = 1; round <= most; round++) {
        unsigned kind;
        uint32_t index;
        if (position_dead(grid, &position, &kind, &index)) {
            *empty = (struct group){(uint8_t)kind, (uint8_t)index};
            return round;
        }
        if (round < most && !trial->propagate(grid, &position, trial->stop))
            break;
    }
    return 0;
}

bool contradiction_find(const struct grid *grid, const struct position *position, struct finding *finding,
                        propagation *propagate, const atomic_bool *stop)
{
    const struct trial trial = {grid, position, propagate, stop};
    uint32_t square, best = 0, most = UINT32_MAX;
    struct group empty = {0}, group;
    for (struct squares_left at = squares_of(grid, position->free, NULL); squares_next(&at, &square);) {
        if (stop_wanted(stop))
            return false;
        const uint32_t rounds = rounds_until_dead(&trial, square, most, &group);
        if (!rounds)
            continue;
        finding->size = rounds;
        best = square;
        empty = group;
        most = rounds - 1;
        if (most <= 1)
            break;
    }
    if (!finding->size || stop_wanted(stop)) /* the last square may not have been followed to its end */
        return false;
    finding->cross[best / 64] |= UINT64_C(1) << best % 64;
    finding_rest_on(grid, position, finding, empty.kind, empty.index);
    return true;
}

void contradiction_follow(const struct grid *grid, const struct position *position, const struct finding *finding,
                          void (*visit)(void *cls, const struct position *before, const struct position *after),
                          void *cls)
{
    struct position before = *position, after = *position;
    struct squares_left at = squares_of(grid, finding->cross, NULL);
    uint32_t square;
    const bool crossed = squares_next(&at, &square);
    assert(finding->by->refutes && crossed);
    (void)crossed;
    (void)position_place(grid, &after, square);
    visit(cls, &before, &after);
    for (uint32_t round = 1; round < finding->size; round++) {
        before = after;
        (void)finding->by->propagate(grid, &after, NULL);
        visit(cls, &before, &after);
    }
}
