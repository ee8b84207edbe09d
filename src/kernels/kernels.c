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

/* A depth-first walk, one step of the kernels' at a time. */

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

/* Goes to a prefix, whose next row is tried from here on. */
static void enter(struct prefixes *prefixes, const struct kernel_prefix *prefix)
{
    const uint32_t free = prefix->depth < prefixes->board->n ? kernel_free(prefixes->board, prefix, prefix->depth) : 0;
    prefixes->row = prefix->depth;
    prefixes->level[prefix->depth].prefix = *prefix;
    prefixes->level[prefix->depth].untried = free ? kernel_choices(prefixes->board, prefix, free) : 0;
    prefixes->entered = true;
}

void prefixes_begin(struct prefixes *prefixes, const struct kernel_board *board, uint32_t length)
{
    assert(board->n <= KERNEL_MAX_N && board->rows == board->n && length <= board->n);
    prefixes->board = board;
    prefixes->length = length;
    enter(prefixes, &(struct kernel_prefix){0});
}

bool prefixes_seek(struct prefixes *prefixes, const uint8_t *columns, uint32_t length)
{
    struct kernel_prefix prefix;
    if (!prefixes_place(prefixes->board, columns, length, &prefix))
        return false;
    if (length > prefixes->length)
        length = prefixes->length;
    enter(prefixes, &(struct kernel_prefix){0});
    for (uint32_t row = 0; row < length; row++) {
        const uint32_t queen = UINT32_C(1) << columns[row];
        prefixes->level[row].untried &= ~(queen | (queen - 1)); /* columns up to this one are done */
        prefixes->columns[row] = columns[row];
        prefix = kernel_place(prefixes->board, &prefixes->level[row].prefix, queen);
        enter(prefixes, &prefix);
    }
    prefixes->level[length].untried = 0;
    prefixes->entered = false;
    return true;
}

/* Whether the prefix is complete, not excluded by lookahead, and not returned yet. */
static bool arrived(struct prefixes *prefixes)
{
    const bool entered = prefixes->entered;
    prefixes->entered = false;
    return entered && prefixes->row == prefixes->length &&
           (prefixes->row == prefixes->board->n || prefixes->level[prefixes->row].untried);
}

bool prefixes_next(struct prefixes *prefixes, uint8_t *columns, struct kernel_prefix *prefix)
{
    for (;;) {
        const uint32_t row = prefixes->row;
        if (arrived(prefixes)) {
            if (row)
                memcpy(columns, prefixes->columns, row);
            *prefix = prefixes->level[row].prefix;
            return true;
        }
        const uint32_t untried = prefixes->level[row].untried;
        if (row < prefixes->length && untried) {
            const uint32_t queen = untried & -untried;
            prefixes->level[row].untried = untried ^ queen;
            prefixes->columns[row] = (uint8_t)__builtin_ctz(queen);
            const struct kernel_prefix below = kernel_place(prefixes->board, &prefixes->level[row].prefix, queen);
            enter(prefixes, &below);
            continue;
        }
        if (row == 0)
            return false;
        prefixes->row--;
    }
}
