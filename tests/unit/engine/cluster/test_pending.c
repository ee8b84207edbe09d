/* test_pending.c - tests of src/engine/cluster/pending.c: beside a plain array that does the same.
 */
/* CI builds: address thread */
#include "engine/cluster/pending.h"

#include "support/facts.h"

enum { ROUNDS = 20000, NUMBERS = 300 };

TEST(test_as_an_array)
{
    struct pending pending = {.at = NULL};
    double weight[NUMBERS] = {0};
    uint64_t dice = 1;
    size_t unit;
    for (int round = 0; round < ROUNDS; round++) {
        double all = 0;
        size_t count = 0, last = 0;
        unit = facts_below(&dice, NUMBERS);
        const uint64_t act = facts_below(&dice, 9);
        if (act < 5) {
            const double one = 1 + (double)facts_below(&dice, 8);
            assert_true(pending_reserve(&pending, 1));
            pending_add(&pending, unit, one);
            weight[unit] = weight[unit] > 0 ? weight[unit] : one;
        } else if (act < 8) {
            assert_true(pending_remove(&pending, unit) == weight[unit]);
            weight[unit] = 0;
        } else if (pending_pop(&pending, &unit)) {
            assert_true(weight[unit] > 0);
            weight[unit] = 0;
            for (size_t above = unit; above < NUMBERS; above++)
                assert_true(weight[above] == 0);
        }
        for (unit = 0; unit < NUMBERS; unit++) {
            if (weight[unit] == 0)
                continue;
            assert_int_equal(pending.at[count].unit, unit);
            assert_true(pending.at[count++].weight == weight[unit]);
            all += weight[last = unit];
        }
        assert_int_equal(pending.count, count);
        assert_true(pending.weight == all);
    }
    pending_close(&pending);
    assert_int_equal(pending.count + pending.room, 0);
    assert_false(pending_pop(&pending, &unit));
    assert_true(pending_remove(&pending, 0) == 0);
}
