/* kernels.c - the table of counting kernels. */
#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "base/stop.h"
#include "kernels/kernel.h"

extern const struct kernel kernel_avx512w, kernel_avx512, kernel_avx2, kernel_scalar;

const struct kernel *const kernels[] = {
#ifdef __x86_64__ /* elsewhere those files are empty */
    &kernel_avx512w, &kernel_avx512, &kernel_avx2,
#endif
    &kernel_scalar,  NULL,
};

const struct kernel *kernel_find(const char *name)
{
    bool any = strcmp(name, "auto") == 0;
    for (const struct kernel *const *at = kernels; *at; at++)
        if ((any || strcmp((*at)->name, name) == 0) && (*at)->supported())
            return *at;
    return NULL;
}

/* ---- How large a search is ---- */

/* Random descents into the tree that the kernels search. */

/* Walks between two looks at the stop flag: a hundred microseconds. */
enum { POLL_WALKS = 16 };

/* One descent: the estimate of placements that it gives. */
static double descend(const struct kernel_board *board, struct kernel_prefix prefix, struct random *random)
{
    double nodes = 0, weight = 1;
    uint32_t free = kernel_free(board, &prefix, prefix.depth);
    for (;;) {
        struct kernel_prefix children[KERNEL_MAX_N];
        uint32_t nexts[KERNEL_MAX_N], count = 0;
        if (prefix.depth + KERNEL_SETTLED_ROWS >= board->rows)
            return nodes;
        nodes += weight * __builtin_popcount(free);
        for (; free; free &= free - 1) {
            children[count] = kernel_place(board, &prefix, free & -free);
            nexts[count] = kernel_free(board, &children[count], prefix.depth + 1);
            if (nexts[count])
                nexts[count] = kernel_choices(board, &children[count], nexts[count]);
            count += nexts[count] != 0;
        }
        if (!count)
            return nodes;
        const uint32_t chosen = random_below(random, count);
        weight *= count;
        prefix = children[chosen];
        free = nexts[chosen];
    }
}

double kernel_walk(const struct kernel_board *board, const struct kernel_prefix *prefix, unsigned walks, uint64_t seed,
                   const atomic_bool *stop)
{
    assert(walks > 0); /* there is no mean of none */
    if (prefix->depth + KERNEL_SETTLED_ROWS >= board->rows)
        return 0;
    double nodes = 0;
    for (unsigned walk = 0; walk < walks; walk++) {
        if (walk % POLL_WALKS == 0 && stop_wanted(stop))
            break;
        struct random random = random_begin(seed, walk);
        nodes += descend(board, *prefix, &random);
    }
    return nodes / walks;
}
