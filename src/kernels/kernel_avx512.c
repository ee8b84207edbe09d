/* kernel_avx512.c - level buffers on sixteen lanes. Compiled for AVX-512; nothing here may run before supported(). */
#include "kernels/kernel.h"

#ifdef __AVX512F__
extern const struct kernel kernel_scalar;
#define kernel_otherwise kernel_scalar

#include "kernels/vectors/avx512_lanes.h"

static inline vec v_left(vec a, vec counts)
{
    return _mm512_sllv_epi32(a, counts);
}

static inline vec v_right(vec a, vec counts)
{
    return _mm512_srlv_epi32(a, counts);
}

static inline vec v_add_where(vec a, vec where, uint32_t x)
{
    return _mm512_mask_add_epi32(a, _mm512_test_epi32_mask(where, where), a, v_set(x));
}

static inline uint32_t v_equal(vec a, vec b)
{
    return _mm512_cmpeq_epi32_mask(a, b);
}

#include "kernels/levels.h"

extern const struct join join_avx512;
extern const struct finder finder_avx512;

const struct kernel kernel_avx512 = {
    .name = "avx512",
    .summary = "level buffers on sixteen lanes",
    .supported = lanes_supported,
    .count = count_levels,
    .join = &join_avx512,
    .finder = &finder_avx512,
};
#endif
