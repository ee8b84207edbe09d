/* test_asymptotic.c - tests of src/count/asymptotic.c. */
/* CI builds: address */
#include <math.h>

#include "count/asymptotic.h"
#include "support/facts.h"

TEST(test_asymptotic)
{
    const long double log_10 = logl(10);
    uint64_t dice = 9;
    for (int i = 0; i < 20000; i++) {
        const uint32_t n = i < 3000    ? (uint32_t)i + 1
                           : i == 3000 ? ASYMPTOTIC_MAX_N
                                       : 1 + facts_below(&dice, 1000000000U >> i % 24);
        const long double exact = (logl(2.53L) + lgammal(n + 1.0L) - 0.944001L * n) / log_10;
        assert_close(asymptotic_log10(n), (double)exact, 1e-13 * (double)fabsl(exact));
    }
}

TEST(test_asymptotic_fits)
{
    for (uint32_t n = 15; n <= 27; n++) {
        const double ratio = (double)facts_term("all", n) / pow(10, asymptotic_log10(n));
        assert_true(ratio > 0.97 && ratio < 1.013);
        assert_true(n < 20 || fabs(ratio - 1) < 0.011);
    }
}
