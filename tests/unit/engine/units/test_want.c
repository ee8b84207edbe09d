/* test_want.c - tests of src/engine/units/want.c: what is put off comes again, after pauses that grow, for a minute. */
/* CI builds: address */
#include "engine/units/want.h"

#include "base/clock.h"
#include "support/facts.h"

TEST(test_pauses_grow)
{
    static const unsigned expected[] = {10, 20, 40, 80, 160, 320, 640, 1000, 1000};
    ENDED_BY(want_close) struct want want = {.count = 0};
    assert_true(want_open(&want, 1));
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
            size_t item = 0;
            assert_false(want_pauses(&want) && i == 0);
            const uint64_t before = clock_now();
            assert_int_equal(want_begin(&want, 7 + i, i % 2), NQ_AGAIN);
            const uint64_t after = clock_now();
            assert_true(want.until >= before + expected[i] * CLOCK_MILLISECOND);
            assert_true(want.until <= after + expected[i] * CLOCK_MILLISECOND);
            assert_true(want_pauses(&want) || clock_now() >= want.until);
            assert_false(want_take(&want, i % 2 == 0, &item));
            assert_true(want_take(&want, i % 2, &item));
            assert_int_equal(item, 7 + i);
            assert_false(want_take(&want, i % 2, &item));
        }
        want_over(&want);
        assert_false(want_pauses(&want));
    }
}

TEST(test_a_minute_is_enough)
{
    ENDED_BY(want_close) struct want want = {.count = 0};
    assert_true(want_open(&want, 3));
    assert_int_equal(want_begin(&want, 1, false), NQ_AGAIN);
    want.since -= 59 * CLOCK_SECOND;
    assert_int_equal(want_begin(&want, 2, false), NQ_AGAIN);
    want.since -= CLOCK_SECOND;
    want.since--;
    assert_int_equal(want_begin(&want, 3, false), NQ_NOMEM);
    assert_int_equal(want.count, 2);
    want_over(&want);
    assert_int_equal(want_begin(&want, 3, false), NQ_AGAIN); /* another want */
}
