/* kernel_scalar.c - the portable reference: one placement at a time, in plain C, on any machine. */
#include "kernels/kernel.h"

/* How many placements pass between two looks at the stop flag: some ten milliseconds. */
enum { POLL = 1 << 20 };

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
    search->stopped = search->stop && atomic_load_explicit(search->stop, memory_order_relaxed);
}

/* Counts below a row whose free squares are given. A child is dropped at once when its next row has no free square. */
static void descend(struct search *search, uint32_t row, uint32_t columns, uint32_t left, uint32_t right, uint32_t ties,
                    uint32_t free)
{
    const struct kernel_board *board = search->board;
    const uint32_t tie = board->tie[row];
    if (row + 1 == board->n) {
        while (free) {
            uint32_t queen = free & -free;
            free ^= queen;
            search->nodes++;
            search->solutions[ties + ((queen & tie) != 0)]++;
        }
        return;
    }
    const uint32_t allow = board->allow[row + 1];
    if (search->nodes >= search->poll_at)
        stop_if_asked(search);
    while (free && !search->stopped) {
        uint32_t queen = free & -free;
        free ^= queen;
        search->nodes++;
        uint32_t below_columns = columns | queen, below_left = (left | queen) << 1, below_right = (right | queen) >> 1;
        uint32_t below_free = allow & ~(below_columns | below_left | below_right);
        if (below_free)
            descend(search, row + 1, below_columns, below_left, below_right, ties + ((queen & tie) != 0), below_free);
    }
}

static enum nq_status scalar_count(const struct kernel_board *board, const struct kernel_prefix *prefix,
                                   const atomic_bool *stop, struct kernel_tally *tally)
{
    if (prefix->row == board->n) {
        tally->solutions[prefix->ties]++;
        return NQ_OK;
    }
    struct search search = {.board = board, .stop = stop};
    stop_if_asked(&search);
    uint32_t free = board->allow[prefix->row] & ~(prefix->columns | prefix->left | prefix->right);
    descend(&search, prefix->row, prefix->columns, prefix->left, prefix->right, prefix->ties, free);
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

const struct kernel kernel_scalar = {
    .name = "scalar",
    .summary = "plain C, one placement at a time",
    .supported = scalar_supported,
    .count = scalar_count,
};
