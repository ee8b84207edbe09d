/* test_join.c - tests of src/bench/join.c: an estimate from pieces of units, which only larger boards than any that
 * the tests of `nqueensd bench join` sample are split into. */
/* CI builds: address */
#include "bench/join.c"

#include <math.h>

#include "support/facts.h"

/* n = 14 has 365596 solutions. */
TEST(test_pieces)
{
    struct sample sample = {.n = 14, .count = 300, .threads = 3, .megabytes = 100, .split_weight = 2000};
    assert_true(sample_prepare(&sample) && sample_take(&sample));
    size_t beyond_the_first = 0;
    for (size_t i = 0; i < sample.count; i++) {
        const struct draw *draw = &sample.draw[i];
        assert_true(draw->status == NQ_OK && draw->seconds > 0);
        assert_true(draw->unit < sample.units && draw->weight <= method_weight(sample.plan, draw->unit));
        beyond_the_first += draw->piece > 0;
    }
    assert_true(beyond_the_first > sample.count / 2);
    const struct total total = sample_total(&sample, solutions_of);
    assert_true(fabs(total.value - 365596) < 5 * total.error && total.error < 36559);
    sample_end(&sample);
}
