/* kernel_avx512.c - level buffers on sixteen lanes: AVX-512 packs survivors in a register, which is stored whole (the
 * form that packs into memory is slow on Zen 4 and 5). Compiled for AVX-512; nothing here may run before supported().
 */
#include "kernels/kernel.h"

#ifdef __AVX512F__
#include <assert.h>
#include <immintrin.h>

extern const struct kernel kernel_scalar;

enum { LANES = 16, ALL_LANES = 0xffff };
typedef __m512i vec;

static inline vec v_set(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}

static inline vec v_load(const uint32_t *from)
{
    return _mm512_loadu_si512(from);
}

static inline vec v_and(vec a, vec b)
{
    return _mm512_and_si512(a, b);
}

static inline vec v_or3(vec a, vec b, vec c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0xfe);
}

static inline vec v_without(vec a, vec b)
{
    return _mm512_andnot_si512(b, a);
}

static inline vec v_minus_one(vec a)
{
    return _mm512_sub_epi32(a, _mm512_set1_epi32(1));
}

static inline vec v_left(vec a, unsigned k)
{
    return _mm512_slli_epi32(a, k);
}

static inline vec v_right(vec a, unsigned k)
{
    return _mm512_srli_epi32(a, k);
}

static inline vec v_add_where(uint32_t lanes, vec a, uint32_t x)
{
    return _mm512_mask_add_epi32(a, (__mmask16)lanes, a, v_set(x));
}

static inline uint32_t v_nonzero(vec a)
{
    return _mm512_test_epi32_mask(a, a);
}

static inline void v_pack(uint32_t *to, uint32_t lanes, vec a)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)lanes, a));
}

#include "kernels/levels.h"

static bool avx512_supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt");
}

const struct kernel kernel_avx512 = {
    .name = "avx512",
    .summary = "level buffers on sixteen lanes",
    .supported = avx512_supported,
    .count = count_levels,
};
#endif
