/* technique_search.c - trying squares until one solution is left: for boards that no technique solves. */
#include "puzzles/technique.h"

#include <string.h>

#include "puzzles/completions.h"

/* Placements for a step; a position that takes more has none. */
enum { MOST_NODES = 1 << 16 };

/* The queen of the one solution in the open group with fewest free squares. */
static void place(const struct grid *grid, const struct position *position, const uint8_t *columns,
                  struct finding *finding)
{
    uint32_t fewest = UINT32_MAX, queen = GRID_NOWHERE;
    struct group group = {0};
    for (uint64_t open = position_open(grid, position, GROUP_ROW); open; open &= open - 1) {
        const uint32_t row = (uint32_t)__builtin_ctzll(open), square = row * grid->n + columns[row];
        for (unsigned kind = 0; kind < grid->kinds; kind++) {
            const uint32_t index = grid->of[kind][square];
            const uint32_t count = squares_shared(grid, position->free, grid_group(grid, kind, index), fewest);
            if (count < fewest) {
                fewest = count;
                queen = square;
                group = (struct group){(uint8_t)kind, (uint8_t)index};
            }
        }
    }
    finding->queen = queen;
    finding_rest_on(grid, position, finding, group.kind, group.index);
}

static bool find(const struct grid *grid, const struct position *position, struct finding *finding,
                 const atomic_bool *stop)
{
    struct completions search; /* not allocated: what is found must not depend on memory */
    uint8_t columns[GRID_MAX_N];
    uint64_t budget = MOST_NODES;
    completions_begin(&search, grid, position, false);
    if (position_solved(grid, position) || completions_next(&search, &budget, stop) != NQ_OK)
        return false;
    memcpy(columns, search.columns, grid->n);
    if (completions_next(&search, &budget, stop) != NQ_END)
        return false;
    place(grid, position, columns, finding);
    return true;
}

const struct technique technique_search = {
    .name = "search",
    .level = LEVELS,
    .weight = 100,
    .summary = "No technique is enough; the position has one solution.",
    .find = find,
};
