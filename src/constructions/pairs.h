/* pairs.h - a queen in every row, and how many pairs of them attack each other: the board that heuristics repair. It
 * knows nothing of what they do. */
#ifndef CONSTRUCTIONS_PAIRS_H
#define CONSTRUCTIONS_PAIRS_H

#include <assert.h>

#include "base/random.h"
#include "constructions/construction.h"

enum { PAIRS_MAX_N = MACHINE_MAX_N, PAIRS_DIAGONALS = 2 * PAIRS_MAX_N - 1 };

struct pairs {
    uint32_t n;
    int64_t energy; /* pairs on one column or diagonal */
    uint8_t column[PAIRS_MAX_N];
    uint8_t columns[PAIRS_MAX_N], up[PAIRS_DIAGONALS], down[PAIRS_DIAGONALS]; /* queens by line */
};

/* Queens on the lines of a square, each line by itself; one that stands there counts three times. */
static inline int64_t pairs_on_lines(const struct pairs *pairs, uint32_t row, uint32_t column)
{
    return (int64_t)pairs->columns[column] + pairs->up[row + column] + pairs->down[column + pairs->n - 1 - row];
}

static inline void pairs_put(struct pairs *pairs, uint32_t row, uint32_t column)
{
    pairs->energy += pairs_on_lines(pairs, row, column);
    pairs->column[row] = (uint8_t)column;
    pairs->columns[column]++;
    pairs->up[row + column]++;
    pairs->down[column + pairs->n - 1 - row]++;
}

static inline void pairs_take(struct pairs *pairs, uint32_t row)
{
    const uint32_t column = pairs->column[row];
    pairs->columns[column]--;
    pairs->up[row + column]--;
    pairs->down[column + pairs->n - 1 - row]--;
    pairs->energy -= pairs_on_lines(pairs, row, column);
}

/* A board with any square of each row, each as likely. */
static inline void pairs_draw(struct pairs *pairs, uint32_t n, struct random *random)
{
    *pairs = (struct pairs){.n = n};
    for (uint32_t row = 0; row < n; row++)
        pairs_put(pairs, row, random_below(random, n));
}

/* The columns; NOWHERE in all rows of a board that was not drawn yet. */
static inline void pairs_write(const struct pairs *pairs, uint32_t n, uint32_t *columns)
{
    for (uint32_t row = 0; row < n; row++)
        columns[row] = pairs->n ? pairs->column[row] : NOWHERE;
}

/* A step of such a heuristic: `board` if it is not on a square. */
static inline struct step pairs_step(const struct pairs *pairs, enum step_kind kind, uint32_t row, uint32_t column)
{
    struct step step = step_on_square(kind, row, column, pairs->n);
    step.has_energy = true;
    step.energy = pairs->energy;
    return step;
}

#endif
