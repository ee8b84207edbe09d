/* torus_avx512.c - sixteen words at a time. Compiled for AVX-512; nothing here may run before supported(). */
#include "kernels/torus/torus.h"

#ifdef __AVX512VPOPCNTDQ__
#include <immintrin.h>

typedef __m512i vec;
enum { LANES = 16 };

#define V1(name, intrinsic) \
    static inline vec name(vec a) \
    { \
        return intrinsic(a); \
    }
#define V2(name, intrinsic) \
    static inline vec name(vec a, vec b) \
    { \
        return intrinsic(a, b); \
    }
#define VSHIFT(name, intrinsic) \
    static inline vec name(vec a, unsigned by) \
    { \
        return intrinsic(a, by); \
    }
V1(v_count, _mm512_popcnt_epi32)
V2(v_xor, _mm512_xor_si512)
V2(v_add32, _mm512_add_epi32)
V2(v_add64, _mm512_add_epi64)
V2(v_sub16, _mm512_sub_epi16)
V2(v_sub64, _mm512_sub_epi64)
V2(v_mul16, _mm512_mullo_epi16)
V2(v_madd16, _mm512_madd_epi16)
V2(v_mul32, _mm512_mul_epi32)
VSHIFT(v_shl32, _mm512_slli_epi32)
VSHIFT(v_shr32, _mm512_srli_epi32)
VSHIFT(v_shr64, _mm512_srli_epi64)

static inline vec v_set32(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}

static inline vec v_set64(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

static inline vec v_load(const uint32_t *at)
{
    return _mm512_loadu_si512(at);
}

static inline uint64_t v_total64(vec a)
{
    return (uint64_t)_mm512_reduce_add_epi64(a);
}

#include "kernels/torus/torus_lanes.h"

static bool avx512_supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("popcnt");
}

extern const struct torus_kernel torus_avx512;
const struct torus_kernel torus_avx512 = {.name = "avx512", .supported = avx512_supported, .sum = sum_lanes};
#endif
