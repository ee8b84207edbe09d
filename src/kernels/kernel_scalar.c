/* kernel_scalar.c - the portable reference: one placement at a time, in plain C, on any machine. */
#include "kernels/kernel.h"

#include <assert.h>

/* Placements between two looks at the stop flag: a few hundred microseconds. */
enum { POLL = 1 << 14 };

struct search {
    const struct kernel_board *board;
    const atomic_bool *stop;
    uint64_t nodes;
    uint64_t poll_at;
    bool stopped;
    uint64_t solutions[KERNEL_MAX_TIES + 1];
};

static void stop_if_asked(struct search *search)
{
    search->poll_at = search->nodes + POLL;
    search->stopped = stop_wanted(search->stop);
}

/* Settles the last row, or the last two. */
static void settle(struct search *search, const struct kernel_prefix *prefix, uint32_t free)
{
    const struct kernel_board *board = search->board;
    for (; free; free &= free - 1) {
        const struct kernel_prefix below = kernel_place(board, prefix, free & -free);
        if (below.depth == board->rows)
            search->solutions[below.ties]++;
        else
            settle(search, &below, kernel_free(board, &below, below.depth));
    }
}

/* Counts below a prefix whose next row's free squares are given. */
static void descend(struct search *search, const struct kernel_prefix *prefix, uint32_t free)
{
    const struct kernel_board *board = search->board;
    if (prefix->depth + KERNEL_SETTLED_ROWS >= board->rows) {
        settle(search, prefix, free);
        return;
    }
    if (search->nodes >= search->poll_at)
        stop_if_asked(search);
    for (; free && !search->stopped; free &= free - 1) {
        const struct kernel_prefix below = kernel_place(board, prefix, free & -free);
        search->nodes++;
        const uint32_t next = kernel_free(board, &below, below.depth);
        if (next)
            descend(search, &below, kernel_choices(board, &below, next));
    }
}

static enum nq_status scalar_count(const struct kernel_board *board, const struct kernel_prefix *prefix,
                                   const atomic_bool *stop, struct kernel_tally *tally)
{
    assert(board->n <= KERNEL_MAX_N && board->rows <= board->n && prefix->depth <= board->rows);
    if (prefix->depth == board->rows) {
        assert(prefix->ties <= KERNEL_MAX_TIES);
        tally->solutions[prefix->ties]++;
        return NQ_OK;
    }
    struct search search = {.board = board, .stop = stop};
    stop_if_asked(&search);
    descend(&search, prefix, kernel_free(board, prefix, prefix->depth));
    if (search.stopped)
        return NQ_CANCELLED;
    for (int ties = 0; ties <= KERNEL_MAX_TIES; ties++)
        tally->solutions[ties] += search.solutions[ties];
    tally->nodes += search.nodes;
    return NQ_OK;
}

static bool scalar_supported(void)
{
    return true;
}

extern const struct join join_scalar;
extern const struct finder finder_scalar;

const struct kernel kernel_scalar = {
    .name = "scalar",
    .summary = "plain C, one placement at a time",
    .supported = scalar_supported,
    .count = scalar_count,
    .join = &join_scalar,
    .finder = &finder_scalar,
};
