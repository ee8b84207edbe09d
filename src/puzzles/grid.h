/* grid.h - a board as its puzzles see it: groups of squares with one queen each (rows, columns, regions), which squares
 * a queen excludes, and a position: the squares that are still free. It knows neither techniques nor searches. */
#ifndef PUZZLES_GRID_H
#define PUZZLES_GRID_H

#include <nqueens.h>

#include "board/query.h"
#include "rules/rule.h"

/* Sets of squares are bits: square row * n + column is bit square % 64 of word square / 64. */
enum { GRID_MAX_N = RULE_MAX_N, GRID_MAX_WORDS = GRID_MAX_N * GRID_MAX_N / 64, GRID_NOWHERE = UINT16_MAX };

enum group_kind { GROUP_ROW, GROUP_COLUMN, GROUP_REGION, GROUP_KINDS };

/* "row", "column", "region". */
const char *group_kind_name(enum group_kind kind);

struct grid {
    uint32_t n, words; /* of a set */
    unsigned kinds;    /* of groups: GROUP_REGION without regions */
    const struct rule *rule;
    uint8_t of[GROUP_KINDS][GRID_MAX_N * GRID_MAX_N]; /* the group of a square */
    /* Sets, one after the other. */
    uint64_t *groups;   /* n of each kind */
    uint64_t *attacked; /* by square: what a queen there attacks by the rule */
    uint64_t *cleared;  /* by square: the same, the rest of its region, and the square itself; see also grid_turn() */
};

/* An n x n board, n <= GRID_MAX_N; regions, by square, NULL: none. NULL: out of memory. The
 * caller frees; NULL is allowed. */
struct grid *grid_new(const struct rule *rule, uint32_t n, const uint8_t *regions);
void grid_free(struct grid *grid);

/* Sets its regions, or others than before: n of them, by square. */
void grid_paint(struct grid *grid, const uint8_t *regions);

/* Lets only solutions remain that a symmetry of the rule leaves unchanged, for searches that look ahead to the last
 * row: a queen clears what all queens of her orbit do, but for their squares, which are then the only ones left in
 * their rows. After painting. */
void grid_turn(struct grid *grid, unsigned symmetry);

static inline const uint64_t *grid_group(const struct grid *grid, unsigned kind, uint32_t index)
{
    return grid->groups + (size_t)(kind * grid->n + index) * grid->words;
}

static inline const uint64_t *grid_attacked(const struct grid *grid, uint32_t square)
{
    return grid->attacked + (size_t)square * grid->words;
}

static inline const uint64_t *grid_cleared(const struct grid *grid, uint32_t square)
{
    return grid->cleared + (size_t)square * grid->words;
}

/* The groups of one kind, as bits. */
static inline uint64_t grid_all(const struct grid *grid)
{
    return grid->n < 64 ? (UINT64_C(1) << grid->n) - 1 : UINT64_MAX;
}

struct position {
    uint64_t free[GRID_MAX_WORDS]; /* squares where a queen may still stand */
    uint64_t filled[GROUP_KINDS];  /* groups that have their queen, as bits */
    uint8_t columns[GRID_MAX_N];   /* of the queens, by row, where the row is filled */
};

/* The empty board. */
void position_begin(const struct grid *grid, struct position *position);

/* Places a queen, and crosses what it excludes. False, and nothing is changed: the square is not free. */
bool position_place(const struct grid *grid, struct position *position, uint32_t square);

/* How many squares are free. */
uint32_t position_free_squares(const struct grid *grid, const struct position *position);

/* Crosses every square that is not allowed: bit c of allow[row] for column c. */
void position_allow(const struct grid *grid, struct position *position, const uint64_t *allow);

/* Crosses a square. */
static inline void position_cross(struct position *position, uint32_t square)
{
    position->free[square / 64] &= ~(UINT64_C(1) << square % 64);
}

static inline bool position_free(const struct position *position, uint32_t square)
{
    return position->free[square / 64] >> square % 64 & 1;
}

/* Groups of a kind that have no queen yet. */
static inline uint64_t position_open(const struct grid *grid, const struct position *position, unsigned kind)
{
    return grid_all(grid) & ~position->filled[kind];
}

/* Whether every row has its queen. */
static inline bool position_solved(const struct grid *grid, const struct position *position)
{
    return !position_open(grid, position, GROUP_ROW);
}

/* Whether a group has neither a queen nor a free square: there is no solution. *kind and *index say which. */
bool position_dead(const struct grid *grid, const struct position *position, unsigned *kind, uint32_t *index);

/* Visits the free squares of a position, or of one group of it, in order:
 *     for (struct squares_left at = squares_of(...); squares_next(&at, &square);) */
struct squares_left {
    const uint64_t *set, *within; /* within: NULL for all */
    uint64_t word;
    uint32_t at, words;
};

static inline struct squares_left squares_of(const struct grid *grid, const uint64_t *set, const uint64_t *within)
{
    return (struct squares_left){set, within, within ? set[0] & within[0] : set[0], 0, grid->words};
}

static inline bool squares_next(struct squares_left *left, uint32_t *square)
{
    while (!left->word) {
        if (++left->at >= left->words)
            return false;
        left->word = left->within ? left->set[left->at] & left->within[left->at] : left->set[left->at];
    }
    *square = left->at * 64 + (uint32_t)__builtin_ctzll(left->word);
    left->word &= left->word - 1;
    return true;
}

/* How many squares two sets have in common, but not beyond `most`. */
static inline uint32_t squares_shared(const struct grid *grid, const uint64_t *a, const uint64_t *b, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < grid->words; i++)
        for (uint64_t word = a[i] & b[i]; word; word &= word - 1)
            if (++count >= most)
                return count;
    return count;
}

/* Whether they have any. */
static inline bool squares_meet(const struct grid *grid, const uint64_t *a, const uint64_t *b)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < grid->words; i++)
        any |= a[i] & b[i];
    return any;
}

#endif
