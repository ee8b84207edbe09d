/* find.h - the interface of a finder: every completion of a prefix, with the columns of its queens, in no particular
 * order; the caller sorts them. It knows neither how a board is divided into prefixes nor who wants the solutions. */
#ifndef KERNELS_FIND_H
#define KERNELS_FIND_H

#include "kernels/kernel.h"

/* A path is what a completion adds to its prefix: the columns of the queens in the rows that were left, find_bits()
 * bits each, the last row's in the lowest bits. The paths of one prefix sort as their solutions do. */
static inline unsigned find_bits(uint32_t n)
{
    return n <= 16 ? 4 : 5;
}

/* At most so many rows may be left: 64 bits hold no more. */
static inline uint32_t find_rows(uint32_t n)
{
    return n <= 16 ? 16 : 12;
}

/* Solutions with a prefix in common: its columns, and a path for each of them, in order. */
struct run {
    uint32_t length; /* of the prefix */
    const uint8_t *columns;
    const uint64_t *paths;
    size_t count;
};

/* A finder writes whole vectors: so much of its room it may leave unused. */
enum { FIND_SLACK = 16 };

/* What was found, and where it goes. */
struct found {
    uint64_t *paths;
    size_t count, capacity; /* in paths; capacity > FIND_SLACK */
    uint64_t nodes;         /* placements tried, but for those in the last two rows; finders add to it */
};

struct finder {
    const char *name;
    bool (*supported)(void);        /* by the machine this runs on */
    const struct finder *otherwise; /* NULL: it is supported everywhere */
    size_t workspace;               /* bytes a call needs, aligned like malloc()'s */
    /* Writes the path of every completion of a prefix of the board to found->paths[0..count). The board must have all
     * n rows, from the upper one down, and the prefix leave at most find_rows(n) of them. NQ_OK, or NQ_LIMIT when
     * there are more than fit. Takes milliseconds at most: a prefix is the grain at which searches are stopped. Every
     * finder tries the same placements. */
    enum nq_status (*find)(const struct kernel_board *board, const struct kernel_prefix *prefix, void *workspace,
                           struct found *found);
};

extern const struct finder finder_scalar;

/* The best finder of a kernel that this machine supports, or the portable one. */
static inline const struct finder *finder_of(const struct kernel *kernel)
{
    const struct finder *finder = kernel->finder ? kernel->finder : &finder_scalar;
    while (!finder->supported())
        finder = finder->otherwise;
    return finder;
}

#endif
