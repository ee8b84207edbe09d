/* kernel.h - the shape of a counting kernel: the innermost loop, one per instruction set. It knows masks and ties,
 * neither where they come from nor what the counts are for. */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#include <nqueens.h>
#include <stdatomic.h>

enum { KERNEL_MAX_N = 32, KERNEL_MAX_TIES = 3 };

/* What holds for a whole search: the board and, row by row, where a queen may stand and where one counts as a tie. */
struct kernel_board {
    uint32_t n;
    uint32_t allow[KERNEL_MAX_N];
    uint32_t tie[KERNEL_MAX_N];
};

/* Where a search begins: rows 0..row-1 hold queens; columns, left and right are the squares of `row` they attack by
 * column and by the diagonals running down-left (towards higher bits) and down-right; ties is how many stand on tie
 * squares. */
struct kernel_prefix {
    uint32_t row;
    uint32_t columns, left, right;
    uint32_t ties;
};

/* What was found: completions by how many queens stand on tie squares, and placements tried. Kernels add to it. */
struct kernel_tally {
    uint64_t solutions[KERNEL_MAX_TIES + 1];
    uint64_t nodes;
};

struct kernel {
    const char *name;
    const char *summary;
    bool (*supported)(void); /* by the machine this runs on */
    /* Adds all completions of a prefix to the tally. NQ_OK, or NQ_CANCELLED within 100 ms of *stop (the tally is then
     * of no use). stop may be NULL. Squares with more than KERNEL_MAX_TIES ties do not occur. */
    enum nq_status (*count)(const struct kernel_board *board, const struct kernel_prefix *prefix,
                            const atomic_bool *stop, struct kernel_tally *tally);
};

/* Best first, the portable reference last; ends with NULL. */
extern const struct kernel *const kernels[];

/* The named kernel, or for "auto" the first supported one; NULL when there is none of that name or it is not supported.
 */
const struct kernel *kernel_find(const char *name);

#endif
