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

/* Whether two sums are the same, on a torus modulo n: those of squares of the board are below 2 n. */
static bool equal(uint32_t n, bool wrap, uint32_t a, uint32_t b)
{
    return a == b || (wrap && (a == b + n || a + n == b));
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* The line of a leap, if it comes before another one. */
static enum conflict_line leap_line(unsigned moves, uint32_t rows, uint32_t columns, enum conflict_line found)
{
#define LEAP_LINE(move, next, after, line) \
    if (moves & (move) && columns == (rows == 1 ? (next) : (after)) && (line) < found) \
        found = line;
    MOVE_LEAPS(LEAP_LINE)
#undef LEAP_LINE
    return found;
}

enum conflict_line rule_line(const struct rule *rule, uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b,
                             uint32_t column_b)
{
    const unsigned moves = rule->moves;
    const bool wrap = moves & MOVE_WRAP;
    if (row_a == row_b)
        return column_a == column_b ? LINE_SQUARE : LINE_ROW;
    if (column_a == column_b)
        return LINE_COLUMN;
    if (moves & MOVE_RIGHT && equal(n, wrap, row_a + column_b, row_b + column_a))
        return LINE_DIAGONAL;
    if (moves & MOVE_LEFT && equal(n, wrap, row_a + column_a, row_b + column_b))
        return LINE_ANTIDIAGONAL;
    /* Upwards, the diagonal of one queen meets the strip, which is row -1, where the antidiagonal of the other does. */
    const uint32_t rows = distance(row_a, row_b), columns = distance(column_a, column_b);
    const bool reflected = moves & MOVE_REFLECT && (uint64_t)row_a + row_b + 2 == columns;
    const enum conflict_line found = reflected ? LINE_REFLECTION : CONFLICT_LINES;
    return rows <= 2 ? leap_line(moves, rows, columns, found) : found;
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

uint64_t *rule_attacks(const struct rule *rule, uint32_t n)
{
    uint64_t *attacks = calloc((size_t)n * n * n + 1, sizeof *attacks), *next = attacks;
    for (uint32_t square = 0; attacks && square < n * n; square++)
        for (uint32_t other = 0; other < n; other++) {
            const uint64_t all = ~UINT64_C(0) >> (RULE_MAX_N - n);
            *next++ = all & (other == square / n ? all : rule_mask(rule, n, square / n, square % n, other));
        }
    return attacks;
}
