/* kernel_avx2.c - level buffers on eight lanes. AVX2 cannot pack: BMI2 turns the mask of survivors into the permutation
 * that does. Compiled for both; nothing here may run before supported(). */
#include "kernels/kernel.h"

#ifdef __AVX2__
#include <assert.h>
#include <immintrin.h>

extern const struct kernel kernel_scalar;

enum { LANES = 8, ALL_LANES = 0xff };
typedef __m256i vec;

static inline vec v_set(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}

static inline vec v_load(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

static inline vec v_and(vec a, vec b)
{
    return _mm256_and_si256(a, b);
}

static inline vec v_or3(vec a, vec b, vec c)
{
    return _mm256_or_si256(a, _mm256_or_si256(b, c));
}

static inline vec v_without(vec a, vec b)
{
    return _mm256_andnot_si256(b, a);
}

static inline vec v_minus_one(vec a)
{
    return _mm256_add_epi32(a, _mm256_set1_epi32(-1));
}

static inline vec v_left(vec a, unsigned k)
{
    return _mm256_slli_epi32(a, (int)k);
}

static inline vec v_right(vec a, unsigned k)
{
    return _mm256_srli_epi32(a, (int)k);
}

static inline uint32_t v_nonzero(vec a)
{
    const __m256i zero = _mm256_cmpeq_epi32(a, _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(zero)) & ALL_LANES;
}

/* A byte of ones for each lane that is set. */
static inline uint64_t bytes_of(uint32_t lanes)
{
    return _pdep_u64(lanes, UINT64_C(0x0101010101010101)) * 0xff;
}

static inline vec v_add_where(uint32_t lanes, vec a, uint32_t x)
{
    const __m256i where = _mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)bytes_of(lanes)));
    return _mm256_add_epi32(a, _mm256_and_si256(where, v_set(x)));
}

static inline void v_pack(uint32_t *to, uint32_t lanes, vec a)
{
    const uint64_t order = _pext_u64(UINT64_C(0x0706050403020100), bytes_of(lanes));
    const __m256i from = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(a, from));
}

#include "kernels/levels.h"

static bool avx2_supported(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

const struct kernel kernel_avx2 = {
    .name = "avx2",
    .summary = "level buffers on eight lanes",
    .supported = avx2_supported,
    .count = count_levels,
};
#endif
