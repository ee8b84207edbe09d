/* stats.h - statistics of steps. */
#ifndef STEPS_STATS_H
#define STEPS_STATS_H

#include "steps/machine.h"

enum { STATS_LEVELS = NQ_SEARCH_MAX_N };

/* Of some steps of one machine. They are the same on every computer. */
struct stats {
    uint64_t steps;
    uint64_t placements; /* queens placed, kept or moved */
    uint64_t tests;      /* squares, pairs of queens or links examined, depending on the algorithm */
    uint64_t rejections;
    uint64_t backtracks; /* queens removed */
    uint64_t solutions;
    uint64_t peak_states;              /* the most placements held at once */
    uint64_t levels[STATS_LEVELS + 1]; /* by number of queens: placements with so many that were made or kept */
};

static inline void stats_add(struct stats *stats, const struct step *step)
{
    const bool put = step->kind == STEP_PLACE || step->kind == STEP_KEEP;
    stats->steps++;
    stats->placements += put || step->kind == STEP_MOVE;
    stats->tests += step->tests;
    stats->rejections += step->kind == STEP_REJECT;
    stats->backtracks += step->kind == STEP_REMOVE;
    stats->solutions += step->kind == STEP_SOLUTION;
    if (step->states > stats->peak_states)
        stats->peak_states = step->states;
    if (put && step->depth <= STATS_LEVELS)
        stats->levels[step->depth]++;
}

#endif
