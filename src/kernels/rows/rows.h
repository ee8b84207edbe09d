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

/* The member `rows` of each kernel. */
enum nq_status rows_avx512w(const struct rows_board *board, const struct rows_prefix *prefix, const atomic_bool *stop,
                            struct rule_tally *tally);
enum nq_status rows_avx512(const struct rows_board *board, const struct rows_prefix *prefix, const atomic_bool *stop,
                           struct rule_tally *tally);
enum nq_status rows_avx2(const struct rows_board *board, const struct rows_prefix *prefix, const atomic_bool *stop,
                         struct rule_tally *tally);
enum nq_status rows_scalar(const struct rows_board *board, const struct rows_prefix *prefix, const atomic_bool *stop,
                           struct rule_tally *tally);

struct rows_board rows_board_of(uint32_t n, unsigned moves, const uint64_t *allow);

/* The prefix of a search's queens. */
struct rows_prefix rows_prefix_of(const struct rule_search *search);

/* About how many placements a kernel tries below a prefix: the mean of so many random descents, as kernel_walk(). */
double rows_walk(const struct rows_board *board, const struct rows_prefix *prefix, unsigned walks, uint64_t seed,
                 const atomic_bool *stop);

#endif
