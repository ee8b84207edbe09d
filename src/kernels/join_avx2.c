/* join_avx2.c - joining with 256 patterns to a block. Compiled for AVX2, BMI2 and POPCNT; nothing here may run before
 * supported(). */
#include "kernels/join.h"

#ifdef __AVX2__
#include <string.h>

#include "kernels/vectors/avx2.h"

extern const struct join join_avx2;

/* Nanoseconds an item for 512 patterns and 28 bits, on Zen 3: two blocks at once 2.5, one after the other 3.2. A byte
 * has room for 31 times 8. */
enum { AT_ONCE = 2, TALLY_LANES = 4, TALLY_ROOM = 31 };

struct tally {
    vec bytes, counts; /* of 64 bits */
};

/* Bits are counted in a byte, half by half, by looking them up (Mula). */
static inline void tally_add(struct tally *tally, vec bits)
{
    const vec ones = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, /* again for the other half */
                                      0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const vec halves = _mm256_set1_epi8(0x0f);
    const vec low = _mm256_shuffle_epi8(ones, v_and(bits, halves));
    const vec high = _mm256_shuffle_epi8(ones, v_and(_mm256_srli_epi32(bits, 4), halves));
    tally->bytes = _mm256_add_epi8(tally->bytes, _mm256_add_epi8(low, high));
}

static inline void tally_settle(struct tally *tally)
{
    const vec none = _mm256_setzero_si256();
    tally->counts = _mm256_add_epi64(tally->counts, _mm256_sad_epu8(tally->bytes, none));
    tally->bytes = none;
}

static inline void tally_counts(const struct tally *tally, uint64_t *lane)
{
    v_store(lane, tally->counts);
}

#include "kernels/join_planes.h"

#include "kernels/join_match.h"

/* By the lanes that survive, their halves in order. */
#define HALVES(a, b, c, d) \
    { \
        2 * (a), 2 * (a) + 1, 2 * (b), 2 * (b) + 1, 2 * (c), 2 * (c) + 1, 2 * (d), 2 * (d) + 1 \
    }
static const uint32_t packed[16][8] = {
    HALVES(0, 0, 0, 0), HALVES(0, 0, 0, 0), HALVES(1, 0, 0, 0), HALVES(0, 1, 0, 0),
    HALVES(2, 0, 0, 0), HALVES(0, 2, 0, 0), HALVES(1, 2, 0, 0), HALVES(0, 1, 2, 0),
    HALVES(3, 0, 0, 0), HALVES(0, 3, 0, 0), HALVES(1, 3, 0, 0), HALVES(0, 1, 3, 0),
    HALVES(2, 3, 0, 0), HALVES(0, 2, 3, 0), HALVES(1, 2, 3, 0), HALVES(0, 1, 2, 3),
};

enum { WORDS = 4 };

/* The words of `b` in the lanes, those of `a` one after another. */
static ALWAYS_INLINE uint64_t *pairs_of(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                                        uint64_t *to, uint32_t vectors)
{
    const uint32_t last = vectors - 1;
    const __m256i number = _mm256_setr_epi64x(0, 1, 2, 3);
    const __m256i present = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)(b_count - (size_t)WORDS * last)), number);
    const unsigned of_last = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(present));
    __m256i right[JOIN_VECTORS];
    for (uint32_t v = 0; v < last; v++)
        right[v] = v_load(b + (size_t)WORDS * v);
    right[last] = _mm256_maskload_epi64((const long long *)b + (size_t)WORDS * last, present);
    for (size_t i = 0; i < a_count; i++) {
        const __m256i left = _mm256_set1_epi64x((long long)a[i]);
        for (uint32_t v = 0; v < vectors; v++) {
            const __m256i disjoint = _mm256_cmpeq_epi64(_mm256_and_si256(left, right[v]), _mm256_setzero_si256());
            const unsigned lanes =
                (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(disjoint)) & (v < last ? 15 : of_last);
            v_store(to, _mm256_permutevar8x32_epi32(_mm256_or_si256(left, right[v]), v_load(packed[lanes])));
            to += __builtin_popcount(lanes);
        }
    }
    return to;
}

#include "kernels/join_cells.h"

/* ---- Sorting ---- */

/* On Zen 3, 6 bits rather than 5 are 7 % of all at n = 18 and 5 % at 19, where most lists are sorted by 6; 7 bring
 * nothing. */
enum { LONG_LANES = 4, SHORT_LANES = 8, SPLIT_BITS = 6 };

static ALWAYS_INLINE __m256i pack_long(__m256i words, uint32_t lanes)
{
    return _mm256_permutevar8x32_epi32(words, v_load(packed[lanes]));
}

static ALWAYS_INLINE uint32_t split_long(const uint64_t *from, uint32_t bit, uint64_t *without, uint64_t *with)
{
    const __m256i words = v_load(from);
    const __m256i on_top = _mm256_sll_epi64(words, _mm_cvtsi32_si128((int)(63 - bit)));
    const uint32_t one = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(on_top));
    const __m256i ones = pack_long(words, one);
    v_store(without, pack_long(words, one ^ 0xf));
    v_store(with, ones);
    return one;
}

static ALWAYS_INLINE uint32_t split_short(const uint32_t *from, uint32_t bit, uint32_t *without, uint32_t *with)
{
    const __m256i words = v_load(from);
    const __m256i on_top = _mm256_sll_epi32(words, _mm_cvtsi32_si128((int)(31 - bit)));
    const uint32_t one = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(on_top));
    const __m256i ones = v_packed(words, one);
    v_store(without, v_packed(words, one ^ 0xff));
    v_store(with, ones);
    return one;
}

static ALWAYS_INLINE void narrow_long(const uint64_t *from, uint32_t *to)
{
    const __m256i lower = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const __m256i words = _mm256_permutevar8x32_epi32(v_load(from), lower);
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(words));
}

#include "kernels/join_sort.h"

const struct join join_avx2 = {
    .name = "avx2",
    .supported = avx2_supported,
    .otherwise = &join_scalar,
    .block = PATTERNS,
    .block_cost = 80000,
    .table_cost = 16000,
    .item_cost = 600,
    .look_up_cost = 160,
    .few_pairs = 25,
    .rank = rank,
    .arrange = join_arrange,
    .pairs = pairs,
    .sort = sort,
    .match = match,
};
#endif
