/* torus_scalar.c - the portable reference: pair after pair. */
#include "kernels/torus/torus.h"

#include <assert.h>

static bool always(void)
{
    return true;
}

/* As many factors as 64 bits hold, whatever they are: 29^12 < 2^59. */
enum { FACTORS = 12 };

static nq_wide sum_scalar(uint32_t n, uint32_t x, const uint32_t *y, size_t count)
{
    assert(n >= 3 && n <= TORUS_MAX_N && n % 2); /* beyond, a product would not fit into 128 bits */
    uint32_t turned[TORUS_MAX_N];
    for (uint32_t i = 0; i < n; i++)
        turned[i] = torus_turn(n, x, i);
    nq_wide sum = 0;
    for (size_t at = 0; at < count; at++) {
        nq_wide product = 1;
        for (uint32_t i = 0; i < n;) {
            int64_t part = 1;
            for (const uint32_t end = i + FACTORS < n ? i + FACTORS : n; i < end; i++)
                part *= (int32_t)n - 2 * __builtin_popcount(turned[i] ^ y[at]);
            product *= (nq_wide)part; /* modulo 2^128: negative ones, too */
        }
        sum += product;
    }
    return sum;
}

extern const struct torus_kernel torus_scalar;
const struct torus_kernel torus_scalar = {.name = "scalar", .supported = always, .sum = sum_scalar};
