/* test_join.c - tests of src/kernels/join*.c: each instruction set that this machine has against naive loops. */
/* CI builds: plain address */
#include <stdlib.h>
#include <string.h>

#include "kernels/join.h"
#include "support/facts.h"

static int ascending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The words of some cells, of which no cell has more than this, and the cells in any order. */
enum { CELLS = 9 };

struct side {
    uint64_t *word;
    uint32_t first[CELLS + 1];
    uint16_t cell[CELLS];
};

static void roll_side(struct side *side, uint64_t *dice, uint32_t most)
{
    side->first[0] = 0;
    for (uint32_t i = 0; i < CELLS; i++) {
        side->first[i + 1] = side->first[i] + facts_below(dice, most + 1);
        side->cell[i] = (uint16_t)facts_below(dice, CELLS);
    }
    side->word = malloc(side->first[CELLS] * sizeof *side->word + 1); /* to its end: no word more may be read */
    assert_non_null(side->word);
    for (uint32_t i = 0; i < side->first[CELLS]; i++)
        side->word[i] = facts_word(dice, 64, 9);
}

/* The ORs of all disjoint pairs of cell after cell, with no more room at once than the next cells need, or some. */
static void compare_pairs(const struct join *join, uint64_t *dice, uint32_t most_a, uint32_t most_b)
{
    struct side a, b;
    roll_side(&a, dice, most_a);
    roll_side(&b, dice, most_b);
    for (size_t joined = 0; joined < CELLS;) {
        const uint32_t *first = a.first + a.cell[joined], *other = b.first + b.cell[joined];
        const size_t room =
            (size_t)(first[1] - first[0]) * (other[1] - other[0]) + facts_below(dice, 2 * most_a * most_b + 1);
        uint64_t *to = malloc((room + JOIN_PAIRS_SLACK) * sizeof *to), *end = to;
        OWNED(free) uint64_t *expected = malloc(room * sizeof *expected + 1);
        assert_true(to && expected);
        const size_t more =
            join->pairs((struct join_cells){a.word, a.first, a.cell + joined},
                        (struct join_cells){b.word, b.first, b.cell + joined}, CELLS - joined, &end, to + room);
        assert_true(more >= 1 && more <= CELLS - joined && end <= to + room);
        size_t count = 0;
        for (const size_t last = joined + more; joined < last; joined++)
            for (uint32_t i = a.first[a.cell[joined]]; i < a.first[a.cell[joined] + 1]; i++)
                for (uint32_t j = b.first[b.cell[joined]]; j < b.first[b.cell[joined] + 1]; j++)
                    if ((a.word[i] & b.word[j]) == 0) {
                        assert_true(count < room);
                        expected[count++] = a.word[i] | b.word[j];
                    }
        assert_int_equal(end - to, count);
        qsort(to, count, sizeof *to, ascending);
        qsort(expected, count, sizeof *expected, ascending);
        assert_memory_equal(to, expected, count * sizeof *to);
        free(to);
    }
    free(a.word);
    free(b.word);
}

/* Every class of random words, of which this share of bits is set, is where it should be and has the words it should
 * have. Fills the rest of the order in. */
static void compare_sort(const struct join *join, uint64_t *dice, size_t count, struct join_order order,
                         uint32_t density)
{
    const uint32_t class_bits = order.class_bits, classes = UINT32_C(1) << class_bits, next = facts_below(dice, 50);
    const size_t room = count + JOIN_SORT_SLACK, spare_bits = class_bits <= JOIN_SPARE_BITS ? class_bits : 0;
    OWNED(free) uint64_t *word = malloc(room * sizeof *word), *expected = malloc(count * sizeof *expected + 1);
    OWNED(free) uint64_t *spare = malloc(spare_bits * room * sizeof *spare + 1);
    OWNED(free)
    uint32_t *to = malloc((next + count + JOIN_SORT_SLACK) * sizeof *to),
             *first = malloc((classes + 1) * sizeof *first);
    assert_true(word && expected && spare && to && first);
    for (size_t i = 0; i < count; i++) {
        word[i] = facts_word(dice, 64, density);
        expected[i] = (word[i] >> order.lowest & (classes - 1)) << 32 | (uint32_t)word[i];
    }
    qsort(expected, count, sizeof *expected, ascending);
    order.next = next;
    order.to = to;
    order.first = first;
    order.spare = spare;
    join->sort(&order, word, count);
    assert_int_equal(first[0], next);
    assert_int_equal(first[classes], next + count);
    for (uint32_t class = 0; class < classes; class ++) {
        OWNED(free) uint64_t *in_class = malloc(count * sizeof *in_class + 1);
        assert_non_null(in_class);
        assert_true(first[class] <= first[class + 1]);
        for (uint32_t i = first[class]; i < first[class + 1]; i++)
            in_class[i - first[class]] = (uint64_t) class << 32 | to[i];
        qsort(in_class, first[class + 1] - first[class], sizeof *in_class, ascending);
        for (uint32_t i = first[class]; i < first[class + 1]; i++)
            assert_int_equal(in_class[i - first[class]], expected[i - next]);
    }
}

/* Some of a word's bits in a random order, and none beyond them. */
static void compare_arrange(const struct join *join, uint64_t *dice, size_t count, uint32_t bits)
{
    struct join_bits order = {.count = bits};
    OWNED(free)
    uint64_t *word = calloc(count + JOIN_SORT_SLACK, sizeof *word), *expected = calloc(count + 1, sizeof *expected);
    assert_true(word && expected);
    for (uint32_t i = 0; i < 64; i++)
        order.from[i] = (uint8_t)i;
    for (uint32_t i = 63; i > 0; i--) {
        const uint32_t other = facts_below(dice, i + 1);
        const uint8_t from = order.from[i];
        order.from[i] = order.from[other];
        order.from[other] = from;
    }
    for (size_t i = 0; i < count; i++) {
        word[i] = facts_word(dice, 64, 50);
        for (uint32_t bit = 0; bit < bits; bit++)
            expected[i] |= (word[i] >> order.from[bit] & 1) << bit;
    }
    join->arrange(&order, word, count);
    assert_memory_equal(word, expected, count * sizeof *word);
}

/* Every bit that is ranked is shared by as many of the pairs that share none of those before as any other. */
static void compare_rank(const struct join *join, uint64_t *dice, size_t count, uint32_t ranks)
{
    struct join_sample sample = {.bits = facts_word(dice, 64, 70), .count = count};
    uint64_t before = 0;
    uint8_t ranked[64];
    for (size_t i = 0; i < count; i++) {
        sample.item[i] = facts_word(dice, 64, 25);
        sample.pattern[i] = facts_word(dice, 64, 25);
    }
    join->rank(&sample, ranks, ranked);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        size_t shared[64] = {0};
        for (size_t i = 0; i < count * count; i++) {
            const uint64_t both = sample.item[i / count] & sample.pattern[i % count];
            for (uint64_t rest = both & before ? 0 : both & sample.bits; rest; rest &= rest - 1)
                shared[__builtin_ctzll(rest)]++;
        }
        assert_true(sample.bits >> ranked[rank] & 1 && !(before >> ranked[rank] & 1));
        for (uint32_t bit = 0; bit < 64; bit++)
            assert_true(shared[bit] <= shared[ranked[rank]]);
        before |= UINT64_C(1) << ranked[rank];
    }
}

/* Random items in several ranges of both groups, and patterns of both; bits above those compared are disjoint. */
static void compare_match(const struct join *join, uint64_t *dice, uint32_t bits, size_t patterns, size_t firsts)
{
    enum { ITEMS = 200, RANGES = 5 };
    const uint64_t low = (UINT64_C(1) << bits) - 1;
    uint32_t item[ITEMS], *pattern = malloc((patterns + JOIN_MATCH_SLACK) * sizeof *pattern);
    struct join_range range[RANGES];
    uint64_t expected[2][2], found[2][2];
    assert_non_null(pattern);
    for (size_t i = 0; i < ITEMS; i++)
        item[i] = (uint32_t)(facts_word(dice, 32, 20) & (low | UINT64_C(0x55555555)));
    for (size_t i = 0; i < patterns; i++)
        pattern[i] = (uint32_t)(facts_word(dice, 32, 20) & (low | UINT64_C(0xaaaaaaaa)));
    memset(pattern + patterns, 0, JOIN_MATCH_SLACK * sizeof *pattern); /* they would go with every item */
    const struct join_task task = {.bits = bits,
                                   .patterns = patterns,
                                   .firsts = firsts,
                                   .pattern = pattern,
                                   .ranges = {facts_below(dice, RANGES + 1)},
                                   .range = range};
    struct join_task whole = task;
    whole.ranges[1] = RANGES - task.ranges[0];
    for (int i = 0; i < 4; i++)
        expected[i / 2][i % 2] = found[i / 2][i % 2] = (uint64_t)i; /* it is added to */
    for (size_t r = 0; r < RANGES; r++) {
        const uint32_t begin = facts_below(dice, ITEMS), end = begin + facts_below(dice, ITEMS - begin + 1);
        range[r] = (struct join_range){item + begin, item + end};
        for (const uint32_t *at = range[r].begin; at < range[r].end; at++)
            for (size_t i = 0; i < patterns; i++)
                expected[r >= task.ranges[0]][i >= firsts] += (*at & pattern[i] & low) == 0;
    }
    join->match(&whole, found);
    for (int i = 0; i < 4; i++)
        assert_int_equal(found[i / 2][i % 2], expected[i / 2][i % 2]);
    free(pattern);
}

/* Each instruction set that this machine has. */
TEST(test_routines)
{
    uint64_t dice = 1;
    for (const struct kernel *const *kernel = kernels; *kernel; kernel++) {
        const struct join *join = (*kernel)->join;
        if (!join->supported())
            continue;
        for (uint32_t a = 0; a < 20; a++)
            for (uint32_t b = a % 3; b < 20; b += 3)
                compare_pairs(join, &dice, a, b);
        for (int round = 0; round < 8; round++)
            compare_pairs(join, &dice, facts_below(&dice, 100), facts_below(&dice, 100));
        for (uint32_t class_bits = 0; class_bits <= 8; class_bits++)
            for (uint32_t lowest = 25; lowest <= 32; lowest += class_bits ? 1 : 7)
                for (size_t count = 0; count < 300; count = 3 * count / 2 + 1)
                    compare_sort(join, &dice, count, (struct join_order){.lowest = lowest, .class_bits = class_bits},
                                 10 + 40 * (count % 3));
        compare_sort(join, &dice, 3000, (struct join_order){.lowest = 30, .class_bits = 4}, 40);
        /* what takes most spare room */
        compare_sort(join, &dice, 3000, (struct join_order){.lowest = 30, .class_bits = JOIN_SPARE_BITS}, 100);
        compare_sort(join, &dice, 3000, (struct join_order){.lowest = 32, .class_bits = 11}, 40);
        for (uint32_t bits = 0; bits <= 64; bits++)
            for (size_t count = 0; count < 40; count += 13)
                compare_arrange(join, &dice, count, bits);
        for (uint32_t ranks = 0; ranks < 20; ranks += 6) {
            compare_rank(join, &dice, 64, ranks);
            compare_rank(join, &dice, JOIN_SAMPLED, ranks);
        }
        for (uint32_t bits = 0; bits <= 32; bits++)
            for (size_t patterns = 1; patterns < 1400; patterns += 1 + facts_below(&dice, 1200)) {
                compare_match(join, &dice, bits, patterns, patterns);
                compare_match(join, &dice, bits, patterns, 0);
                compare_match(join, &dice, bits, patterns, facts_below(&dice, (uint32_t)patterns));
            }
        for (size_t lane = 32; lane <= 64; lane += 32) /* the groups share a block: nearly, just, no longer, hardly */
            for (size_t firsts = join->block - lane - 1; firsts <= join->block - lane + 1; firsts++) {
                compare_match(join, &dice, 29, firsts + 1, firsts);
                compare_match(join, &dice, 29, firsts + lane, firsts);
                compare_match(join, &dice, 29, join->block + firsts + lane + 1, join->block + firsts);
            }
        compare_match(join, &dice, 29, join->block, 1);
        compare_match(join, &dice, 29, join->block + 1, 1);
        compare_match(join, &dice, 30, 1024, 512); /* the border of groups is one of blocks */
        compare_match(join, &dice, 30, 1024, 256); /* or, where two are tried at once, between these */
    }
}

/* ---- Stopping ---- */

/* Sets a stop flag when work looks at it for the `at`-th time. */
struct stopping {
    struct stop_aside aside;
    atomic_bool stop;
    unsigned looks, at;
};

static void look(struct stop_aside *aside)
{
    struct stopping *stopping = (struct stopping *)aside;
    if (++stopping->looks == stopping->at)
        atomic_store(&stopping->stop, true);
}

/* How many of many words are moved when the flag is set at the `at`-th look; and how often sort() looks. */
enum { WORDS = 1 << 19 };

static size_t moved(const struct join *join, unsigned at, unsigned *looks)
{
    enum { CLASS_BITS = 10, UNTOUCHED = 0 };
    OWNED(free) uint64_t *word = malloc((WORDS + JOIN_SORT_SLACK) * sizeof *word);
    OWNED(free)
    uint32_t *to = calloc(WORDS + JOIN_SORT_SLACK, sizeof *to),
             *first = malloc(((1 << CLASS_BITS) + 1) * sizeof *first);
    struct stopping stopping = {.aside = {.wanted = true, .step_aside = look}, .at = at};
    size_t count = 0;
    assert_true(word && to && first);
    for (size_t i = 0; i < WORDS; i++)
        word[i] = (uint64_t)i << 32 | 1; /* never 0 when it is kept */
    stop_aside = &stopping.aside;
    join->sort(
        &(struct join_order){.lowest = 32, .class_bits = CLASS_BITS, .to = to, .first = first, .stop = &stopping.stop},
        word, WORDS);
    stop_aside = NULL;
    for (size_t i = 0; i < WORDS; i++)
        count += to[i] != UNTOUCHED;
    *looks = stopping.looks;
    return count;
}

/* A sort of many words looks at the stop flag in each of its loops, and moves few words after it is set. */
TEST(test_sort_stops)
{
    enum { FEW = WORDS / 4 };
    for (const struct kernel *const *kernel = kernels; *kernel; kernel++) {
        const struct join *join = (*kernel)->join;
        if (!join->supported())
            continue;
        unsigned all, looks;
        assert_int_equal(moved(join, 0, &all), WORDS);
        assert_true(all >= 2 * WORDS / FEW);
        size_t before = 0;
        for (unsigned at = 1; at <= all; at++) {
            const size_t words = moved(join, at, &looks);
            assert_int_equal(looks, at); /* it looks no more */
            assert_true(words >= before && words - before <= FEW);
            before = words;
        }
        assert_true(before >= WORDS - FEW);
    }
}

/* Whatever a kernel names there is something the machine supports. */
TEST(test_join_of)
{
    for (const struct kernel *const *kernel = kernels; *kernel; kernel++) {
        const struct join *join = (*kernel)->join;
        while (join->otherwise)
            join = join->otherwise;
        assert_true(join->supported());
        assert_true(join_of(*kernel)->supported());
    }
}
