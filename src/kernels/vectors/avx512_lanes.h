/* avx512_lanes.h - sixteen lanes of 32 bits, or with LANES_SHORT thirty-two of 16: what counting and finding have in
 * common. AVX-512 packs survivors in a register, which is stored whole (the form that packs into memory is slow on Zen
 * 4 and 5). Nothing here but lanes_supported() may run before that returned true. */
#include <stdbool.h>
#include <stdint.h>

#include "kernels/vectors/avx512.h"

static inline bool lanes_supported(void)
{
#ifdef LANES_SHORT
    if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vbmi2"))
        return false;
#endif
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt");
}

#ifdef LANES_SHORT
enum { LANES = 32 };
typedef uint16_t word;

typedef __mmask32 lane_set;
#define ALIVE_ALL (~UINT32_C(0))

static inline vec v_set(uint32_t x)
{
    return _mm512_set1_epi16((short)x);
}

static inline vec v_up(vec a, unsigned by)
{
    return _mm512_slli_epi16(a, by);
}

static inline vec v_down(vec a, unsigned by)
{
    return _mm512_srli_epi16(a, by);
}

static inline vec v_less_one(vec a)
{
    return _mm512_sub_epi16(a, _mm512_set1_epi16(1));
}

static inline vec v_and_some(vec a, vec b)
{
    return _mm512_and_si512(a, _mm512_mask_mov_epi16(_mm512_set1_epi16(-1), _mm512_test_epi16_mask(b, b), b));
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

#else
enum { LANES = 16, ALIVE_ALL = 0xffff };
typedef uint32_t word;
typedef __mmask16 lane_set;

static inline vec v_set(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}

static inline vec v_up(vec a, unsigned by)
{
    return _mm512_slli_epi32(a, by);
}

static inline vec v_down(vec a, unsigned by)
{
    return _mm512_srli_epi32(a, by);
}

static inline vec v_less_one(vec a)
{
    return _mm512_sub_epi32(a, _mm512_set1_epi32(1));
}

static inline vec v_and_some(vec a, vec b)
{
    return _mm512_and_si512(a, _mm512_max_epu32(b, v_less_one(b))); /* zero less one is all ones */
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
#endif

static inline uint32_t alive_lanes(lane_set lanes)
{
    return lanes;
}
