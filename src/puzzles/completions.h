/* completions.h - every solution of a position by depth-first search, in lexicographic order or in that which ends
 * soonest. All its state is here, so that it can be stopped and resumed. It knows neither techniques nor threads. */
#ifndef PUZZLES_COMPLETIONS_H
#define PUZZLES_COMPLETIONS_H

#include <stdatomic.h>

#include "puzzles/grid.h"

struct completions_level {
    uint64_t free[GRID_MAX_WORDS];
    uint64_t untried[GRID_MAX_WORDS]; /* of the group that is filled next */
    uint64_t filled[GROUP_KINDS];
    uint32_t first; /* words of `untried` before it are empty */
};

/* About 70 KB. */
struct completions {
    const struct grid *grid;     /* borrowed */
    bool ordered;                /* lexicographic; else the group with fewest free squares is filled first */
    bool entered;                /* the group that is filled next has been chosen */
    uint32_t start, depth;       /* queens placed: at first, and now */
    uint64_t nodes;              /* placements tried */
    uint8_t columns[GRID_MAX_N]; /* by row: the solution found last */
    struct completions_level level[GRID_MAX_N + 1];
};

/* Begins before the first solution of a position. Either order is part of the generator's revision. */
void completions_begin(struct completions *search, const struct grid *grid, const struct position *position,
                       bool ordered);

/* Finds the next solution. *budget: placements that may be tried, decreased by those that were. NQ_OK: it is in
 * search->columns; NQ_END: there are no more; NQ_AGAIN: the budget is spent; NQ_CANCELLED soon after *stop (may be
 * NULL). */
enum nq_status completions_next(struct completions *search, uint64_t *budget, const atomic_bool *stop);

/* Counts solutions that have not been visited, up to a limit: *count is increased. NQ_OK: all are counted, or the limit
 * is reached; else as above. */
enum nq_status completions_count(struct completions *search, uint64_t limit, uint64_t *count, uint64_t *budget,
                                 const atomic_bool *stop);

#endif
