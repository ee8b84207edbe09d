/* rules.c - the table of rules, and what holds for all of them. */
#include "rules/rule.h"

#include <stdlib.h>
#include <string.h>

extern const struct rule rule_queens, rule_toroidal, rule_superqueens, rule_semiqueens, rule_toroidal_semiqueens,
    rule_reflecting, rule_touching, rule_rooks;

const struct rule *const rules[] = {&rule_queens,
                                    &rule_toroidal,
                                    &rule_superqueens,
                                    &rule_semiqueens,
                                    &rule_toroidal_semiqueens,
                                    &rule_reflecting,
                                    &rule_touching,
                                    &rule_rooks,
                                    NULL};

const char *rule_name(size_t i)
{
    return i < sizeof rules / sizeof rules[0] && rules[i] ? rules[i]->name : NULL;
}

size_t rule_find(const char *name, size_t length)
{
    size_t i = 0;
    while (rules[i] && (strncmp(rules[i]->name, name, length) != 0 || rules[i]->name[length]))
        i++;
    return i;
}

const char *conflict_line_name(enum conflict_line line)
{
#define LINE_NAME(line, name) name,
    static const char *const names[] = {CONFLICT_LINES_NAMED(LINE_NAME)};
    return names[line];
}

enum conflict_line rule_line(const struct rule *rule, uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b,
                             uint32_t column_b)
{
    if (row_a == row_b)
        return column_a == column_b ? LINE_SQUARE : LINE_ROW;
    return column_a == column_b ? LINE_COLUMN : rule->line(n, row_a, column_a, row_b, column_b);
}

bool rule_attack(const struct rule *rule, uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b,
                 uint32_t column_b)
{
    return rule_line(rule, n, row_a, column_a, row_b, column_b) != CONFLICT_LINES;
}

bool rule_none(const struct rule *rule, uint32_t n)
{
    return rule->none && n > 0 && rule->none(n);
}

const char *rule_note(const struct rule *rule, uint32_t n)
{
    return rule_none(rule, n) ? rule->none_text : NULL;
}

const char *rule_word(const struct rule *rule)
{
    return rule == rules[0] ? NULL : rule->name;
}

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
