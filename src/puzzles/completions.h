/* completions.h - every solution of a position by depth-first search, in lexicographic order or in that which ends
 * soonest. It turns back as soon as a group without a queen has no free square left, and fills one that has a single
 * square at once. All its state is here, so that it can be stopped and resumed. It knows neither techniques nor
 * threads. */
#ifndef PUZZLES_COMPLETIONS_H
#define PUZZLES_COMPLETIONS_H

#include <stdatomic.h>

#include "puzzles/grid.h"

struct completions_level {
    uint64_t free[GRID_MAX_WORDS];
    uint64_t untried[GRID_MAX_WORDS]; /* of the group that is filled next */
    uint64_t filled[GROUP_KINDS];
    uint32_t first;  /* words of `untried` before it are empty */
    uint32_t square; /* taken last: its queen leads to the next level */
};

/* About 70 KB. */
struct completions {
    const struct grid *grid;     /* borrowed */
    bool ordered;                /* lexicographic; else the group with fewest free squares is filled first */
    bool entered;                /* the group that is filled next has been chosen */
    uint32_t plain;              /* so many last rows are filled in their order; it may be set after beginning */
    uint32_t start, depth;       /* queens placed: at first, and now */
    uint64_t nodes;              /* placements tried */
    uint64_t looked;             /* groups whose free squares were counted */
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

enum completions_event { COMPLETIONS_PLACED, COMPLETIONS_REMOVED, COMPLETIONS_SOLUTION, COMPLETIONS_ENDED };

/* Does one step of the search. *square: of the queen that was placed or removed. */
enum completions_event completions_step(struct completions *search, uint32_t *square);

/* After a solution, or a queen that was removed, of a search in lexicographic order: writes the columns of the first
 * rows so that every solution up to the last one with this prefix is finished; returns their number. 0: the search
 * cannot be continued from here. */
uint32_t completions_position(const struct completions *search, uint32_t *prefix);

/* Moves a search in lexicographic order, which has just begun, to where every solution up to the last one with a prefix
 * is finished: to the same state as that in which this was its position. Columns are less than n. */
void completions_follow(struct completions *search, const uint32_t *prefix, uint32_t length);

/* Counts solutions that have not been visited, up to a limit: *count is increased. NQ_OK: all are counted, or the limit
 * is reached; else as above. */
enum nq_status completions_count(struct completions *search, uint64_t limit, uint64_t *count, uint64_t *budget,
                                 const atomic_bool *stop);

#endif
