/* term_levels.c - the levels of the backtrack tree for n queens, row by row from the first: placements of m queens on m
 * rows of n columns, m = 1 ... n. */
#include <stdlib.h>

#include "sequences/term.h"

/* Nodes between two looks at the stop flag: well under a millisecond. */
enum { POLL_NODES = 1 << 16 };

/* A unit is a pair of squares in the first two rows, the first in the left half of the board or in its middle: the
 * mirror image of the others. */
struct levels_plan {
    uint32_t n;
};

static void release(void *plan)
{
    free(plan);
}

static enum nq_status prepare(uint32_t n, const atomic_bool *stop, void **plan)
{
    struct levels_plan *levels = malloc(sizeof *levels);
    (void)stop;
    *plan = levels;
    if (!levels)
        return NQ_NOMEM;
    levels->n = n;
    return NQ_OK;
}

static size_t units(const void *plan)
{
    const size_t n = ((const struct levels_plan *)plan)->n;
    return (n + 1) / 2 * n;
}

/* By the queens that stand; the board of none has the empty placement alone. */
static uint32_t result_numbers(uint32_t n)
{
    return n + 1;
}

static uint32_t value_numbers(uint32_t n)
{
    return n ? n : 1;
}

struct descent {
    uint32_t n;
    uint64_t row; /* all columns */
    const atomic_bool *stop;
    uint64_t unseen;
    bool stopped;
    nq_wide *levels;
};

/* The placements below one that has so many queens. Columns, and diagonals as they come to the next row. */
static void descend(struct descent *descent, uint32_t queens, uint64_t columns, uint64_t left, uint64_t right)
{
    uint64_t free = descent->row & ~(columns | left | right);
    descent->levels[queens + 1] += (nq_wide)__builtin_popcountll(free);
    if (++descent->unseen >= POLL_NODES) {
        descent->unseen = 0;
        descent->stopped = descent->stopped || stop_wanted(descent->stop);
    }
    for (; queens + 2 <= descent->n && free && !descent->stopped; free &= free - 1) {
        const uint64_t queen = free & -free;
        descend(descent, queens + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
}

static enum nq_status count(const void *plan, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const uint32_t n = ((const struct levels_plan *)plan)->n;
    const uint32_t first = (uint32_t)(unit / n), second = (uint32_t)(unit % n);
    const uint64_t queen = UINT64_C(1) << first, other = UINT64_C(1) << second;
    struct descent descent = {.n = n, .row = (UINT64_C(1) << n) - 1, .stop = stop, .levels = result};
    if (second == 0)
        result[1]++;
    if (second != first && second + 1 != first && first + 1 != second) {
        result[2]++;
        descent.stopped = stop_wanted(stop);
        if (n > 2 && !descent.stopped)
            descend(&descent, 2, queen | other, (queen << 1 | other) << 1, (queen >> 1 | other) >> 1);
    }
    for (uint32_t queens = 1; queens <= n && first != n - 1 - first; queens++)
        result[queens] *= 2;
    return descent.stopped ? NQ_CANCELLED : NQ_OK;
}

/* One queen stands on any of n squares, and two on (n - 1)(n - 2) pairs. */
static bool value(const void *plan, const nq_wide *results, nq_wide *value)
{
    const uint32_t n = ((const struct levels_plan *)plan)->n;
    for (uint32_t queens = 1; queens <= n; queens++) {
        value[queens - 1] = 0;
        for (size_t unit = 0; unit < units(plan); unit++)
            value[queens - 1] += results[unit * (n + 1) + queens];
    }
    if (n == 0)
        *value = 1;
    return n == 0 || (value[0] == n && (n == 1 || value[1] == (nq_wide)(n - 1) * (n - 2)));
}

/* Larger boards would take centuries. */
enum { LEVELS_MAX_N = 27 };

extern const struct term_method term_levels;
const struct term_method term_levels = {
    .name = "levels",
    .summary = "search row by row over the squares that are free, first queen in the left half",
    .revision = 1,
    .max_n = LEVELS_MAX_N,
    .prepare = prepare,
    .units = units,
    .result_numbers = result_numbers,
    .value_numbers = value_numbers,
    .count = count,
    .value = value,
    .release = release,
};
