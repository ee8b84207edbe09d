/* torus_avx2.c - eight words at a time. Compiled for AVX2, BMI2 and POPCNT; nothing here may run before supported(). */
#include "kernels/torus/torus.h"

#ifdef __AVX2__
#include "kernels/vectors/avx2.h"

#define V2(name, intrinsic) \
    static inline vec name(vec a, vec b) \
    { \
        return intrinsic(a, b); \
    }
V2(v_add32, _mm256_add_epi32)
V2(v_add64, _mm256_add_epi64)
V2(v_sub16, _mm256_sub_epi16)
V2(v_sub64, _mm256_sub_epi64)
V2(v_mul16, _mm256_mullo_epi16)
V2(v_madd16, _mm256_madd_epi16)
V2(v_mul32, _mm256_mul_epi32)

static inline vec v_shr64(vec a, int by)
{
    return _mm256_srli_epi64(a, by);
}

static inline vec v_set64(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

/* AVX2 has no population count: two table look-ups a byte, then the four bytes of a lane. */
static inline vec v_count(vec a)
{
    const vec of = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3,
                                    2, 3, 3, 4);
    const vec nibble = _mm256_set1_epi8(15);
    const vec bytes = _mm256_add_epi8(_mm256_shuffle_epi8(of, _mm256_and_si256(a, nibble)),
                                      _mm256_shuffle_epi8(of, _mm256_and_si256(_mm256_srli_epi32(a, 4), nibble)));
    return _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
}

static inline uint64_t v_total64(vec a)
{
    uint64_t lanes[4];
    _mm256_storeu_si256((__m256i *)lanes, a);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

#include "kernels/torus/torus_lanes.h"

extern const struct torus_kernel torus_avx2;
const struct torus_kernel torus_avx2 = {.name = "avx2", .supported = avx2_supported, .sum = sum_lanes};
#endif
