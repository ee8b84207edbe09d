/* term_nodes.c - the nodes of the backtrack tree for n queens, row by row from the first, without any lookahead: every
 * placement of non-attacking queens on the first k rows, k = 0 ... n. */
#include <stdlib.h>

#include "kernels/rows/rows.h"
#include "sequences/term.h"

/* A unit is a pair of squares in the first two rows, the first in the left half of the board or in its middle: the
 * mirror image of the others. The root is no unit. */
struct nodes_plan {
    struct rows_board board;
};

static void release(void *plan)
{
    free(plan);
}

static enum nq_status prepare(uint32_t n, const atomic_bool *stop, void **plan)
{
    struct nodes_plan *nodes = malloc(sizeof *nodes);
    uint64_t allow[KERNEL_MAX_N];
    (void)stop;
    *plan = nodes;
    if (!nodes)
        return NQ_NOMEM;
    for (uint32_t row = 0; row < KERNEL_MAX_N; row++)
        allow[row] = UINT64_MAX;
    nodes->board = rows_board_of(n, MOVE_LEFT | MOVE_RIGHT | ROWS_EVERY, allow);
    return NQ_OK;
}

static size_t units(const void *plan)
{
    const size_t n = ((const struct nodes_plan *)plan)->board.n;
    return (n + 1) / 2 * n;
}

static void place(const struct rows_board *board, uint32_t column, struct rows_prefix *prefix)
{
    reach_pass(board->moves, board->n, prefix->row++, UINT64_C(1) << column, &prefix->reach);
}

static enum nq_status count(const void *plan, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const struct rows_board *board = &((const struct nodes_plan *)plan)->board;
    const uint32_t n = board->n, first = (uint32_t)(unit / n), second = (uint32_t)(unit % n);
    struct rule_tally tally = {.nodes = second == 0}; /* the first queen */
    struct rows_prefix prefix = {0};
    enum nq_status status = NQ_OK;
    place(board, first, &prefix);
    if (n > 1 && !(reach_attacked(&prefix.reach) >> second & 1)) {
        place(board, second, &prefix);
        tally.nodes++;
        status = rows_kernel_of(kernel_find("auto"))->count(board, &prefix, stop, &tally);
    }
    *result = (nq_wide)tally.nodes * (first == n - 1 - first ? 1 : 2);
    return status;
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
    .summary = "search row by row over the squares that are free, first queen in the left half",
    .revision = 1,
    .max_n = NODES_MAX_N,
    .prepare = prepare,
    .units = units,
    .count = count,
    .value = value,
    .release = release,
};
