/* rows_scalar.c - the portable reference: one placement at a time, in plain C, on any machine. */
#include "kernels/rows/rows_plain.h"

#include <assert.h>

/* Placements between two looks at the stop flag: a few hundred microseconds. */
enum { POLL = 1 << 14 };

struct search {
    const struct rows_board *board;
    const atomic_bool *stop;
    uint64_t poll_at;
    bool stopped;
    struct rule_tally tally;
};

static void stop_if_asked(struct search *search)
{
    search->poll_at = search->tally.nodes + POLL;
    search->stopped = stop_wanted(search->stop);
}

/* Tries the free squares of a row. left: the rows that come after it. deeper: does so in the next. */
static ALWAYS_INLINE void descend(struct search *search, uint32_t row, const struct lanes *lanes, uint32_t free,
                                  unsigned moves,
                                  void (*deeper)(struct search *, uint32_t, const struct lanes *, uint32_t))
{
    const unsigned left = search->board->n - 1 - row;
    const struct level level = level_of(search->board, row, rows_look(moves, left));
    if (search->tally.nodes >= search->poll_at)
        stop_if_asked(search);
    for (; free && !search->stopped; free &= free - 1) {
        struct lanes below = *lanes;
        lane_set alive;
        search->tally.nodes++;
        place(&level, &below, free & -free, moves);
        if (left == ROWS_SETTLED) {
            search->tally.solutions += settle(&level, &below, moves, &search->tally.nodes);
            continue;
        }
        const uint32_t next = worth_trying(&level, &below, left, moves, &alive);
        if (alive)
            deeper(search, row + 1, &below, next);
    }
}

static void descend_any(struct search *search, uint32_t row, const struct lanes *lanes, uint32_t free)
{
    descend(search, row, lanes, free, search->board->moves, descend_any);
}

#define DESCEND(name, moves) \
    static void descend_##name(struct search *search, uint32_t row, const struct lanes *lanes, uint32_t free) \
    { \
        descend(search, row, lanes, free, moves, descend_##name); \
    }
ROWS_COMPILED(DESCEND)

/* One or two rows: square by square. */
static void settle_plainly(struct search *search, const struct rows_prefix *prefix)
{
    const struct rows_board *board = search->board;
    for (uint32_t free = free_of_prefix(board, prefix); free; free &= free - 1) {
        struct rows_prefix below = *prefix;
        reach_pass(board->moves, board->n, below.row++, free & -free, &below.reach);
        search->tally.nodes += (board->moves & ROWS_EVERY) != 0;
        if (below.row == board->n)
            search->tally.solutions++;
        else
            settle_plainly(search, &below);
    }
}

static void begin(struct search *search, const struct rows_prefix *prefix)
{
    const struct rows_board *board = search->board;
    const struct lanes lanes = lanes_of_prefix(board, prefix);
    const uint32_t free = free_of_prefix(board, prefix);
    switch (board->moves) {
#define BEGIN(name, moves) \
    case moves: descend_##name(search, prefix->row, &lanes, free); break;
        ROWS_COMPILED(BEGIN)
    default: descend_any(search, prefix->row, &lanes, free);
    }
}

static enum nq_status count(const struct rows_board *board, const struct rows_prefix *prefix, const atomic_bool *stop,
                            struct rule_tally *tally)
{
    assert(board->n <= KERNEL_MAX_N && prefix->row <= board->n);
    struct search search = {.board = board, .stop = stop};
    if (prefix->row == board->n) {
        tally->solutions++;
        return NQ_OK;
    }
    stop_if_asked(&search);
    if (board->n - prefix->row <= ROWS_SETTLED)
        settle_plainly(&search, prefix);
    else
        begin(&search, prefix);
    if (search.stopped)
        return NQ_CANCELLED;
    tally->solutions += search.tally.solutions;
    tally->nodes += search.tally.nodes;
    return NQ_OK;
}

static bool supported(void)
{
    return true;
}

extern const struct rows_kernel rows_scalar;
const struct rows_kernel rows_scalar = {.name = "scalar", .supported = supported, .count = count};
