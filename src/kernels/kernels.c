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

/* ---- Prefixes ---- */

bool prefixes_place(const struct kernel_board *board, const uint8_t *columns, uint32_t length,
                    struct kernel_prefix *prefix)
{
    *prefix = (struct kernel_prefix){0};
    if (length > board->n)
        return false;
    for (uint32_t row = 0; row < length; row++) {
        const uint32_t queen = columns[row] < board->n ? UINT32_C(1) << columns[row] : 0;
        if (!(kernel_free(board, prefix, row) & queen))
            return false;
        *prefix = kernel_place(board, prefix, queen);
    }
    return true;
}

struct kernel_prefix kernel_prefix_of(const struct rule_search *search)
{
    const uint32_t row = search->row;
    const struct reach *reach = &search->level[row].reach;
    return (struct kernel_prefix){
        .depth = row,
        .columns = (uint32_t)reach->columns,
        .sums = row < search->n ? reach->left << row : 0,
        .differences = row < search->n ? reach->right << (search->n - 1 - row) : 0,
    };
}

bool kernel_promises(const struct kernel_board *board, const struct rule_search *search)
{
    const struct kernel_prefix prefix = kernel_prefix_of(search);
    return search->row == board->n || kernel_promising(board, &prefix, kernel_free(board, &prefix, search->row));
}
