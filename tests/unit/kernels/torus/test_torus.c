/* test_torus.c - tests of src/kernels/torus: each instruction set that this machine has against the definition. */
/* CI builds: plain address */
#include "kernels/torus/torus.h"
#include "support/facts.h"

enum { WORDS = 37 }; /* not a multiple of any number of lanes */

static int sign(uint32_t word, uint32_t j)
{
    return word >> j & 1 ? -1 : 1;
}

/* Modulo 2^128, factor by factor. */
static nq_wide product(uint32_t n, uint32_t x, uint32_t y)
{
    nq_wide product = 1;
    for (uint32_t i = 0; i < n; i++) {
        int c = 0;
        for (uint32_t j = 0; j < n; j++)
            c += sign(x, (i + j) % n) * sign(y, j);
        product *= (nq_wide)c;
    }
    return product;
}

static void check(uint32_t n, uint32_t x, const uint32_t *y, size_t count)
{
    nq_wide expected = 0;
    for (size_t i = 0; i < count; i++)
        expected += product(n, x, y[i]);
    for (const struct torus_kernel *const *at = torus_kernels; *at; at++)
        if ((*at)->supported()) {
            const nq_wide sum = (*at)->sum(n, x, y, count);
            if (sum != expected)
                fail_msg("%s, n = %u, x = %u, %zu words", (*at)->name, n, x, count);
        }
}

TEST(test_words_at_random)
{
    uint64_t dice = 1;
    for (uint32_t n = 3; n <= TORUS_MAX_N; n += 2)
        for (int round = 0; round < 10; round++) {
            uint32_t y[WORDS];
            for (size_t i = 0; i < WORDS; i++)
                y[i] = (uint32_t)facts_word(&dice, n, 50);
            check(n, (uint32_t)facts_word(&dice, n, 50), y, WORDS - (size_t)round);
        }
}

/* The largest factors there are, of either sign: products beyond 2^128. */
TEST(test_rows_of_equal_signs)
{
    for (uint32_t n = 3; n <= TORUS_MAX_N; n += 2) {
        const uint32_t full = (UINT32_C(1) << n) - 1;
        uint32_t y[WORDS];
        for (size_t i = 0; i < WORDS; i++)
            y[i] = (i % 2 ? full : 0) ^ (i % 3 ? 0 : UINT32_C(1) << i % n);
        check(n, 0, y, WORDS);
        check(n, full, y, WORDS);
        check(n, full ^ 2, y, WORDS);
    }
}

TEST(test_the_best_kernel_is_the_first_that_is_supported)
{
    const struct torus_kernel *best = torus_kernel_best();
    assert_true(best->supported());
    for (const struct torus_kernel *const *at = torus_kernels; *at != best; at++)
        assert_false((*at)->supported());
}
