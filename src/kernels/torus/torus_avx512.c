/* torus_avx512.c - sixteen words at a time. Compiled for AVX-512; nothing here may run before supported(). */
#include "kernels/torus/torus.h"

#ifdef __AVX512VPOPCNTDQ__
#include "kernels/vectors/avx512_lanes.h"

#define V2(name, intrinsic) \
    static inline vec name(vec a, vec b) \
    { \
        return intrinsic(a, b); \
    }
V2(v_add32, _mm512_add_epi32)
V2(v_add64, _mm512_add_epi64)
V2(v_sub16, _mm512_sub_epi16)
V2(v_sub64, _mm512_sub_epi64)
V2(v_mul16, _mm512_mullo_epi16)
V2(v_madd16, _mm512_madd_epi16)
V2(v_mul32, _mm512_mul_epi32)

static inline vec v_shr64(vec a, unsigned by)
{
    return _mm512_srli_epi64(a, by);
}

static inline vec v_count(vec a)
{
    return _mm512_popcnt_epi32(a);
}

static inline vec v_set64(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

static inline uint64_t v_total64(vec a)
{
    return (uint64_t)_mm512_reduce_add_epi64(a);
}

#include "kernels/torus/torus_lanes.h"

static bool avx512_supported(void)
{
    return lanes_supported() && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vpopcntdq");
}

extern const struct torus_kernel torus_avx512;
const struct torus_kernel torus_avx512 = {.name = "avx512", .supported = avx512_supported, .sum = sum_lanes};
#endif
