/* test_meeting.c - tests of src/count/methods/{meeting,quadrants}.c: halves against all pairs, and
 * quadrants against published numbers. */
/* CI builds: plain address */
#include <stdlib.h>

#include "count/methods/meeting.h"
#include "count/methods/quadrants.h"
#include "support/facts.h"
#include "support/sanitizer.h"

static void roll_halves(struct halves *halves, uint64_t *dice, uint32_t bits, size_t most)
{
    const uint64_t had = facts_word(dice, bits, 90); /* a side need not have all bits */
    *halves = (struct halves){.mirrored = facts_below(dice, 2)};
    for (int group = 0; group < 2; group++) {
        const size_t count = most > UINT16_MAX ? most >> group : facts_below(dice, (uint32_t)most);
        assert_true(halves_reserve(halves, group, count));
        for (size_t i = 0; i < count; i++)
            halves->any |= halves_begin(halves, group)[i] = facts_word(dice, bits, 8) & had;
        halves->count[group] = count;
    }
}

static void check_meeting(uint64_t *dice, uint32_t bits, size_t most_west, size_t most_east)
{
    ENDED_BY(meeting_close) struct meeting meeting = {.join = join_of(kernel_find("auto")), .bits = bits};
    struct halves west, east;
    uint64_t expected[2][2] = {{0}}, found[2][2] = {{0}};
    roll_halves(&west, dice, bits, most_west);
    roll_halves(&east, dice, bits, most_east);
    for (int i = 0; i < 4; i++)
        for (size_t a = 0; a < west.count[i / 2]; a++)
            for (size_t b = 0; b < east.count[i % 2]; b++) {
                const uint64_t one = halves_begin(&west, i / 2)[a], other = halves_begin(&east, i % 2)[b];
                expected[i / 2][i % 2] +=
                    ((west.mirrored ? join_mirror(one) : one) & (east.mirrored ? join_mirror(other) : other)) == 0;
            }
    assert_int_equal(meeting_count(&meeting, &west, &east, found), NQ_OK);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(meeting.outer > 0, most_east > UINT16_MAX);
    free(west.word);
    free(east.word);
}

/* Boards of all sizes up to n = 28, whose words have 54 bits, against all pairs. */
TEST(test_meeting)
{
    uint64_t dice = 7;
    for (uint32_t bits = 14; bits <= 54; bits += 5)
        check_meeting(&dice, bits, 200, 200);
}

/* So many pairs that a sample tells which bits are class bits: a small one and a large one. */
TEST(test_sampled)
{
    uint64_t dice = 9;
    check_meeting(&dice, 20, 5000, 5000);
    check_meeting(&dice, 52, 5000, 5000);
    if (!SANITIZED)
        check_meeting(&dice, 36, 20000, 14000);
}

/* More patterns than the caches hold, so that there are outer bits. */
TEST(test_many_patterns)
{
    uint64_t dice = 8;
    check_meeting(&dice, 50, 40, (1 << 20) + 1000);
}

/* What they stand for is sampled, and room for many is given back. */
TEST(test_halves)
{
    struct halves halves = {.mirrored = true, .count = {1}};
    uint64_t word;
    assert_true(halves_reserve(&halves, 0, 1 << 22));
    halves_begin(&halves, 0)[0] = 5;
    halves_sample(&halves, 1, &word);
    assert_int_equal(word, join_mirror(5));
    halves_free_many(&halves);
    assert_null(halves.word);
}

/* ---- Quadrants ---- */

/* The number of placements of a quadrant, that of ways to put any number of queens on a board of its size (OEIS
 * A287227), and that mirroring is what it says. */
TEST(test_quadrants)
{
    static const uint32_t placements[] = {[4] = 87, [5] = 462, [6] = 2635};
    for (uint32_t n = 8; n <= 13; n++) {
        struct quadrants quadrants;
        assert_int_equal(quadrants_open(&quadrants, n, 3, NULL), NQ_OK);
        assert_int_equal(quadrants_list(&quadrants, 3, NULL), NQ_OK);
        const struct quadrant_list *list = &quadrants.list[LOWER_WEST];
        uint64_t all = 0;
        for (uint32_t rows = 0; rows < quadrants.sets; rows++)
            all += quadrants.placements[rows];
        assert_int_equal(all, placements[quadrants.m]);
        for (uint64_t i = 0; i < all; i++) {
            const uint64_t word = list->word[i], rows = quadrants_mirror_rows(&quadrants, word);
            assert_int_equal(word >> quadrants.bits, 0);
            assert_int_equal(quadrants_mirror_rows(&quadrants, rows), word);
            assert_int_equal(__builtin_popcountll(rows), __builtin_popcountll(word));
            assert_int_equal(join_mirror(join_mirror(word)), word);
        }
        quadrants_close(&quadrants);
    }
}
