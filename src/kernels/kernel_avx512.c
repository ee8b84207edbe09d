/* kernel_avx512.c - level buffers on sixteen lanes: AVX-512 packs survivors in a register, which is stored whole (the
 * form that packs into memory is slow on Zen 4 and 5). Compiled for AVX-512; nothing here may run before supported().
 */
#include "kernels/kernel.h"

#ifdef __AVX512F__
extern const struct kernel kernel_scalar;
#define kernel_otherwise kernel_scalar

enum { LANES = 16, ALIVE_ALL = 0xffff };
typedef uint32_t word;

#include "kernels/avx512.h"

typedef __mmask16 lane_set;

static inline vec v_set(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}

static inline vec v_less_one(vec a)
{
    return _mm512_sub_epi32(a, _mm512_set1_epi32(1));
}

static inline vec v_and_some(vec a, vec b)
{
    return _mm512_and_si512(a, _mm512_max_epu32(b, v_less_one(b))); /* zero less one is all ones */
}

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

static inline void v_pack(word *to, uint32_t lanes, vec a)
{
    /* One packing of lane numbers and four permutations: 4 % faster than four packings. */
    const vec places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const vec order = _mm512_maskz_compress_epi32((__mmask16)lanes, places);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi32(order, a));
}

static inline lane_set alive_where(lane_set lanes, vec a, vec b)
{
    return _mm512_mask_test_epi32_mask(lanes, a, b);
}

static inline lane_set alive_unless(lane_set lanes, vec a, vec b)
{
    return _mm512_mask_testn_epi32_mask(lanes, a, b);
}

static inline uint32_t alive_lanes(lane_set lanes)
{
    return lanes;
}

#include "kernels/levels.h"

static bool avx512_supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt");
}

extern const struct join join_avx512;
extern const struct finder finder_avx2;

const struct kernel kernel_avx512 = {
    .name = "avx512",
    .summary = "level buffers on sixteen lanes",
    .supported = avx512_supported,
    .count = count_levels,
    .join = &join_avx512,
    .finder = &finder_avx2,
};
#endif
