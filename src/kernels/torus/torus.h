/* torus.h - the interface of the innermost loop that counts toroidal semiqueens: a sum of products of correlations of
 * two rows of signs. One per instruction set. It knows neither which rows are summed nor what for. */
#ifndef KERNELS_TORUS_TORUS_H
#define KERNELS_TORUS_TORUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/wide.h"

/* Up to 29 the sums that are meant stay below 2^128. */
enum { TORUS_MAX_N = 29 };

/* A row of n signs is a word: bit j is set where the j-th is -1. */

/* The word whose bit j is bit (j + by) mod n of x; by < n. */
static inline uint32_t torus_turn(uint32_t n, uint32_t x, uint32_t by)
{
    return (x >> by | x << (n - by)) & ((UINT32_C(1) << n) - 1);
}

struct torus_kernel {
    const char *name;
    bool (*supported)(void); /* by the machine this runs on */
    /* The sum, modulo 2^128, over `count` words y of the product over i < n of c(i), the sum over j of x_(i+j) y_j.
     * n is odd, from 3 to TORUS_MAX_N; count < 2^31. */
    nq_wide (*sum)(uint32_t n, uint32_t x, const uint32_t *y, size_t count);
};

/* Best first, the portable reference last; ends with NULL. */
extern const struct torus_kernel *const torus_kernels[];

/* The first that is supported. */
const struct torus_kernel *torus_kernel_best(void);

/* The one for what a kernel of the search needs, by the name of that: "avx512" for "avx512w"; the best if there is
 * none. */
const struct torus_kernel *torus_kernel_like(const char *name);

#endif
