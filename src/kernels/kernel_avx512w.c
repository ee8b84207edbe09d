/* kernel_avx512w.c - level buffers on thirty-two lanes of 16 bits, for boards of up to 16; larger ones go to the kernel
 * with lanes of 32. Compiled for AVX-512 with BW and VBMI2; nothing here may run before supported(). */
#include "kernels/kernel.h"

#ifdef __AVX512VBMI2__
extern const struct kernel kernel_avx512;
#define kernel_otherwise kernel_avx512
#define LEVELS_SHORT

enum { LANES = 32 };
typedef uint16_t word;

#include "kernels/avx512.h"

typedef __mmask32 lane_set;
#define ALIVE_ALL (~UINT32_C(0))

static inline vec v_set(uint32_t x)
{
    return _mm512_set1_epi16((short)x);
}

static inline vec v_less_one(vec a)
{
    return _mm512_sub_epi16(a, _mm512_set1_epi16(1));
}

static inline vec v_and_some(vec a, vec b)
{
    return _mm512_and_si512(a, _mm512_mask_mov_epi16(_mm512_set1_epi16(-1), _mm512_test_epi16_mask(b, b), b));
}

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

static inline void v_pack(word *to, uint32_t lanes, vec a)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(lanes, a));
}

static inline lane_set alive_where(lane_set lanes, vec a, vec b)
{
    return _mm512_mask_test_epi16_mask(lanes, a, b);
}

static inline lane_set alive_unless(lane_set lanes, vec a, vec b)
{
    return _mm512_mask_testn_epi16_mask(lanes, a, b);
}

static inline uint32_t alive_lanes(lane_set lanes)
{
    return lanes;
}

#include "kernels/levels.h"

static bool avx512w_supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("popcnt");
}

extern const struct join join_avx512w;
extern const struct finder finder_avx512;

const struct kernel kernel_avx512w = {
    .name = "avx512w",
    .summary = "level buffers on thirty-two lanes up to n = 16, on sixteen above",
    .supported = avx512w_supported,
    .count = count_levels,
    .join = &join_avx512w,
    .finder = &finder_avx512,
};
#endif
