/* attacks.c - asks a rule about every pair of squares once. */
#include "rules/attacks.h"

#include <stdlib.h>

/* A pair of squares, numbered row by row. */
static void note(uint64_t *attacks, uint32_t n, uint32_t a, uint32_t b)
{
    attacks[(size_t)a * n + b / n] |= UINT64_C(1) << b % n;
    attacks[(size_t)b * n + a / n] |= UINT64_C(1) << a % n;
}

uint64_t *rule_attacks(const struct rule *rule, uint32_t n)
{
    uint64_t *attacks = calloc((size_t)n * n * n + 1, sizeof *attacks);
    for (uint32_t a = 0; attacks && a < n * n; a++)
        for (uint32_t b = a; b < n * n; b++)
            if (rule_attack(rule, n, a / n, a % n, b / n, b % n))
                note(attacks, n, a, b);
    return attacks;
}
