/* construction_linear.c - queens at equal steps, wrapped round the board: the queen of row i, both counted from 1, is
 * in column (a i + b) mod n + 1. No two attack each other, even where lines wrap, just when a - 1, a and a + 1 have no
 * divisor in common with n; such an a exists just when neither 2 nor 3 divides n (G. Polya 1918, see J. Bell, B.
 * Stevens, A survey of known results and research areas for n-queens, 2009). */
#include <stdio.h>
#include <stdlib.h>

#include "base/divisor.h"
#include "constructions/construction.h"

struct plan {
    uint32_t n, multiplier, shift; /* both below n */
};

static enum nq_status linear_check(const struct construction_settings *settings, char why[static CONSTRUCTION_WHY_MAX])
{
    static const char *const names[] = {"multiplier - 1", "multiplier", "multiplier + 1"};
    const uint32_t n = settings->n;
    if (common_divisor(n, 6) != 1) {
        (void)snprintf(why, CONSTRUCTION_WHY_MAX,
                       "A linear solution needs an n that neither 2 nor 3 divides; %u is "
                       "divisible by %d.",
                       n, n % 2 ? 3 : 2);
        return NQ_NONE;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t number = settings->multiplier + i - 1, divisor = common_divisor(number % n, n);
        if (divisor == 1)
            continue;
        (void)snprintf(why, CONSTRUCTION_WHY_MAX, "%s = %u and n = %u have the common divisor %u.", names[i], number, n,
                       divisor);
        return NQ_NONE;
    }
    return NQ_OK;
}

static enum nq_status linear_open(const struct construction_settings *settings, void **out)
{
    struct plan *plan = malloc(sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    *plan = (struct plan){
        .n = settings->n, .multiplier = settings->multiplier % settings->n, .shift = settings->shift % settings->n};
    *out = plan;
    return NQ_OK;
}

static void linear_rows(const void *state, uint32_t first, uint32_t count, uint32_t *columns)
{
    const struct plan *plan = state;
    const uint32_t n = plan->n, step = plan->multiplier;
    uint32_t column = (uint32_t)((step * ((uint64_t)first + 1) + plan->shift) % n);
    for (uint32_t i = 0; i < count; i++) {
        columns[i] = column;
        column += step; /* both below n, which is far below 2^31 */
        column -= column >= n ? n : 0;
    }
}

const struct construction construction_linear = {
    .name = "linear",
    .summary = "(a i + b) mod n + 1, if neither 2 nor 3 divides n; toroidal",
    .complexity = "O(1) a row, O(1) memory",
    .source = "G. Polya (1918), after J. Bell, B. Stevens, A survey of known results and research areas for n-queens, "
              "Discrete Mathematics 309 (2009); a question to the reader in F. Romani, Ancora le Regine, with n = 1069",
    .year = 1918,
    .max_n = 1000000000,
    .takes = TAKES_MULTIPLIER,
    .check = linear_check,
    .open = linear_open,
    .rows = linear_rows,
    .close = free,
};
