/* join_avx512.c - joining with 512 patterns to a block, with what Skylake-X has of AVX-512: F and BW. Compiled for it;
 * nothing here may run before supported(). */
#include "kernels/join.h"

#ifdef __AVX512BW__
#include <string.h>

#include "kernels/join_avx512.h"

extern const struct join join_avx2, join_avx512;

/* A byte has room for 31 times 8. */
enum { TALLY_LANES = 8, TALLY_ROOM = 31 };

struct tally {
    vec bytes, counts; /* of 64 bits */
};

static inline vec v_select(vec mask, vec a, vec b)
{
    return _mm512_ternarylogic_epi32(mask, a, b, 0xca);
}

static inline vec v_up(vec a, unsigned by)
{
    return _mm512_slli_epi32(a, by);
}

static inline vec v_down(vec a, unsigned by)
{
    return _mm512_srli_epi32(a, by);
}

/* Bits are counted in a byte, half by half, by looking them up (Mula). */
static inline void tally_add(struct tally *tally, vec bits)
{
    const vec ones = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const vec halves = _mm512_set1_epi8(0x0f);
    const vec low = _mm512_shuffle_epi8(ones, v_and(bits, halves));
    const vec high = _mm512_shuffle_epi8(ones, v_and(_mm512_srli_epi32(bits, 4), halves));
    tally->bytes = _mm512_add_epi8(tally->bytes, _mm512_add_epi8(low, high));
}

static inline void tally_settle(struct tally *tally)
{
    const vec none = _mm512_setzero_si512();
    tally->counts = _mm512_add_epi64(tally->counts, _mm512_sad_epu8(tally->bytes, none));
    tally->bytes = none;
}

static inline void tally_counts(const struct tally *tally, uint64_t *lane)
{
    v_store(lane, tally->counts);
}

#include "kernels/join_planes.h"

#include "kernels/join_match.h"

enum { WORDS = 8 };

/* The words of `b` in the lanes, those of `a` one after another. */
static ALWAYS_INLINE uint64_t *pairs_of(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                                        uint64_t *to, uint32_t vectors)
{
    const uint32_t last = vectors - 1;
    const __mmask8 present = (__mmask8)_bzhi_u32(0xff, (uint32_t)b_count - WORDS * last);
    __m512i right[JOIN_VECTORS];
    for (uint32_t v = 0; v < last; v++)
        right[v] = v_load(b + (size_t)WORDS * v);
    right[last] = _mm512_maskz_loadu_epi64(present, b + (size_t)WORDS * last);
    for (size_t i = 0; i < a_count; i++) {
        const __m512i left = _mm512_set1_epi64((long long)a[i]);
        for (uint32_t v = 0; v < vectors; v++) {
            const __mmask8 disjoint = v < last ? _mm512_testn_epi64_mask(left, right[v])
                                               : _mm512_mask_testn_epi64_mask(present, left, right[v]);
            v_store(to, _mm512_mask_compress_epi64(v_blank(), disjoint, _mm512_or_si512(left, right[v])));
            to += __builtin_popcount(disjoint);
        }
    }
    return to;
}

#include "kernels/join_cells.h"

size_t join_avx512_pairs(struct join_cells a, struct join_cells b, size_t cells, uint64_t **to, const uint64_t *limit)
{
    return pairs(a, b, cells, to, limit);
}

/* ---- Sorting ---- */

enum { LONG_LANES = 8, SHORT_LANES = 16, SPLIT_BITS = 6 };

static ALWAYS_INLINE uint32_t split_long(const uint64_t *from, uint32_t bit, uint64_t *without, uint64_t *with)
{
    const __m512i words = v_load(from);
    const __mmask8 one = _mm512_test_epi64_mask(words, _mm512_set1_epi64((long long)(UINT64_C(1) << bit)));
    const __m512i ones = _mm512_mask_compress_epi64(v_blank(), one, words);
    v_store(without, _mm512_mask_compress_epi64(v_blank(), (__mmask8)~one, words));
    v_store(with, ones);
    return one;
}

static ALWAYS_INLINE uint32_t split_short(const uint32_t *from, uint32_t bit, uint32_t *without, uint32_t *with)
{
    const __m512i words = v_load(from);
    const __mmask16 one = _mm512_test_epi32_mask(words, v_set(UINT32_C(1) << bit));
    const __m512i ones = _mm512_mask_compress_epi32(v_blank(), one, words);
    v_store(without, _mm512_mask_compress_epi32(v_blank(), (__mmask16)~one, words));
    v_store(with, ones);
    return one;
}

static ALWAYS_INLINE void narrow_long(const uint64_t *from, uint32_t *to)
{
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi64_epi32(v_load(from)));
}

#include "kernels/join_sort.h"

void join_avx512_sort(const struct join_order *order, uint64_t *word, size_t count)
{
    sort(order, word, count);
}

static bool supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("popcnt");
}

const struct join join_avx512 = {
    .name = "avx512",
    .supported = supported,
    .otherwise = &join_avx2,
    .block = PATTERNS,
    .block_cost = 120000,
    .table_cost = 36000,
    .item_cost = 1000,
    .look_up_cost = 310,
    .few_pairs = 25,
    .rank = rank,
    .arrange = join_arrange,
    .pairs = join_avx512_pairs,
    .sort = join_avx512_sort,
    .match = match,
};
#endif
