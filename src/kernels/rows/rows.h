/* rows.h - the interface of counting by the moves of any rule, row by row from the upper one down, one kernel per
 * instruction set. It knows masks and moves, not which rules have them nor what the counts are for. */
#ifndef KERNELS_ROWS_ROWS_H
#define KERNELS_ROWS_ROWS_H

#include "kernels/kernel.h"
#include "rules/search.h"

/* Beside the moves of a board: every placement is tried and counted, whether it can be completed or not, those in the
 * last rows included (but rows_walk() leaves the last two rows out). */
enum { ROWS_EVERY = 1 << 16 };

/* The moves that kernels are compiled for. */
#define ROWS_COMPILED(X) \
    MOVES_COMPILED(X) \
    X(every_queen, MOVE_LEFT | MOVE_RIGHT | ROWS_EVERY)

/* What is constant in a search. */
struct rows_board {
    uint32_t n; /* at most KERNEL_MAX_N */
    unsigned moves;
    uint32_t allow[KERNEL_MAX_N]; /* by row: bit c for column c */
};

/* Where a search begins: the rows above `row` have queens, whose attacks come to it as `reach` says. */
struct rows_prefix {
    uint32_t row;
    struct reach reach;
};

struct rows_kernel {
    const char *name;        /* that of the kernel for queens with the same instructions */
    bool (*supported)(void); /* by the machine this runs on */
    /* Adds all completions of a prefix to the tally, and the placements tried, in all and, if the tally has `rows`, by
     * row: the same of every kernel. NQ_OK, or
     * NQ_CANCELLED within 100 ms of *stop (the tally is then of no use). stop may be NULL. */
    enum nq_status (*count)(const struct rows_board *board, const struct rows_prefix *prefix, const atomic_bool *stop,
                            struct rule_tally *tally);
};

/* Best first, the portable reference last; ends with NULL. */
extern const struct rows_kernel *const rows_kernels[];

/* The one with the name of a kernel, which the machine supports. */
const struct rows_kernel *rows_kernel_of(const struct kernel *kernel);

struct rows_board rows_board_of(uint32_t n, unsigned moves, const uint64_t *allow);

/* The prefix of a search's queens. */
struct rows_prefix rows_prefix_of(const struct rule_search *search);

/* About how many placements a kernel tries below a prefix: the mean of so many random descents, as kernel_walk(). */
double rows_walk(const struct rows_board *board, const struct rows_prefix *prefix, unsigned walks, uint64_t seed,
                 const atomic_bool *stop);

#endif
