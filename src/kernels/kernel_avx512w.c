/* kernel_avx512w.c - level buffers on thirty-two lanes of 16 bits, for boards of up to 16; larger ones go to the kernel
 * with lanes of 32. Compiled for AVX-512 with BW and VBMI2; nothing here may run before supported(). */
#include "kernels/kernel.h"

#ifdef __AVX512VBMI2__
extern const struct kernel kernel_avx512;
#define kernel_otherwise kernel_avx512
#define LANES_SHORT

#include "kernels/vectors/avx512_lanes.h"

static inline vec v_left(vec a, vec counts)
{
    return _mm512_sllv_epi16(a, counts);
}

static inline vec v_left_over(vec a, vec counts)
{
    return _mm512_shldv_epi16(_mm512_setzero_si512(), a, counts);
}

static inline vec v_right_both(vec low, vec high, vec counts)
{
    return _mm512_shrdv_epi16(low, high, counts);
}

static inline vec v_add_where(vec a, vec where, uint32_t x)
{
    return _mm512_mask_add_epi16(a, _mm512_test_epi16_mask(where, where), a, v_set(x));
}

static inline uint32_t v_equal(vec a, vec b)
{
    return _mm512_cmpeq_epi16_mask(a, b);
}

#include "kernels/levels.h"

extern const struct join join_avx512w;
extern const struct finder finder_avx512;

const struct kernel kernel_avx512w = {
    .name = "avx512w",
    .summary = "level buffers on thirty-two lanes up to n = 16, on sixteen above",
    .supported = lanes_supported,
    .count = count_levels,
    .join = &join_avx512w,
    .finder = &finder_avx512,
};
#endif
