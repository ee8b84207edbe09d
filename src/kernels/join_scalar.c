/* join_scalar.c - joining in plain C, with 64 patterns to a block: the reference for all others, and the only one on
 * machines other than x86-64. */
#include "kernels/join.h"

#include <assert.h>
#include <string.h>

/* Two blocks at once are 4 % faster at n = 16 than one. */
enum { LANES = 2, AT_ONCE = 2, TALLY_LANES = 2, TALLY_ROOM = 1 << 20 };
typedef uint64_t vec;

#include "kernels/vectors/bitwise.h"

struct tally {
    uint64_t count[TALLY_LANES];
};

static inline vec v_load(const uint32_t *from)
{
    return from[0] | (uint64_t)from[1] << 32;
}

static inline void v_store(void *to, vec a)
{
    memcpy(to, &a, sizeof a);
}

static inline vec v_set(uint32_t x)
{
    return x | (uint64_t)x << 32;
}

static inline vec v_up(vec a, unsigned by)
{
    return a << by;
}

static inline vec v_down(vec a, unsigned by)
{
    return a >> by;
}

/* There is hardly ever a bit to be counted. */
static inline void tally_add(struct tally *tally, vec bits)
{
    for (; bits; bits &= bits - 1)
        tally->count[__builtin_ctzll(bits) / 32]++;
}

static inline void tally_settle(struct tally *tally)
{
    (void)tally;
}

static inline void tally_counts(const struct tally *tally, uint64_t *lane)
{
    memcpy(lane, tally->count, sizeof tally->count);
}

#include "kernels/join_planes.h"

#include "kernels/join_match.h"

enum { WORDS = 1 };

static ALWAYS_INLINE uint64_t *pairs_of(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                                        uint64_t *to, uint32_t vectors)
{
    (void)b_count;
    for (size_t i = 0; i < a_count; i++)
        for (uint32_t v = 0; v < vectors; v++) { /* whether they are disjoint cannot be predicted: no branch */
            *to = a[i] | b[v];
            to += (a[i] & b[v]) == 0;
        }
    return to;
}

#include "kernels/join_cells.h"

/* Byte by byte, by looking up where its bits go. */
static ALWAYS_INLINE void arrange_bytes(const struct join_bits *bits, uint64_t *word, size_t count, uint32_t bytes)
{
    uint64_t to[8][256], of_bit[64] = {0};
    for (uint32_t i = 0; i < bits->count; i++)
        of_bit[bits->from[i]] = UINT64_C(1) << i;
    for (uint32_t byte = 0; byte < bytes; byte++) {
        to[byte][0] = 0;
        for (uint32_t i = 0; i < 8; i++)
            for (uint32_t below = 0; below < 1U << i; below++)
                to[byte][below | 1U << i] = to[byte][below] | of_bit[8 * byte + i];
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t arranged = 0;
        for (uint32_t byte = 0; byte < bytes; byte++)
            arranged |= to[byte][word[i] >> 8 * byte & 0xff];
        word[i] = arranged;
    }
}

void join_arrange(const struct join_bits *bits, uint64_t *word, size_t count)
{
    assert(bits->count <= sizeof bits->from);
    uint32_t last = 0;
    for (uint32_t i = 0; i < bits->count; i++)
        last = bits->from[i] > last ? bits->from[i] : last;
    switch (last / 8) {
    case 0 ... 3: arrange_bytes(bits, word, count, 4); break;
    case 4: arrange_bytes(bits, word, count, 5); break;
    case 5: arrange_bytes(bits, word, count, 6); break;
    default: arrange_bytes(bits, word, count, 8); break;
    }
}

/* Words from STREAMS places are taken in turn: neighbours are often of one class, and would wait for each other's
 * counter (3 % of all at n = 20). */
enum { STREAMS = 4 };

/* The order is copied, so that it stays in registers while words are written. */
static inline uint32_t *of_class(struct join_order order, uint64_t word)
{
    return &order.first[word >> order.lowest & ((UINT32_C(1) << order.class_bits) - 1)];
}

static bool count_classes(const struct join_order order, const uint64_t *word, size_t count)
{
    const size_t each = count / STREAMS + 1;
    for (size_t i = 0; i < each;) {
        const size_t end = join_sort_pause(i, each);
        if (stop_wanted(order.stop))
            return false;
        for (; i < end; i++)
            for (size_t at = i; at < count; at += each)
                ++*of_class(order, word[at]);
    }
    return true;
}

static void move_to_classes(const struct join_order order, const uint64_t *word, size_t count)
{
    const size_t each = count / STREAMS + 1;
    for (size_t i = 0; i < each;) {
        const size_t end = join_sort_pause(i, each);
        if (stop_wanted(order.stop))
            return;
        for (; i < end; i++)
            for (size_t at = i; at < count; at += each)
                order.to[--*of_class(order, word[at])] = (uint32_t)word[at];
    }
}

/* By counting the words of each class. */
void join_sort(const struct join_order *order, uint64_t *word, size_t count)
{
    assert(order->lowest <= 32 && order->class_bits < 32);
    const uint32_t classes = UINT32_C(1) << order->class_bits;
    uint32_t *const first = order->first;
    uint32_t next = order->next;
    if (classes == 1) {
        for (size_t i = 0; i < count; i++)
            order->to[next + i] = (uint32_t)word[i];
        first[0] = next;
        first[1] = next + (uint32_t)count;
        return;
    }
    memset(first, 0, classes * sizeof *first);
    if (!count_classes(*order, word, count))
        return;
    for (uint32_t i = 0; i < classes; i++) /* where it ends */
        first[i] = next += first[i];
    first[classes] = next;
    move_to_classes(*order, word, count);
}

static bool supported(void)
{
    return true;
}

const struct join join_scalar = {
    .name = "scalar",
    .supported = supported,
    .block = PATTERNS,
    .block_cost = 100000,
    .table_cost = 18000,
    .item_cost = 400,
    .look_up_cost = 350,
    .few_pairs = 25,
    .rank = rank,
    .arrange = join_arrange,
    .pairs = pairs,
    .sort = join_sort,
    .match = match,
};
