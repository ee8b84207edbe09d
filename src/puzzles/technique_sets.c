/* technique_sets.c - k groups whose free squares lie in k groups of another kind take all queens of the latter. */
#include "base/stop.h"
#include "puzzles/technique.h"

/* Groups below which each choice looks at the stop flag: those of more take some milliseconds at most. */
enum { POLL_GROUPS = 3 };

/* A search for k groups of one kind. */
struct choice {
    const struct grid *grid;
    const struct position *position;
    struct finding *finding;
    unsigned kind, into;
    uint32_t size;
    const uint64_t *touches; /* by group: those of `into` */
    const atomic_bool *stop;
};

/* Adds groups of `left`, each after the one before, until there are k; in k groups of the other kind at most. Where
 * those that are chosen fill as many of the other kind, the smaller set has crossed nothing, or it would have been
 * found: any others would cross only what they do by themselves. */
static bool choose(const struct choice *choice, uint64_t left, uint64_t groups, uint64_t targets)
{
    const uint32_t chosen = (uint32_t)__builtin_popcountll(groups);
    if (chosen == choice->size) {
        const struct confinement confinement = {choice->kind, choice->into, groups, targets};
        if (!confinement_cross(choice->grid, choice->position, &confinement, choice->finding->cross))
            return false;
        confinement_found(choice->grid, choice->position, &confinement, choice->finding);
        return true;
    }
    if (chosen && (uint32_t)__builtin_popcountll(targets) <= chosen)
        return false;
    if (chosen < POLL_GROUPS && stop_wanted(choice->stop))
        return false;
    for (; left; left &= left - 1) {
        const uint64_t more = targets | choice->touches[__builtin_ctzll(left)];
        if ((uint32_t)__builtin_popcountll(more) <= choice->size &&
            choose(choice, left & (left - 1), groups | (left & -left), more))
            return true;
    }
    return false;
}

/* Groups that lie in k of the other kind at most: others are in no set. */
static uint64_t narrow(const struct choice *choice)
{
    uint64_t narrow = 0;
    for (uint64_t open = position_open(choice->grid, choice->position, choice->kind); open; open &= open - 1)
        if ((uint32_t)__builtin_popcountll(choice->touches[__builtin_ctzll(open)]) <= choice->size)
            narrow |= open & -open;
    return narrow;
}

static bool find(const struct grid *grid, const struct position *position, struct finding *finding,
                 const atomic_bool *stop)
{
    const uint32_t open = (uint32_t)__builtin_popcountll(position_open(grid, position, GROUP_ROW));
    struct touches touches;
    touches_read(grid, position, &touches);
    for (finding->size = 2; finding->size <= open / 2; finding->size++)
        for (unsigned kind = grid->kinds; kind-- > 0;)
            for (unsigned into = 0; into < grid->kinds; into++) {
                const struct choice choice = {
                    grid, position, finding, kind, into, finding->size, touches.of[kind][into], stop};
                if (kind != into && choose(&choice, narrow(&choice), 0, 0))
                    return true;
            }
    return false;
}

const struct technique technique_sets = {
    .name = "sets",
    .sized = true,
    .level = LEVEL_HARD,
    .weight = 4,
    .more = 4,
    .summary = "The free squares of k regions lie in k rows or columns, or the other way round: the other squares of "
               "the latter are crossed.",
    .find = find,
};
