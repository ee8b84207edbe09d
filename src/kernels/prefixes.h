/* prefixes.h - the prefixes of the solutions of a board, in lexicographic order. It does not know how many solutions
 * each has: some may have none. */
#ifndef KERNELS_PREFIXES_H
#define KERNELS_PREFIXES_H

#include "kernels/kernel.h"

/* A walk over all prefixes of one length but those that lookahead excludes. All its state is here. */
struct prefixes {
    const struct kernel_board *board; /* all n rows, from the upper one down */
    uint32_t length, row;             /* row is tried next; all above have queens */
    bool entered;                     /* the present prefix has not been returned */
    struct {
        struct kernel_prefix prefix; /* above this row */
        uint32_t untried;
    } level[KERNEL_MAX_N + 1];
    uint8_t columns[KERNEL_MAX_N];
};

/* Begins before the first prefix of `length` <= n rows. The board must outlive the walk. */
void prefixes_begin(struct prefixes *prefixes, const struct kernel_board *board, uint32_t length);

/* Moves to just after all prefixes that begin with columns[0..length), or, if that is longer than a prefix, just after
 * the prefix that it begins with. False, and nothing is changed: it is no placement on the board. */
bool prefixes_seek(struct prefixes *prefixes, const uint8_t *columns, uint32_t length);

/* Writes the columns of the next prefix and the state below it. False: there is none. Takes microseconds while the
 * length is at most half of n: few prefixes are dead so early. */
bool prefixes_next(struct prefixes *prefixes, uint8_t *columns, struct kernel_prefix *prefix);

/* Writes the state below columns[0..length). False: it is no placement on the board. */
bool prefixes_place(const struct kernel_board *board, const uint8_t *columns, uint32_t length,
                    struct kernel_prefix *prefix);

#endif
