/* pairs.h - a queen in every row, and how many pairs of them attack each other: the board that heuristics repair. It
 * knows nothing of what they do. */
#ifndef STEPS_PAIRS_H
#define STEPS_PAIRS_H

#include <assert.h>

#include "base/random.h"
#include "steps/machine.h"

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

/* A step of such a heuristic: `board` if it is not on a square. */
static inline struct step pairs_step(const struct pairs *pairs, enum step_kind kind, uint32_t row, uint32_t column)
{
    struct step step = step_on_square(kind, row, column, pairs->n);
    step.has_energy = true;
    step.energy = pairs->energy;
    return step;
}

/* ---- What such heuristics have in common ---- */

/* The first member of their states. */
struct repair {
    struct random random;
    struct pairs pairs; /* n = 0: it was not drawn yet */
    uint32_t n;
    bool ended;
};

/* Their `begin`: boards of 2 and 3 rows have no solution to be looked for. */
static inline void repair_begin(const struct machine_settings *settings, void *machine)
{
    struct repair *repair = machine;
    assert(settings->n >= 1 && settings->n <= PAIRS_MAX_N);
    repair->n = settings->n;
    repair->random = random_begin(settings->seed, 0);
    repair->ended = settings->n == 2 || settings->n == 3;
}

/* Their `board`; NOWHERE in all rows of one that was not drawn yet. */
static inline void repair_board(const void *machine, uint32_t *columns)
{
    const struct repair *repair = machine;
    for (uint32_t row = 0; row < repair->n; row++)
        columns[row] = repair->pairs.n ? repair->pairs.column[row] : NOWHERE;
}

/* Whether the board is a solution: that is the last step. */
static inline bool repair_solved(struct repair *repair, struct step *step)
{
    if (!repair->pairs.n || repair->pairs.energy)
        return false;
    repair->ended = true;
    *step = pairs_step(&repair->pairs, STEP_SOLUTION, NOWHERE, NOWHERE);
    return true;
}

/* Begins anew with any board. */
static inline void repair_draw(struct repair *repair, struct step *step)
{
    pairs_draw(&repair->pairs, repair->n, &repair->random);
    *step = pairs_step(&repair->pairs, STEP_TAKE, NOWHERE, NOWHERE);
}

#endif
