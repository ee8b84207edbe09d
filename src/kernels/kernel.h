/* kernel.h - the interface of a counting kernel: the innermost loop, one per instruction set. It knows masks and ties,
 * not where they come from nor what the counts are for. */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#include <nqueens.h>

#include "base/stop.h"
#include "rules/search.h"

enum { KERNEL_MAX_N = 32, KERNEL_MAX_TIES = 3 };

/* What is constant in a search: the board, the order of the rows to be filled, and for each of them where a queen may
 * stand and where it counts as a tie. The other rows hold queens already: the caller keeps their lines out of `allow`
 * and their columns in every prefix. */
struct kernel_board {
    uint32_t n;                   /* columns, at most KERNEL_MAX_N */
    uint32_t rows;                /* rows to be filled, at most n */
    uint32_t row[KERNEL_MAX_N];   /* row[k] is the one filled k-th; any order, none twice */
    uint32_t allow[KERNEL_MAX_N]; /* by k: bit c for column c */
    uint32_t tie[KERNEL_MAX_N];   /* by k */
};

/* A whole board, from the upper row down, with queens on allowed squares only: bit c of allow[row] for column c, NULL
 * for all of them. n <= KERNEL_MAX_N. */
static inline struct kernel_board kernel_board_of(uint32_t n, const uint64_t *allow)
{
    struct kernel_board board = {.n = n, .rows = n};
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t full = ~UINT32_C(0) >> (32 - n);
        board.row[row] = row;
        board.allow[row] = allow ? (uint32_t)allow[row] & full : full;
    }
    return board;
}

/* Where a search begins: the first `depth` rows of the board's order hold queens. Diagonals are sets of whole lines:
 * bit row + column of sums, bit column - row + n - 1 of differences. */
struct kernel_prefix {
    uint32_t depth;
    uint32_t ties;    /* how many of those queens stand on tie squares */
    uint32_t columns; /* taken, those of rows that are not to be filled included: n - rows + depth of them */
    uint64_t sums, differences;
};

/* The last rows are settled together: queens there do not count as placements tried. */
enum { KERNEL_SETTLED_ROWS = 2 };

/* The result: completions by how many queens stand on tie squares, and placements tried, which differ little from
 * kernel to kernel. Kernels add to it. */
struct kernel_tally {
    uint64_t solutions[KERNEL_MAX_TIES + 1];
    uint64_t nodes;
};

struct join;
struct finder;

struct kernel {
    const char *name;
    const char *summary;
    bool (*supported)(void); /* by the machine this runs on */
    /* Adds all completions of a prefix to the tally. NQ_OK, or NQ_CANCELLED within 100 ms of *stop (the tally is then
     * of no use). stop may be NULL. Solutions with more than KERNEL_MAX_TIES ties do not occur. */
    enum nq_status (*count)(const struct kernel_board *board, const struct kernel_prefix *prefix,
                            const atomic_bool *stop, struct kernel_tally *tally);
    const struct join *join;     /* see join_of() */
    const struct finder *finder; /* see finder_of() */
};

/* Best first, the portable reference last; ends with NULL. */
extern const struct kernel *const kernels[];

/* Returns the named kernel, or for "auto" the first supported one. NULL: no such kernel, or it is not supported. */
const struct kernel *kernel_find(const char *name);

/* ---- One step of the search ---- */

/* With so many rows left, or fewer, the columns are checked, too. Placements in millions and CPU seconds for n = 16
 * (scalar, AVX2, AVX-512 on Zen 4): at 5 79.0, 1.14, 0.076, 0.057; at 6 66.3, 0.99, 0.067, 0.051; at 7 62.4, 0.95,
 * 0.066, 0.051; at 8 61.7, 0.95, 0.070, 0.051; at 9 61.6, 0.97, 0.071, 0.050. */
enum { KERNEL_COVER_ROWS = 8 };

/* The squares of the k-th row that a prefix leaves free. */
static inline uint32_t kernel_free(const struct kernel_board *board, const struct kernel_prefix *prefix, uint32_t k)
{
    const uint32_t row = board->row[k];
    return board->allow[k] & ~(prefix->columns | (uint32_t)(prefix->sums >> row) |
                               (uint32_t)(prefix->differences >> (board->n - 1 - row)));
}

/* The prefix with one more queen, in the next row: `queen` is its column's bit. */
static inline struct kernel_prefix kernel_place(const struct kernel_board *board, const struct kernel_prefix *prefix,
                                                uint32_t queen)
{
    const uint32_t row = board->row[prefix->depth];
    return (struct kernel_prefix){
        .depth = prefix->depth + 1,
        .ties = prefix->ties + ((queen & board->tie[prefix->depth]) != 0),
        .columns = prefix->columns | queen,
        .sums = prefix->sums | (uint64_t)queen << row,
        .differences = prefix->differences | (uint64_t)queen << (board->n - 1 - row),
    };
}

/* Those of the next row's free squares that are worth trying; none if lookahead shows that the prefix cannot be
 * completed. Each of the two rows after the next must have a free square. With KERNEL_COVER_ROWS rows left, all rows
 * must, and every free column must have a free square in one of them: a column that only the next row can take is its
 * only choice. */
static inline uint32_t kernel_choices(const struct kernel_board *board, const struct kernel_prefix *prefix,
                                      uint32_t free)
{
    const uint32_t left = board->rows - prefix->depth;
    const uint32_t look = left <= KERNEL_COVER_ROWS ? left : 3;
    uint32_t reach = 0;
    for (uint32_t k = 1; k < look; k++) {
        const uint32_t later = kernel_free(board, prefix, prefix->depth + k);
        if (!later)
            return 0;
        reach |= later;
    }
    if (left > KERNEL_COVER_ROWS)
        return free;
    const uint32_t only = ~(prefix->columns | reach) & ~UINT32_C(0) >> (32 - board->n);
    if (only & (only - 1))
        return 0;
    return only ? free & only : free;
}

/* Whether a prefix with free squares in the next row may be completable: lookahead does not exclude it. */
static inline bool kernel_promising(const struct kernel_board *board, const struct kernel_prefix *prefix, uint32_t free)
{
    return kernel_choices(board, prefix, free) != 0;
}

/* ---- How large a search is ---- */

/* About how many placements the scalar kernel tries below a prefix: the mean of so many random descents, each of which
 * multiplies the numbers of children to choose from (Knuth, "Estimating the efficiency of backtrack programs", 1975).
 * Unbiased, and the same for the same arguments everywhere; less when *stop is set meanwhile (may be NULL). */
double kernel_walk(const struct kernel_board *board, const struct kernel_prefix *prefix, unsigned walks, uint64_t seed,
                   const atomic_bool *stop);

/* ---- Prefixes ---- */

/* Writes the state below columns[0..length). False: it is no placement on the board. */
bool prefixes_place(const struct kernel_board *board, const uint8_t *columns, uint32_t length,
                    struct kernel_prefix *prefix);

/* The prefix of a search's queens, which attack by lines: of sums and differences it has those that meet the rows
 * below. */
struct kernel_prefix kernel_prefix_of(const struct rule_search *search);

/* Whether the prefix of a search's queens may be completable on a whole board: lookahead does not exclude it. A prefix
 * that begins with an excluded one is excluded, too. */
bool kernel_promises(const struct kernel_board *board, const struct rule_search *search);

#endif
