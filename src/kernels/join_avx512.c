/* join_avx512.c - joining with 512 patterns to a block: AVX-512 with VPOPCNTDQ, that is Ice Lake and Zen 4 and later.
 * Compiled for it; nothing here may run before supported(). */
#include "kernels/join.h"

#ifdef __AVX512VPOPCNTDQ__
#include <immintrin.h>

extern const struct join join_avx2, join_avx512;

enum { LANES = 16, TALLY_ROOM = 1 << 20 };
typedef __m512i vec;

struct tally {
    vec counts; /* of 64 bits */
};

static inline vec v_load(const uint32_t *from)
{
    return _mm512_loadu_si512(from);
}

static inline vec v_set(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}

static inline vec v_and(vec a, vec b)
{
    return _mm512_and_si512(a, b);
}

static inline vec v_select(vec mask, vec a, vec b)
{
    return _mm512_ternarylogic_epi32(mask, a, b, 0xca);
}

static inline vec v_without(vec a, vec b)
{
    return _mm512_andnot_si512(b, a);
}

static inline vec v_left(vec a, int count)
{
    return _mm512_slli_epi32(a, (unsigned)count);
}

static inline vec v_right(vec a, int count)
{
    return _mm512_srli_epi32(a, (unsigned)count);
}

static inline void tally_add(struct tally *tally, vec bits)
{
    tally->counts = _mm512_add_epi64(tally->counts, _mm512_popcnt_epi64(bits));
}

static inline void tally_settle(struct tally *tally)
{
    (void)tally;
}

static inline uint64_t tally_sum(const struct tally *tally)
{
    return (uint64_t)_mm512_reduce_add_epi64(tally->counts);
}

#include "kernels/join_match.h"

/* The words of the longer list in the lanes, those of the shorter one after another. */
static size_t pairs(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, uint64_t *to)
{
    if (a_count > b_count)
        return pairs(b, b_count, a, a_count, to);
    uint64_t *end = to;
    for (size_t j = 0; j < b_count; j += 8) {
        const __mmask8 present = b_count - j < 8 ? (__mmask8)((1U << (b_count - j)) - 1) : 0xff;
        const __m512i right = _mm512_maskz_loadu_epi64(present, b + j);
        for (size_t i = 0; i < a_count; i++) {
            const __m512i left = _mm512_set1_epi64((long long)a[i]);
            const __mmask8 disjoint = _mm512_mask_testn_epi64_mask(present, left, right);
            _mm512_storeu_si512(end, _mm512_maskz_compress_epi64(disjoint, _mm512_or_si512(left, right)));
            end += __builtin_popcount(disjoint);
        }
    }
    return (size_t)(end - to);
}

/* ---- Sorting ---- */

/* Sorting bit by bit, the highest first: words that have the bit are packed onto a stack, the others where they are;
 * then each part by the next bit. By counting, words of the same class wait for each other's counter. Nanoseconds a
 * word for 1 to 6 bits on Zen 4, 5000 words: 0.5, 0.8, 1.0, 1.2, 1.4, 1.6; by counting: 2.4, 1.6, 1.5, 1.5, 1.4, 1.4.
 */
_Static_assert(JOIN_SPARE_BITS == 5, "no more is worth it");

struct sorting {
    const struct join_order *order;
    uint32_t next;
    uint32_t *first; /* of the next class */
};

static void end_class(struct sorting *sorting)
{
    *sorting->first++ = sorting->next;
}

/* Classes without words: those of all values of the bits below. */
static void skip_classes(struct sorting *sorting, uint32_t bits)
{
    for (uint32_t i = 0; i < UINT32_C(1) << bits; i++)
        end_class(sorting);
}

/* By the bits from `bit` - 1 down to the lowest. */
static void sort_short(struct sorting *sorting, uint32_t *word, size_t count, uint32_t bit, uint32_t *stack)
{
    const bool last = bit == sorting->order->lowest + 1;
    const __m512i mask = v_set(UINT32_C(1) << (bit - 1));
    if (!count) {
        skip_classes(sorting, bit - sorting->order->lowest);
        return;
    }
    uint32_t *const without = last ? sorting->order->to + sorting->next : word;
    const uint32_t last_lanes = (1U << count % 16) - 1;
    size_t zeros = 0, ones = 0;
    for (size_t i = 0; i < count; i += 16) {
        const __m512i words = _mm512_loadu_si512(word + i);
        const __mmask16 one = _mm512_test_epi32_mask(words, mask);
        const __m512i with = _mm512_maskz_compress_epi32(one, words);
        const __m512i others = _mm512_maskz_compress_epi32((__mmask16)~one, words);
        _mm512_storeu_si512(without + zeros, others);
        _mm512_storeu_si512(stack + ones, with);
        ones += (unsigned)__builtin_popcount(one & (count - i >= 16 ? 0xffff : last_lanes));
        zeros = i + 16 - ones;
    }
    zeros = count - ones;
    if (!last) {
        sort_short(sorting, word, zeros, bit - 1, stack + ones + JOIN_SORT_SLACK);
        sort_short(sorting, stack, ones, bit - 1, stack + ones + JOIN_SORT_SLACK);
        return;
    }
    end_class(sorting);
    sorting->next += (uint32_t)zeros;
    end_class(sorting);
    for (size_t i = 0; i < ones; i += 16)
        _mm512_storeu_si512(sorting->order->to + sorting->next + i, _mm512_loadu_si512(stack + i));
    sorting->next += (uint32_t)ones;
}

static void narrow(const uint64_t *word, size_t count, uint32_t *to)
{
    for (size_t i = 0; i < count; i += 8)
        _mm256_storeu_si256((__m256i *)(to + i), _mm512_cvtepi64_epi32(_mm512_loadu_si512(word + i)));
}

/* While there are bits in the upper half. */
static void sort_long(struct sorting *sorting, uint64_t *word, size_t count, uint32_t bit, uint64_t *stack)
{
    const uint32_t lowest = sorting->order->lowest;
    if (bit == lowest) {
        end_class(sorting);
        narrow(word, count, sorting->order->to + sorting->next);
        sorting->next += (uint32_t)count;
        return;
    }
    if (!count) {
        skip_classes(sorting, bit - lowest);
        return;
    }
    if (bit <= 32) {
        narrow(word, count, (uint32_t *)word);
        sort_short(sorting, (uint32_t *)word, count, bit, (uint32_t *)stack);
        return;
    }
    const __m512i mask = _mm512_set1_epi64((long long)(UINT64_C(1) << (bit - 1)));
    const uint32_t last_lanes = (1U << count % 8) - 1;
    size_t zeros = 0, ones = 0;
    for (size_t i = 0; i < count; i += 8) {
        const __m512i words = _mm512_loadu_si512(word + i);
        const __mmask8 one = _mm512_test_epi64_mask(words, mask);
        const __m512i with = _mm512_maskz_compress_epi64(one, words);
        const __m512i others = _mm512_maskz_compress_epi64((__mmask8)~one, words);
        _mm512_storeu_si512(word + zeros, others);
        _mm512_storeu_si512(stack + ones, with);
        ones += (unsigned)__builtin_popcount(one & (count - i >= 8 ? 0xff : last_lanes));
        zeros = i + 8 - ones;
    }
    zeros = count - ones;
    sort_long(sorting, word, zeros, bit - 1, stack + ones + JOIN_SORT_SLACK);
    sort_long(sorting, stack, ones, bit - 1, stack + ones + JOIN_SORT_SLACK);
}

static void sort(const struct join_order *order, uint64_t *word, size_t count)
{
    if (order->class_bits > JOIN_SPARE_BITS) {
        join_sort(order, word, count);
        return;
    }
    struct sorting sorting = {.order = order, .next = order->next, .first = order->first};
    const __m512i evens = v_set(0x55555555);
    for (size_t i = 0; order->mirrored && i < count; i += 8) {
        const __m512i words = _mm512_loadu_si512(word + i);
        _mm512_storeu_si512(word + i, _mm512_or_si512(_mm512_slli_epi64(_mm512_and_si512(words, evens), 1),
                                                      _mm512_and_si512(_mm512_srli_epi64(words, 1), evens)));
    }
    sort_long(&sorting, word, count, order->lowest + order->class_bits, order->spare);
    end_class(&sorting);
}

static bool supported(void)
{
    return __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("popcnt");
}

const struct join join_avx512 = {
    .name = "avx512",
    .supported = supported,
    .otherwise = &join_avx2,
    .block = PATTERNS,
    .block_cost = 120000,
    .table_cost = 36000,
    .item_cost = 0,
    .look_up_cost = 310,
    .pairs = pairs,
    .sort = sort,
    .match = match,
};
#endif
