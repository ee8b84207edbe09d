/* find_avx2.c - the finder on eight lanes. Compiled for AVX2, BMI2 and POPCNT; nothing here may run before
 * supported(). */
#include "kernels/find.h"

#ifdef __AVX2__
#include "kernels/vectors/avx2.h"

typedef uint32_t word;

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

#include "kernels/find_levels.h"

const struct finder finder_avx2 = {
    .name = "avx2",
    .supported = avx2_supported,
    .otherwise = &finder_scalar,
    .workspace = sizeof(struct search),
    .find = find_levels,
};
#endif
