/* rule.h - a rule of the family: how queens attack each other, as moves, which say the line between two squares and the
 * squares of a row. rules.c is the table. It knows squares and masks, neither filters nor how solutions are found.
 *
 * Every rule attacks along rows and columns: a solution has one queen in each. */
#ifndef RULES_RULE_H
#define RULES_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/moves.h"

/* Boards of more columns than a mask has bits are not searched. */
enum { RULE_MAX_N = 64 };

/* What two queens share: a square, or a line. On a diagonal row - column is the same, on an antidiagonal row + column;
 * on a torus, both modulo n. */
#define CONFLICT_LINES_NAMED(X) \
    X(LINE_SQUARE, "square") \
    X(LINE_ROW, "row") \
    X(LINE_COLUMN, "column") \
    X(LINE_DIAGONAL, "diagonal") \
    X(LINE_ANTIDIAGONAL, "antidiagonal") \
    X(LINE_KNIGHT, "knight")         /* a knight's move apart */ \
    X(LINE_REFLECTION, "reflection") /* a diagonal that a strip above the first row turns into an antidiagonal */ \
    X(LINE_NEIGHBOUR, "neighbour")   /* squares that touch at a corner */ \
    X(LINE_REGION, "region")         /* a region of a painted board: of no rule, but of the board */

#define CONFLICT_LINE(line, name) line,
enum conflict_line { CONFLICT_LINES_NAMED(CONFLICT_LINE) CONFLICT_LINES /* nothing */ };
#undef CONFLICT_LINE

const char *conflict_line_name(enum conflict_line line);

struct rule {
    const char *name;
    unsigned
        symmetries;   /* of the square, by the numbers of nq_transform as bits, that carry solutions into solutions */
    bool shifts;      /* so do all shifts of the torus */
    bool weaker;      /* the solutions of queens are solutions */
    uint32_t drawn_n; /* solutions of larger boards are not found by searching in a random order; 0: of all boards */
    uint32_t quick_rows;   /* a board with so few free rows is counted in a second or two, */
    uint32_t square_rows;  /* and one with so few by square: about a second of one core with vectors */
    uint32_t walked_rows;  /* an estimate of a board with more free rows takes minutes, because hardly any random
                              descent ends in a solution; 0: of none */
    const char *none_text; /* why there are no solutions where none() says so; NULL: there is nothing to say */
    bool (*none)(uint32_t n);
    unsigned moves; /* which squares a queen attacks: flags, see moves.h */
};

/* The first is the default; ends with NULL. */
extern const struct rule *const rules[];

/* The name of the i-th, NULL after the last. */
const char *rule_name(size_t i);

/* Where the rule of a name, not NUL-terminated, stands in the table; if there is none, where its NULL stands. */
size_t rule_find(const char *name, size_t length);

/* The line that two queens share: the first that there is, as enum conflict_line orders them. */
enum conflict_line rule_line(const struct rule *rule, uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b,
                             uint32_t column_b);

/* Whether they share one. */
bool rule_attack(const struct rule *rule, uint32_t n, uint32_t row_a, uint32_t column_a, uint32_t row_b,
                 uint32_t column_b);

/* The columns that a queen attacks in another row, and perhaps bits from n on: see moves.h. */
static inline uint64_t rule_mask(const struct rule *rule, uint32_t n, uint32_t row, uint32_t column, uint32_t other)
{
    return moves_mask(rule->moves, n, row, column, other);
}

/* Passes from a row to the next: see moves.h. */
static inline void rule_pass(const struct rule *rule, uint32_t n, uint32_t row, uint64_t queen, struct reach *reach)
{
    reach_pass(rule->moves, n, row, queen, reach);
}

/* Whether a board is known to have no solutions by this rule; and why, NULL: that is not so, or goes without saying. */
bool rule_none(const struct rule *rule, uint32_t n);
const char *rule_note(const struct rule *rule, uint32_t n);

/* Its name as texts have it; NULL: it is the first of the table, which they leave out. */
const char *rule_word(const struct rule *rule);

/* Whether its queens attack along whole rows, columns and diagonals, and nowhere else: what the kernels, and all else
 * that searches by lines, are made for. By other moves there are the searches of this room. */
static inline bool rule_by_lines(const struct rule *rule)
{
    return rule->moves == (MOVE_LEFT | MOVE_RIGHT);
}

/* Whether an algorithm can search by it: one that asks the rule can by every rule, others know lines. */
static inline bool rule_suits(const struct rule *rule, bool asks_rule)
{
    return asks_rule || rule_by_lines(rule);
}

/* ---- What several leaves share ---- */

/* The eight symmetries; those that carry every diagonal into a diagonal; those that keep the first row. */
enum { RULE_SYMMETRIES_ALL = 0xff, RULE_SYMMETRIES_DIAGONAL = 0xa5, RULE_SYMMETRIES_TOP = 0x11 };

/* ---- The squares that a queen attacks, as masks, for searches that do not go from row to row ---- */

/* Of an n x n board, n at most RULE_MAX_N: for every square and every row, the columns of the squares there that it
 * attacks, itself included. The caller frees. NULL: out of memory. */
uint64_t *rule_attacks(const struct rule *rule, uint32_t n);

/* The masks of a square, by row. */
static inline const uint64_t *attacks_of(const uint64_t *attacks, uint32_t n, uint32_t row, uint32_t column)
{
    return attacks + ((size_t)row * n + column) * n;
}

#endif
