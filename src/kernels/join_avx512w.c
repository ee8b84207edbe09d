/* join_avx512w.c - joining with 512 patterns to a block, with what Ice Lake and Zen 4 have beyond F and BW: VPOPCNTDQ
 * counts bits, VBMI permutes the bytes of a vector, GFNI transposes squares of 8 x 8 bits. Compiled for them; nothing
 * here may run before supported(). */
#include "kernels/join.h"

#ifdef __AVX512VPOPCNTDQ__
#include <string.h>

#include "kernels/join_avx512.h"

extern const struct join join_avx512, join_avx512w;

enum { TALLY_LANES = 8, TALLY_ROOM = 1 << 20 };

struct tally {
    vec counts; /* of 64 bits */
};

static inline void tally_add(struct tally *tally, vec bits)
{
    tally->counts = _mm512_add_epi64(tally->counts, _mm512_popcnt_epi64(bits));
}

static inline void tally_settle(struct tally *tally)
{
    (void)tally;
}

static inline void tally_counts(const struct tally *tally, uint64_t *lane)
{
    v_store(lane, tally->counts);
}

#include "kernels/join_block.h"

/* ---- Planes ----
 * The i-th bit of a plane is the i-th of the block's patterns. Where a bit of all the block's words is, is a number of
 * 14 bits, and to make planes is to permute these: in the beginning it is the pattern's number (9 bits) and the
 * bit's in the word (5), in the end the bit's and the pattern's. Every step below exchanges some of them for all words
 * at once. */

/* The bits of eight patterns and eight others: byte 32 h + 8 j + c has the c-th bit of the j-th byte of the h-th eight,
 * a bit for each. To multiply the unit matrix by eight bytes, taken as a matrix, transposes them; the last byte is the
 * first row. */
static ALWAYS_INLINE vec bits_of_sixteen(const uint32_t *eight, const uint32_t *others)
{
    enum { OF = 4 }; /* bytes a word */
#define EIGHT(h, j) \
    OF *(8 * (h) + 7) + (j), OF *(8 * (h) + 6) + (j), OF *(8 * (h) + 5) + (j), OF *(8 * (h) + 4) + (j), \
        OF *(8 * (h) + 3) + (j), OF *(8 * (h) + 2) + (j), OF *(8 * (h) + 1) + (j), OF *(8 * (h)) + (j)
    static const _Alignas(64) uint8_t order[64] = {EIGHT(0, 0), EIGHT(0, 1), EIGHT(0, 2), EIGHT(0, 3),
                                                   EIGHT(1, 0), EIGHT(1, 1), EIGHT(1, 2), EIGHT(1, 3)};
#undef EIGHT
    const vec unit = _mm512_set1_epi64((long long)UINT64_C(0x8040201008040201));
    const vec words = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)eight)),
                                         _mm256_loadu_si256((const __m256i *)others), 1);
    return _mm512_gf2p8affine_epi64_epi8(unit, _mm512_permutexvar_epi8(v_load(order), words), 0);
}

/* Of vectors in `groups` groups one after another: each two neighbours of a group are interleaved, element by element,
 * and give one vector for either half of their 128-bit lanes; the first halves of a group are a group now, and so are
 * the others. */
#define INTERLEAVE(name, unpack) \
    static ALWAYS_INLINE void name(const vec from[16], vec to[16], uint32_t groups) \
    { \
        const uint32_t of_a_half = 8 / groups; \
        for (uint32_t group = 0; group < groups; group++) \
            for (uint32_t i = 0; i < of_a_half; i++) { \
                const vec *two = from + 2 * (size_t)(group * of_a_half + i); \
                to[2 * group * of_a_half + i] = _mm512_unpacklo_##unpack(two[0], two[1]); \
                to[(2 * group + 1) * of_a_half + i] = _mm512_unpackhi_##unpack(two[0], two[1]); \
            } \
    }
INTERLEAVE(interleave_bytes, epi8)
INTERLEAVE(interleave_words, epi16)
INTERLEAVE(interleave_long, epi32)
INTERLEAVE(interleave_longest, epi64)

/* The bits of 256 patterns, of which 64 each are at from[...]: in half[8 j + c], lane 2 h + i of 128 bits has the c-th
 * bit of byte 2 i + j of the h-th 128 patterns. */
static ALWAYS_INLINE void half_planes(const uint32_t *const from[4], vec half[16])
{
    vec a[16], b[16];
    for (uint32_t i = 0; i < 16; i++)
        a[i] = bits_of_sixteen(from[i / 8] + (size_t)8 * (i % 8), from[2 + i / 8] + (size_t)8 * (i % 8));
    interleave_bytes(a, b, 1);
    interleave_words(b, a, 2);
    interleave_long(a, b, 4);
    interleave_longest(b, half, 8);
}

/* The first `count` bits. */
static ALWAYS_INLINE vec first_bits(uint32_t count)
{
    const vec before = _mm512_setr_epi32(0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480);
    const vec here = _mm512_max_epi32(_mm512_sub_epi32(v_set(count), before), _mm512_setzero_si512());
    return _mm512_andnot_si512(_mm512_sllv_epi32(v_set(~UINT32_C(0)), here), v_set(~UINT32_C(0)));
}

static ALWAYS_INLINE vec block_planes(const struct block *block, vec plane[32])
{
    const uint32_t *from[8];
    for (uint32_t lane = 0; lane < TALLY_LANES; lane++)
        from[lane] = lane < block->first_lanes ? block->pattern + (size_t)TALLY_PATTERNS * lane
                                               : block->second + (size_t)TALLY_PATTERNS * (lane - block->first_lanes);
    vec half[2][16];
    half_planes(from, half[0]);
    half_planes(from + 4, half[1]);
    for (uint32_t j = 0; j < 2; j++)
        for (uint32_t c = 0; c < 8; c++) {
            plane[8 * j + c] = _mm512_shuffle_i64x2(half[0][8 * j + c], half[1][8 * j + c], 0x88);
            plane[8 * (j + 2) + c] = _mm512_shuffle_i64x2(half[0][8 * j + c], half[1][8 * j + c], 0xdd);
        }
    const uint32_t border = TALLY_PATTERNS * block->first_lanes;
    return v_or(first_bits(block->firsts), v_without(first_bits(border + block->seconds), first_bits(border)));
}

#include "kernels/join_match.h"

static inline uint64_t shared(uint64_t items, uint64_t patterns, const uint64_t apart[64])
{
    const vec these = _mm512_set1_epi64((long long)patterns);
    vec pairs = _mm512_setzero_si512();
    for (uint32_t i = 0; i < 64; i += 8)
        pairs = _mm512_add_epi64(
            pairs, _mm512_popcnt_epi64(_mm512_maskz_and_epi64((__mmask8)(items >> i), v_load(apart + i), these)));
    return (uint64_t)_mm512_reduce_add_epi64(pairs);
}

static inline void part(uint64_t items, uint64_t patterns, uint64_t apart[64])
{
    const vec these = _mm512_set1_epi64((long long)patterns);
    for (uint32_t i = 0; i < 64; i += 8) {
        const vec before = v_load(apart + i);
        v_store(apart + i, _mm512_mask_andnot_epi64(before, (__mmask8)(items >> i), these, before));
    }
}

#include "kernels/join_rank.h"

/* ---- Bits in another order ----
 * Of each of eight words eight bits are picked at once, a byte for each word; eight times as many are a
 * square of 8 x 8 bytes, which is transposed. */

static ALWAYS_INLINE long long pick(vec words, const struct join_bits *bits, uint32_t byte)
{
    long long from;
    memcpy(&from, bits->from + (size_t)8 * byte, sizeof from);
    return (long long)_mm512_bitshuffle_epi64_mask(words, _mm512_set1_epi64(from));
}

static ALWAYS_INLINE void arrange_bytes(const struct join_bits *bits, uint64_t *word, size_t count, uint32_t bytes)
{
#define ROW(i) (i), 8 + (i), 16 + (i), 24 + (i), 32 + (i), 40 + (i), 48 + (i), 56 + (i)
    static const _Alignas(64) uint8_t order[64] = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7)};
#undef ROW
    const vec kept = _mm512_set1_epi64((long long)(bits->count ? ~UINT64_C(0) >> (64 - bits->count) : 0));
    for (size_t i = 0; i < count; i += 8) {
        const vec words = v_load(word + i);
        const vec square =
            _mm512_set_epi64(bytes > 7 ? pick(words, bits, 7) : 0, bytes > 6 ? pick(words, bits, 6) : 0,
                             bytes > 5 ? pick(words, bits, 5) : 0, bytes > 4 ? pick(words, bits, 4) : 0,
                             pick(words, bits, 3), pick(words, bits, 2), pick(words, bits, 1), pick(words, bits, 0));
        v_store(word + i, v_and(_mm512_permutexvar_epi8(v_load(order), square), kept));
    }
}

static void arrange(const struct join_bits *bits, uint64_t *word, size_t count)
{
    switch ((bits->count + 7) / 8) {
    case 0 ... 4: arrange_bytes(bits, word, count, 4); break;
    case 5: arrange_bytes(bits, word, count, 5); break;
    default: arrange_bytes(bits, word, count, 8); break;
    }
}

static bool supported(void)
{
    return join_avx512.supported() && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bitalg") &&
           __builtin_cpu_supports("gfni");
}

const struct join join_avx512w = {
    .name = "avx512w",
    .supported = supported,
    .otherwise = &join_avx512,
    .block = PATTERNS,
    .block_cost = 80000,
    .table_cost = 28000,
    .item_cost = 0,
    .look_up_cost = 310,
    .few_pairs = 22,
    .rank = rank,
    .arrange = arrange,
    .pairs = join_avx512_pairs,
    .sort = join_avx512_sort,
    .match = match,
};
#endif
