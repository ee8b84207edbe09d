/* orbits.h - searching for solutions orbit by orbit: a placement puts down all queens of one orbit. It knows which
 * orbits there are, but neither the turn that makes them nor filters.
 *
 * A step is the row at some distance from the edge together with the opposite one; steps are taken from the middle
 * outwards, those that earlier orbits have filled left out. */
#ifndef COUNT_METHODS_ORBITS_H
#define COUNT_METHODS_ORBITS_H

#include "count/methods/method.h"

enum { ORBITS_MAX_N = 32, ORBITS_MAX_STEPS = ORBITS_MAX_N / 2 };

/* The lines that queens stand on: those of one orbit, or of all that have been placed. */
struct orbits_lines {
    uint64_t sums, differences; /* bit row + column, bit column - row + n - 1 */
    uint32_t columns, steps;    /* bit k of steps: both rows of the k-th step */
};

/* What is constant in a search. An orbit is identified by its square in the upper row of a step. */
struct orbits_board {
    uint32_t n;
    uint32_t steps;                   /* n / 2 */
    uint32_t orbit_steps;             /* that an orbit fills */
    uint32_t allow[ORBITS_MAX_STEPS]; /* by step: the columns of the upper row that have an orbit */
    struct orbits_lines orbit[ORBITS_MAX_STEPS][ORBITS_MAX_N];
};

/* A part of the search: what lies below some orbits, and what its solutions count. */
struct orbits_piece {
    struct orbits_lines taken;
    uint32_t left;   /* orbits to be placed */
    uint32_t thirds; /* of each solution */
};

/* Adds what lies below a piece to the result. NQ_OK, or NQ_CANCELLED within a millisecond of *stop (may be NULL). */
enum nq_status orbits_search(const struct orbits_board *board, const struct orbits_piece *piece,
                             const atomic_bool *stop, struct unit_result *result);

/* About how many orbits that places: the mean of so many random descents, as kernel_walk. */
double orbits_walk(const struct orbits_board *board, const struct orbits_piece *piece, unsigned walks,
                   const atomic_bool *stop);

/* ---- One step of the search ---- */

/* The upper row of a step; and the step of that row, for this is its own inverse. */
static inline uint32_t orbits_row(const struct orbits_board *board, uint32_t step)
{
    return board->steps - 1 - step;
}

static inline struct orbits_lines orbits_join(const struct orbits_lines *a, const struct orbits_lines *b)
{
    return (struct orbits_lines){
        .sums = a->sums | b->sums,
        .differences = a->differences | b->differences,
        .columns = a->columns | b->columns,
        .steps = a->steps | b->steps,
    };
}

/* The free squares of a step's upper row. The others of the orbit are free, too: what is taken turns into itself. */
static inline uint32_t orbits_free(const struct orbits_board *board, const struct orbits_lines *taken, uint32_t step)
{
    const uint32_t row = orbits_row(board, step);
    const uint32_t sums = (uint32_t)(taken->sums >> row);
    const uint32_t differences = (uint32_t)(taken->differences >> (board->n - 1 - row));
    return board->allow[step] & ~(taken->columns | sums | differences);
}

/* The innermost step that is not taken; there is one. */
static inline uint32_t orbits_next(const struct orbits_lines *taken)
{
    return (uint32_t)__builtin_ctz(~taken->steps);
}

static inline uint32_t orbits_next_free(const struct orbits_board *board, const struct orbits_lines *taken)
{
    return orbits_free(board, taken, orbits_next(taken));
}

/* With one more orbit: that of the lowest of the next step's free squares. */
static inline struct orbits_lines orbits_place(const struct orbits_board *board, const struct orbits_lines *taken,
                                               uint32_t free)
{
    return orbits_join(taken, &board->orbit[orbits_next(taken)][__builtin_ctz(free)]);
}

#endif
