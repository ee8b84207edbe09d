/* walk.h - an estimate of how large a search is. */
#ifndef KERNELS_WALK_H
#define KERNELS_WALK_H

#include "kernels/kernel.h"

/* About how many placements the scalar kernel tries below a prefix: the mean of so many random descents, each of which
 * multiplies the numbers of children to choose from (Knuth, "Estimating the efficiency of backtrack programs", 1975).
 * Unbiased, and the same for the same arguments everywhere; less when *stop is set meanwhile (may be NULL). */
double kernel_walk(const struct kernel_board *board, const struct kernel_prefix *prefix, unsigned walks, uint64_t seed,
                   const atomic_bool *stop);

#endif
