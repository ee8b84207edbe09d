/* find_avx2.c - the finder on eight lanes. Compiled for AVX2, BMI2 and POPCNT; nothing here may run before
 * supported(). */
#include "kernels/find.h"

#ifdef __AVX2__
#include <immintrin.h>

enum { LANES = 8 };
typedef uint32_t word;
typedef __m256i vec;
typedef __m256i lane_set; /* lanes that are not zero */
#define ALIVE_ALL (_mm256_set1_epi32(-1))

static inline vec v_set(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}

static inline vec v_load(const word *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

static inline void v_store(word *to, vec a)
{
    _mm256_storeu_si256((__m256i *)to, a);
}

static inline vec v_and(vec a, vec b)
{
    return _mm256_and_si256(a, b);
}

static inline vec v_or(vec a, vec b)
{
    return _mm256_or_si256(a, b);
}

static inline vec v_xor(vec a, vec b)
{
    return _mm256_xor_si256(a, b);
}

static inline vec v_less_one(vec a)
{
    return _mm256_add_epi32(a, _mm256_set1_epi32(-1));
}

static inline vec v_without(vec a, vec b)
{
    return _mm256_andnot_si256(b, a);
}

static inline vec v_allow(vec a, vec b, vec c)
{
    return _mm256_andnot_si256(_mm256_or_si256(b, c), a);
}

static inline vec v_zero_lanes(vec a)
{
    return _mm256_cmpeq_epi32(a, _mm256_setzero_si256());
}

static inline vec v_and_some(vec a, vec b)
{
    return _mm256_and_si256(a, _mm256_or_si256(b, v_zero_lanes(b)));
}

static inline vec v_up(vec a, unsigned by)
{
    return _mm256_slli_epi32(a, (int)by);
}

static inline vec v_down(vec a, unsigned by)
{
    return _mm256_srli_epi32(a, (int)by);
}

/* The exponent of the number as a float is 127 more, which is one less modulo 32; bit 31 adds a sign beyond it. */
static inline vec v_index(vec a)
{
    const vec exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(a)), 23);
    return _mm256_and_si256(_mm256_add_epi32(exponent, _mm256_set1_epi32(1)), _mm256_set1_epi32(31));
}

static inline uint32_t lanes_count(uint32_t lanes)
{
    return (uint32_t)_mm_popcnt_u32(lanes);
}

static inline void v_pack(word *to, uint32_t lanes, vec a)
{
    const uint64_t bytes = _pdep_u64(lanes, UINT64_C(0x0101010101010101)) * 0xff;
    const uint64_t order = _pext_u64(UINT64_C(0x0706050403020100), bytes);
    const __m256i from = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(a, from));
}

static inline __m256i joined(__m128i high, __m128i low, unsigned shift)
{
    return _mm256_or_si256(_mm256_slli_epi64(_mm256_cvtepu32_epi64(high), (int)shift), _mm256_cvtepu32_epi64(low));
}

static inline void v_join(uint64_t *to, vec high, vec low, unsigned shift)
{
    const __m256i first = joined(_mm256_castsi256_si128(high), _mm256_castsi256_si128(low), shift);
    const __m256i second = joined(_mm256_extracti128_si256(high, 1), _mm256_extracti128_si256(low, 1), shift);
    _mm256_storeu_si256((__m256i *)to, first);
    _mm256_storeu_si256((__m256i *)(to + 4), second);
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
    return ~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v_zero_lanes(lanes))) & 0xff;
}

#include "kernels/find_levels.h"

static bool avx2_supported(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

const struct finder finder_avx2 = {
    .name = "avx2",
    .supported = avx2_supported,
    .otherwise = &finder_scalar,
    .workspace = sizeof(struct search),
    .find = find_levels,
};
#endif
