/* prefixes.h - the beginnings of the solutions of a board: one after the other, in lexicographic order. It knows
 * neither what becomes of them nor how many solutions each has. */
#ifndef KERNELS_PREFIXES_H
#define KERNELS_PREFIXES_H

#include "kernels/kernel.h"

/* A walk over all prefixes of one length, those left out that lookahead sees to be dead. All its state is here. */
struct prefixes {
    const struct kernel_board *board; /* all n rows, from the upper one down */
    uint32_t length, row;             /* that is tried next; all above have queens */
    bool entered;                     /* just now: not yet told of */
    struct {
        struct kernel_prefix prefix; /* above this row */
        uint32_t untried;
    } level[KERNEL_MAX_N + 1];
    uint8_t columns[KERNEL_MAX_N];
};

/* Goes to before the first prefix of `length` rows, at most n. The board must outlive the walk. */
void prefixes_begin(struct prefixes *prefixes, const struct kernel_board *board, uint32_t length);

/* Goes to just after all prefixes that begin with columns[0..length), or, if that is longer than they are, to just
 * after the one it begins with. False, and nothing is changed, when it is no placement on the board. */
bool prefixes_seek(struct prefixes *prefixes, const uint8_t *columns, uint32_t length);

/* Writes the next one's columns and the state below it. False: there is none. Takes microseconds as long as the length
 * is at most half of n: so early hardly anything is dead. */
bool prefixes_next(struct prefixes *prefixes, uint8_t *columns, struct kernel_prefix *prefix);

/* Writes the state below columns[0..length); false when it is no placement on the board. */
bool prefixes_place(const struct kernel_board *board, const uint8_t *columns, uint32_t length,
                    struct kernel_prefix *prefix);

#endif
