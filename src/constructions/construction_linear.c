/* construction_linear.c - queens at equal steps, wrapped round the board: the queen of row i, both counted from 1, is
 * in column (a i + b) mod n + 1. No two attack each other, even where lines wrap, just when a - 1, a and a + 1 have no
 * divisor in common with n; such an a exists just when neither 2 nor 3 divides n (G. Polya 1918, see J. Bell, B.
 * Stevens, A survey of known results and research areas for n-queens, 2009).
 *
 * By other rules: semiqueens do not attack along antidiagonals, so that a + 1 may have a divisor in common with n, and
 * n only has to be odd. Superqueens stand a knight's move apart where a is 2 or -2 modulo n, or 2 a is 1 or -1. Rooks
 * only need an a without a divisor in common with n; queens that must not touch, one that is neither 1 nor -1 modulo n,
 * too. */
#include <stdio.h>
#include <stdlib.h>

#include "constructions/construction.h"
#include "rules/divisor.h"

struct plan {
    uint32_t n, multiplier, shift; /* both below n */
};

extern const struct rule rule_toroidal, rule_superqueens, rule_semiqueens, rule_toroidal_semiqueens;

static const struct rule *const rules_of_linear[] = {&rule_toroidal, &rule_superqueens, &rule_semiqueens,
                                                     &rule_toroidal_semiqueens, NULL};

static bool has(const struct construction_settings *settings, unsigned move)
{
    return settings->rule->moves & move;
}

/* The least that suits every n that has one: n >= 11 of superqueens; every n of rooks. */
static uint32_t multiplier_of(const struct construction_settings *settings)
{
    if (settings->multiplier)
        return settings->multiplier;
    if (!settings->rule->moves)
        return 1;
    return has(settings, MOVE_KNIGHT) ? 3 : CONSTRUCTION_MULTIPLIER;
}

static bool knights(uint32_t n, uint32_t multiplier)
{
    const uint32_t one = multiplier % n, two = (uint32_t)((uint64_t)2 * one % n);
    return one == 2 || one == n - 2 || two == 1 || two == n - 1;
}

static enum nq_status linear_check(const struct construction_settings *settings, char why[static CONSTRUCTION_WHY_MAX])
{
    static const char *const names[] = {"multiplier - 1", "multiplier", "multiplier + 1"};
    const uint32_t n = settings->n, multiplier = multiplier_of(settings);
    const bool right = has(settings, MOVE_RIGHT), left = has(settings, MOVE_LEFT), semi = !left;
    if (right && common_divisor(n, semi ? 2 : 6) != 1) {
        (void)snprintf(why, CONSTRUCTION_WHY_MAX, "A linear solution needs an n that %s; %u is divisible by %d.",
                       semi ? "2 does not divide" : "neither 2 nor 3 divides", n, n % 2 ? 3 : 2);
        return NQ_NONE;
    }
    for (uint32_t i = right ? 0 : 1; i < (left ? 3 : 2); i++) {
        const uint32_t number = multiplier + i - 1, divisor = common_divisor(number % n, n);
        if (divisor == 1)
            continue;
        (void)snprintf(why, CONSTRUCTION_WHY_MAX, "%s = %u and n = %u have the common divisor %u.", names[i], number, n,
                       divisor);
        return NQ_NONE;
    }
    if (has(settings, MOVE_KNIGHT) && knights(n, multiplier)) {
        (void)snprintf(why, CONSTRUCTION_WHY_MAX, "With multiplier = %u and n = %u queens stand a knight's move apart.",
                       multiplier, n);
        return NQ_NONE;
    }
    if (has(settings, MOVE_NEIGHBOUR) && (multiplier % n == 1 || multiplier % n == n - 1)) {
        (void)snprintf(why, CONSTRUCTION_WHY_MAX, "With multiplier = %u and n = %u queens of neighbouring rows touch.",
                       multiplier, n);
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
        .n = settings->n, .multiplier = multiplier_of(settings) % settings->n, .shift = settings->shift % settings->n};
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
    .title = "Pólya 1918, a i + b mod n",
    .summary = "(a i + b) mod n + 1, if neither 2 nor 3 divides n; toroidal",
    .complexity = "O(1) a row, O(1) memory",
    .source = "G. Polya (1918), after J. Bell, B. Stevens, A survey of known results and research areas for n-queens, "
              "Discrete Mathematics 309 (2009); a question to the reader in F. Romani, Ancora le Regine, with n = 1069",
    .year = 1918,
    .max_n = 1000000000,
    .takes = TAKES_MULTIPLIER,
    .rules = rules_of_linear,
    .check = linear_check,
    .open = linear_open,
    .rows = linear_rows,
    .close = free,
};
