/* rows_scalar.c - the portable reference: one placement at a time, in plain C, on any machine. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "kernels/vectors/scalar.h"

#include "kernels/rows/rows_step.h"

/* The lanes of a prefix, and the squares of its next row that are free. */
static inline struct lanes lanes_of_prefix(const struct rows_board *board, const struct rows_prefix *prefix)
{
    const uint32_t full = ~UINT32_C(0) >> (32 - board->n);
    const struct reach *reach = &prefix->reach;
    return (struct lanes){.columns = (uint32_t)~reach->columns & full,
                          .left = (uint32_t)reach->left & full,
                          .right = (uint32_t)reach->right & full,
                          .later = (uint32_t)reach->later & full};
}

static inline uint32_t free_of_prefix(const struct rows_board *board, const struct rows_prefix *prefix)
{
    return prefix->row < board->n ? board->allow[prefix->row] & ~(uint32_t)reach_attacked(&prefix->reach) : 0;
}

/* ---- The kernel ---- */

/* Placements with children between two looks at the stop flag: a few hundred microseconds. */
enum { POLL = 1 << 13 };

struct search {
    const struct rows_board *board;
    const atomic_bool *stop;
    unsigned unseen;
    bool stopped;
    uint64_t solutions, tried[KERNEL_MAX_N];
};

static void stop_if_asked(struct search *search)
{
    search->unseen = 0;
    search->stopped = stop_wanted(search->stop);
}

/* Tries the free squares of a row. left: the rows that come after it. deeper: does so in the next. */
static ALWAYS_INLINE void descend(struct search *search, uint32_t row, const struct lanes *lanes, uint32_t free,
                                  unsigned moves,
                                  void (*deeper)(struct search *, uint32_t, const struct lanes *, uint32_t))
{
    const unsigned left = search->board->n - 1 - row;
    const struct level level = level_of(search->board, row, rows_look(moves, left));
    if (++search->unseen >= POLL)
        stop_if_asked(search);
    for (; free && !search->stopped; free &= free - 1) {
        struct lanes below = *lanes;
        lane_set alive;
        search->tried[row]++;
        place(&level, &below, free & -free, moves);
        if (left == ROWS_SETTLED) {
            search->solutions += settle(&level, &below, moves, search->tried + row + 1);
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
        search->tried[below.row] += (board->moves & ROWS_EVERY) != 0;
        reach_pass(board->moves, board->n, below.row++, free & -free, &below.reach);
        if (below.row == board->n)
            search->solutions++;
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
    add_found(board, search.solutions, search.tried, tally);
    return NQ_OK;
}

static bool supported(void)
{
    return true;
}

extern const struct rows_kernel rows_scalar;
const struct rows_kernel rows_scalar = {.name = "scalar", .supported = supported, .count = count};

/* ---- Random descents ---- */

/* Random descents into the tree that the kernels search by rows. */

/* Walks between two looks at the stop flag: a hundred microseconds. */
enum { POLL_WALKS = 16 };

/* One descent: the estimate of placements that it gives. */
static double descend_at_random(const struct rows_board *board, uint32_t row, struct lanes lanes, uint32_t free,
                                struct random *random)
{
    double nodes = 0, weight = 1;
    for (;; row++) {
        const unsigned left = board->n - 1 - row;
        const struct level level = level_of(board, row, rows_look(board->moves, left));
        struct lanes children[KERNEL_MAX_N];
        uint32_t nexts[KERNEL_MAX_N], count = 0;
        nodes += weight * __builtin_popcount(free);
        if (left == ROWS_SETTLED)
            return nodes;
        for (; free; free &= free - 1) {
            lane_set alive;
            children[count] = lanes;
            place(&level, &children[count], free & -free, board->moves);
            nexts[count] = worth_trying(&level, &children[count], left, board->moves, &alive);
            count += alive;
        }
        if (!count)
            return nodes;
        const uint32_t chosen = random_below(random, count);
        weight *= count;
        lanes = children[chosen];
        free = nexts[chosen];
    }
}

double rows_walk(const struct rows_board *board, const struct rows_prefix *prefix, unsigned walks, uint64_t seed,
                 const atomic_bool *stop)
{
    assert(walks > 0 && board->n <= KERNEL_MAX_N);
    if (prefix->row + ROWS_SETTLED >= board->n)
        return 0;
    const struct lanes lanes = lanes_of_prefix(board, prefix);
    const uint32_t free = free_of_prefix(board, prefix);
    double nodes = 0;
    for (unsigned walk = 0; walk < walks; walk++) {
        if (walk % POLL_WALKS == 0 && stop_wanted(stop))
            break;
        struct random random = random_begin(seed, walk);
        nodes += descend_at_random(board, prefix->row, lanes, free, &random);
    }
    return nodes / walks;
}
