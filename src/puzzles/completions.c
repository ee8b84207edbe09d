/* completions.c - the search of completions.h: one loop over the levels, without recursion. */
#include "puzzles/completions.h"

#include <string.h>

#include "base/stop.h"

/* Placements between two looks at the stop flag: some tens of microseconds. */
enum { POLL_NODES = 1 << 10 };

/* So many rows are filled faster in their order than by looking for the group with fewest squares. */
enum { PLAIN_ROWS = 5 };

/* The last solution's queens are where levels have no square left: each level keeps the queen that leads to the next.
 */
void completions_begin(struct completions *search, const struct grid *grid, const struct position *position,
                       bool ordered)
{
    struct completions_level *level = search->level;
    search->grid = grid;
    search->ordered = ordered;
    search->entered = false;
    search->nodes = 0;
    search->start = search->depth = (uint32_t)__builtin_popcountll(position->filled[GROUP_ROW]);
    level += search->depth;
    memcpy(level->free, position->free, grid->words * sizeof *level->free);
    memcpy(level->filled, position->filled, sizeof level->filled);
    memcpy(search->columns, position->columns, grid->n);
}

static void choose(const struct grid *grid, struct completions_level *level, unsigned kind, uint32_t index)
{
    const uint64_t *group = grid_group(grid, kind, index);
    for (uint32_t i = 0; i < grid->words; i++)
        level->untried[i] = level->free[i] & group[i];
    level->first = kind == GROUP_ROW ? index * grid->n / 64 : 0;
}

/* Chooses the group with fewest free squares; in lexicographic order the first row, unless a group has one square or
 * none. */
static void choose_fewest(const struct completions *search, struct completions_level *level)
{
    const struct grid *grid = search->grid;
    const uint64_t all = grid_all(grid);
    uint32_t fewest = grid->n * grid->n + 1, index = 0;
    unsigned best = 0;
    for (unsigned kind = 0; kind < grid->kinds && fewest > 0; kind++)
        for (uint64_t open = all & ~level->filled[kind]; open && fewest > 0; open &= open - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(open);
            const uint32_t count = squares_shared(grid, level->free, grid_group(grid, kind, at), fewest);
            if (count < fewest) {
                fewest = count;
                best = kind;
                index = at;
            }
        }
    if (search->ordered && fewest > 1) {
        best = GROUP_ROW;
        index = (uint32_t)__builtin_ctzll(all & ~level->filled[GROUP_ROW]);
    }
    choose(grid, level, best, index);
}

static void choose_next(struct completions *search, struct completions_level *level)
{
    const struct grid *grid = search->grid;
    if (grid->n - search->depth > PLAIN_ROWS)
        choose_fewest(search, level);
    else
        choose(grid, level, GROUP_ROW, (uint32_t)__builtin_ctzll(grid_all(grid) & ~level->filled[GROUP_ROW]));
}

/* Takes the next untried square; false: there is none. */
static bool take(const struct grid *grid, struct completions_level *level, uint32_t *square)
{
    for (; level->first < grid->words; level->first++) {
        uint64_t *word = &level->untried[level->first];
        if (*word) {
            *square = level->first * 64 + (uint32_t)__builtin_ctzll(*word);
            *word &= *word - 1;
            return true;
        }
    }
    return false;
}

static void descend(struct completions *search, uint32_t square)
{
    const struct grid *grid = search->grid;
    const struct completions_level *level = &search->level[search->depth];
    struct completions_level *next = &search->level[++search->depth];
    const uint64_t *cleared = grid_cleared(grid, square);
    for (uint32_t i = 0; i < grid->words; i++)
        next->free[i] = level->free[i] & ~cleared[i];
    for (unsigned kind = 0; kind < grid->kinds; kind++)
        next->filled[kind] = level->filled[kind] | UINT64_C(1) << grid->of[kind][square];
    search->columns[grid->of[GROUP_ROW][square]] = grid->of[GROUP_COLUMN][square];
    search->entered = false;
    search->nodes++;
}

enum nq_status completions_next(struct completions *search, uint64_t *budget, const atomic_bool *stop)
{
    const struct grid *grid = search->grid;
    for (;;) {
        struct completions_level *level = &search->level[search->depth];
        uint32_t square;
        if (!search->entered && search->depth == grid->n) {
            search->entered = true;
            level->first = grid->words;
            return NQ_OK;
        }
        if (!search->entered) {
            choose_next(search, level);
            search->entered = true;
        }
        if (!take(grid, level, &square)) {
            if (search->depth == search->start)
                return NQ_END;
            search->depth--;
            continue;
        }
        if (!*budget) {
            level->untried[level->first] |= UINT64_C(1) << square % 64;
            return NQ_AGAIN;
        }
        --*budget;
        if (search->nodes % POLL_NODES == 0 && stop_wanted(stop)) {
            level->untried[level->first] |= UINT64_C(1) << square % 64;
            return NQ_CANCELLED;
        }
        descend(search, square);
    }
}

enum nq_status completions_count(struct completions *search, uint64_t limit, uint64_t *count, uint64_t *budget,
                                 const atomic_bool *stop)
{
    while (*count < limit) {
        const enum nq_status status = completions_next(search, budget, stop);
        if (status != NQ_OK)
            return status == NQ_END ? NQ_OK : status;
        ++*count;
    }
    return NQ_OK;
}
