/* avx2.h - eight lanes of 32 bits: what counting, finding and joining have in common. Nothing but avx2_supported() may
 * run before that returned true. */
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

enum { LANES = 8 };
typedef __m256i vec;
typedef __m256i lane_set; /* lanes that are not zero */
#define ALIVE_ALL (_mm256_set1_epi32(-1))

#include "kernels/vectors/bitwise.h"

static inline bool avx2_supported(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static inline vec v_set(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}

static inline vec v_load(const void *from)
{
    return _mm256_loadu_si256(from);
}

static inline void v_store(void *to, vec a)
{
    _mm256_storeu_si256(to, a);
}

static inline vec v_up(vec a, unsigned by)
{
    return _mm256_slli_epi32(a, (int)by);
}

static inline vec v_down(vec a, unsigned by)
{
    return _mm256_srli_epi32(a, (int)by);
}

static inline vec v_less_one(vec a)
{
    return _mm256_add_epi32(a, _mm256_set1_epi32(-1));
}

static inline vec v_zero_lanes(vec a)
{
    return _mm256_cmpeq_epi32(a, _mm256_setzero_si256());
}

static inline vec v_and_some(vec a, vec b)
{
    return _mm256_and_si256(a, _mm256_or_si256(b, v_zero_lanes(b)));
}

static inline uint32_t lanes_of(vec a)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a));
}

/* AVX2 cannot pack: BMI2 turns the mask of lanes into the permutation that does. */
static inline vec v_packed(vec a, uint32_t lanes)
{
    const uint64_t bytes = _pdep_u64(lanes, UINT64_C(0x0101010101010101)) * 0xff;
    const uint64_t order = _pext_u64(UINT64_C(0x0706050403020100), bytes);
    return _mm256_permutevar8x32_epi32(a, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order)));
}

static inline void v_pack(void *to, uint32_t lanes, vec a)
{
    v_store(to, v_packed(a, lanes));
}

static inline lane_set alive_where(lane_set lanes, vec a, vec b)
{
    return _mm256_min_epu32(lanes, _mm256_and_si256(a, b));
}

static inline lane_set alive_unless(lane_set lanes, vec a, vec b)
{
    return _mm256_and_si256(lanes, v_zero_lanes(_mm256_and_si256(a, b)));
}

static inline uint32_t alive_lanes(lane_set lanes)
{
    return ~lanes_of(v_zero_lanes(lanes)) & 0xff;
}
