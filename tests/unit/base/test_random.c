/* test_random.c - tests of src/base/random.h. */
/* CI builds: address */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/facts.h"

/* The known answers that come with Random123. */
TEST(test_philox)
{
    static const struct {
        uint32_t counter[4], key[2], words[4];
    } known[] = {
        {{0}, {0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct random random = {0};
        memcpy(random.counter, known[i].counter, sizeof random.counter);
        memcpy(random.key, known[i].key, sizeof random.key);
        for (size_t word = 0; word < 4; word++)
            assert_int_equal(random_word(&random), known[i].words[word]);
    }
}

/* Where seed and stream go, and that a stream goes on after its first block, across a carry too. */
TEST(test_streams)
{
    struct random random = random_begin(UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210));
    assert_int_equal(random.key[0], 0x89abcdef);
    assert_int_equal(random.key[1], 0x01234567);
    assert_int_equal(random.counter[2], 0x76543210);
    assert_int_equal(random.counter[3], 0xfedcba98);
    uint32_t first[4];
    for (size_t word = 0; word < 4; word++)
        first[word] = random_word(&random);
    struct random second = random;
    random_block(&second);
    assert_memory_not_equal(first, second.words, sizeof first);
    random.counter[0] = UINT32_MAX;
    random_block(&random);
    assert_int_equal(random.counter[0], 0);
    assert_int_equal(random.counter[1], 1);
}

/* Chi-square against the uniform distribution; the seed is fixed, so that it passes always or never. */
TEST(test_below)
{
    static const uint32_t bounds[] = {1, 2, 3, 7, 40, 255, 1000};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const uint32_t bound = bounds[i], draws = 200 * bound;
        OWNED(free) uint32_t *seen = calloc(bound, sizeof *seen);
        assert_non_null(seen);
        struct random random = random_begin(7, bound);
        for (uint32_t draw = 0; draw < draws; draw++) {
            const uint32_t x = random_below(&random, bound);
            assert_true(x < bound);
            seen[x]++;
        }
        double chi = 0;
        for (uint32_t x = 0; x < bound; x++)
            chi += (seen[x] - 200.0) * (seen[x] - 200.0) / 200;
        assert_true(fabs(chi - (bound - 1.0)) <= 4 * sqrt(2.0 * (bound - 1.0)));
    }
    /* a bound that 2^32 is far from a multiple of: without drawing again the first third would come up half the time */
    struct random random = random_begin(7, 0);
    uint32_t low = 0;
    for (int draw = 0; draw < 30000; draw++)
        low += random_below(&random, UINT32_C(3) << 30) % 3 == 0;
    assert_true(abs((int)low - 10000) < 4 * 82);
}
