/* find_avx512.c - the finder on sixteen lanes. Compiled for AVX-512 with CD; nothing here may run before supported().
 */
#include "kernels/find.h"

#ifdef __AVX512CD__
#include "kernels/vectors/avx512_lanes.h"

extern const struct finder finder_avx2;

static inline vec v_index(vec a)
{
    const vec most = v_set(31);
    return v_and(_mm512_sub_epi32(most, _mm512_lzcnt_epi32(a)), most);
}

static inline uint32_t lanes_count(uint32_t lanes)
{
    return (uint32_t)_mm_popcnt_u32(lanes);
}

static inline vec joined(__m256i high, __m256i low, unsigned shift)
{
    return v_or(_mm512_slli_epi64(_mm512_cvtepu32_epi64(high), shift), _mm512_cvtepu32_epi64(low));
}

static inline void v_join(uint64_t *to, vec high, vec low, unsigned shift)
{
    v_store(to, joined(_mm512_castsi512_si256(high), _mm512_castsi512_si256(low), shift));
    v_store(to + 8, joined(_mm512_extracti64x4_epi64(high, 1), _mm512_extracti64x4_epi64(low, 1), shift));
}

#include "kernels/find_levels.h"

static bool supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("popcnt");
}

const struct finder finder_avx512 = {
    .name = "avx512",
    .supported = supported,
    .otherwise = &finder_avx2,
    .workspace = sizeof(struct search),
    .find = find_levels,
};
#endif
