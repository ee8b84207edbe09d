/* term_nodes.c - the nodes of the backtrack tree for n queens, row by row from the first, without any lookahead: every
 * placement of non-attacking queens on the first k rows, k = 0 ... n. */
#include <stdlib.h>

#include "sequences/term.h"

/* A unit is a pair of squares in the first two rows, the first in the left half of the board or in its middle: the
 * mirror image of the others. The root is no unit. */
struct nodes_plan {
    uint32_t n;
};

/* A search deeper than this looks at the stop flag at each placement of its first rows only: less than 100 ms below. */
enum { LOOK_ROWS = 9 };

struct rows {
    uint32_t columns, sums, differences; /* attacked squares of the next row */
};

static struct rows place(struct rows rows, uint32_t queen)
{
    return (struct rows){rows.columns | queen, (rows.sums | queen) << 1, (rows.differences | queen) >> 1};
}

static uint32_t free_squares(uint32_t full, struct rows rows)
{
    return full & ~(rows.columns | rows.sums | rows.differences);
}

/* The placements in `left` more rows, at least one. */
static uint64_t below(uint32_t full, struct rows rows, uint32_t left)
{
    uint32_t free = free_squares(full, rows);
    uint64_t nodes = (uint64_t)__builtin_popcount(free);
    for (; left > 1 && free; free &= free - 1)
        nodes += below(full, place(rows, free & -free), left - 1);
    return nodes;
}

/* The same; *ended is set when it was stopped. */
static uint64_t below_looking(uint32_t full, struct rows rows, uint32_t left, const atomic_bool *stop, bool *ended)
{
    if (left <= LOOK_ROWS)
        return left ? below(full, rows, left) : 0;
    uint32_t free = free_squares(full, rows);
    uint64_t nodes = (uint64_t)__builtin_popcount(free);
    if (stop_wanted(stop))
        *ended = true;
    for (; free && !*ended; free &= free - 1)
        nodes += below_looking(full, place(rows, free & -free), left - 1, stop, ended);
    return nodes;
}

static void release(void *plan)
{
    free(plan);
}

static enum nq_status prepare(uint32_t n, const atomic_bool *stop, void **plan)
{
    struct nodes_plan *nodes = malloc(sizeof *nodes);
    (void)stop;
    *plan = nodes;
    if (!nodes)
        return NQ_NOMEM;
    nodes->n = n;
    return NQ_OK;
}

static size_t units(const void *plan)
{
    const size_t n = ((const struct nodes_plan *)plan)->n;
    return (n + 1) / 2 * n;
}

static enum nq_status count(const void *plan, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const uint32_t n = ((const struct nodes_plan *)plan)->n, full = (uint32_t)((UINT64_C(1) << n) - 1);
    const uint32_t first = (uint32_t)(unit / n), second = UINT32_C(1) << unit % n;
    const struct rows rows = place((struct rows){0}, UINT32_C(1) << first);
    uint64_t nodes = unit % n == 0; /* the first queen */
    bool ended = false;
    if (n > 1 && free_squares(full, rows) & second)
        nodes += 1 + below_looking(full, place(rows, second), n - 2, stop, &ended);
    *result = first == n - 1 - first ? nodes : 2 * nodes;
    return ended ? NQ_CANCELLED : NQ_OK;
}

static bool value(const void *plan, const nq_wide *results, nq_wide *value)
{
    *value = 1; /* the root */
    for (size_t unit = 0; unit < units(plan); unit++)
        *value += results[unit];
    return true;
}

/* Larger boards would take centuries. */
enum { NODES_MAX_N = 27 };

extern const struct term_method term_nodes;
const struct term_method term_nodes = {
    .name = "nodes",
    .summary = "plain recursion over the squares that are free, first queen in the left half",
    .revision = 1,
    .max_n = NODES_MAX_N,
    .prepare = prepare,
    .units = units,
    .count = count,
    .value = value,
    .release = release,
};
