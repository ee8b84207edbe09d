/* rows_walk.c - random descents into the tree that the kernels search by rows. */
#include "base/random.h"

#include <assert.h>

#include "kernels/rows/rows_plain.h"

/* Walks between two looks at the stop flag: a hundred microseconds. */
enum { POLL_WALKS = 16 };

/* One descent: the estimate of placements that it gives. */
static double descend(const struct rows_board *board, uint32_t row, struct lanes lanes, uint32_t free,
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
        nodes += descend(board, prefix->row, lanes, free, &random);
    }
    return nodes / walks;
}
