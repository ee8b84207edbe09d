/* join_sort.h - sorting words bit by bit, written once: each instruction set that can pack a vector's words includes it
 * after defining how it splits them. It knows no instruction set.
 *
 * The highest bit first: words that have it are packed onto a stack, the others where they are; then each part by the
 * next bit. By counting, words of the same class wait for each other's counter. Nanoseconds a word for 1 to 6 bits with
 * AVX-512 on Zen 5, 8000 words: 0.2, 0.25, 0.3, 0.5, 0.6, 0.8; by counting, 7 bits: 1.1. With more than SPLIT_BITS it
 * is done by counting.
 *
 * To be defined before:
 * - SPLIT_BITS, at most JOIN_SPARE_BITS;
 * - LONG_LANES, SHORT_LANES, at most JOIN_SORT_SLACK: how many words of 64 and of 32 bits are split at once;
 * - uint32_t split_long(const uint64_t *from, uint32_t bit, uint64_t *without, uint64_t *with), which writes the words
 *   that have a bit, and those that do not, packed, and may write LONG_LANES of each; returns which have it, a bit
 * each; split_short() is the same for words of 32 bits;
 * - narrow_long(const uint64_t *from, uint32_t *to) writes the lower halves of LONG_LANES words, perhaps over them. */

_Static_assert((int)SPLIT_BITS <= (int)JOIN_SPARE_BITS, "the spare room");

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

/* Only the words that exist, of at most `lanes`. */
static ALWAYS_INLINE uint32_t present(uint32_t which, size_t left, uint32_t lanes)
{
    return left >= lanes ? which : which & ((UINT32_C(1) << left) - 1);
}

/* By the bits from `bit` - 1 down to the lowest. */
static void sort_short(struct sorting *sorting, uint32_t *word, size_t count, uint32_t bit, uint32_t *stack)
{
    const bool last = bit == sorting->order->lowest + 1;
    if (!count) {
        skip_classes(sorting, bit - sorting->order->lowest);
        return;
    }
    uint32_t *const without = last ? sorting->order->to + sorting->next : word;
    size_t zeros = 0, ones = 0;
    for (size_t i = 0; i < count; i += SHORT_LANES) {
        const uint32_t with = split_short(word + i, bit - 1, without + zeros, stack + ones);
        ones += (unsigned)__builtin_popcount(present(with, count - i, SHORT_LANES));
        zeros = i + SHORT_LANES - ones;
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
    for (size_t i = 0; i < ones; i += JOIN_SORT_SLACK)
        memcpy(sorting->order->to + sorting->next + i, stack + i, JOIN_SORT_SLACK * sizeof *stack);
    sorting->next += (uint32_t)ones;
}

static void narrow(const uint64_t *word, size_t count, uint32_t *to)
{
    for (size_t i = 0; i < count; i += LONG_LANES)
        narrow_long(word + i, to + i);
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
    size_t zeros = 0, ones = 0;
    for (size_t i = 0; i < count; i += LONG_LANES) {
        const uint32_t with = split_long(word + i, bit - 1, word + zeros, stack + ones);
        ones += (unsigned)__builtin_popcount(present(with, count - i, LONG_LANES));
        zeros = i + LONG_LANES - ones;
    }
    zeros = count - ones;
    sort_long(sorting, word, zeros, bit - 1, stack + ones + JOIN_SORT_SLACK);
    sort_long(sorting, stack, ones, bit - 1, stack + ones + JOIN_SORT_SLACK);
}

static void sort(const struct join_order *order, uint64_t *word, size_t count)
{
    if (order->class_bits > SPLIT_BITS) {
        join_sort(order, word, count);
        return;
    }
    struct sorting sorting = {.order = order, .next = order->next, .first = order->first};
    sort_long(&sorting, word, count, order->lowest + order->class_bits, order->spare);
    end_class(&sorting);
}
