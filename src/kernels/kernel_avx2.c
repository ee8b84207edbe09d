/* kernel_avx2.c - level buffers on eight lanes. Compiled for AVX2, BMI2 and POPCNT; nothing here may run before
 * supported(). */
#include "kernels/kernel.h"

#ifdef __AVX2__
extern const struct kernel kernel_scalar;
#define kernel_otherwise kernel_scalar

#include "kernels/vectors/avx2.h"

typedef uint32_t word;

static inline vec v_left(vec a, vec counts)
{
    return _mm256_sllv_epi32(a, counts);
}

static inline vec v_right(vec a, vec counts)
{
    return _mm256_srlv_epi32(a, counts);
}

static inline vec v_add_where(vec a, vec where, uint32_t x)
{
    return _mm256_add_epi32(a, _mm256_andnot_si256(v_zero_lanes(where), v_set(x)));
}

static inline uint32_t v_equal(vec a, vec b)
{
    return lanes_of(_mm256_cmpeq_epi32(a, b));
}

#include "kernels/levels.h"

extern const struct join join_avx2;
extern const struct finder finder_avx2;

const struct kernel kernel_avx2 = {
    .name = "avx2",
    .summary = "level buffers on eight lanes",
    .supported = avx2_supported,
    .count = count_levels,
    .join = &join_avx2,
    .finder = &finder_avx2,
};
#endif
