/* moves.h - how the attacks of a queen pass from row to row: flags, which a rule is made of, and what they do to the
 * masks of a row. It knows masks, not which rules there are. */
#ifndef RULES_MOVES_H
#define RULES_MOVES_H

#include <stdbool.h>
#include <stdint.h>

/* Every queen attacks its column. Diagonals end at the border unless they wrap or reflect. Knights and neighbours do
 * not wrap: between the last row and the first they would pass upwards. */
enum {
    MOVE_LEFT = 1 << 0,    /* antidiagonals: one column to the left with each row */
    MOVE_RIGHT = 1 << 1,   /* diagonals: one to the right */
    MOVE_WRAP = 1 << 2,    /* both go on at the opposite border */
    MOVE_REFLECT = 1 << 3, /* upwards, they come to a strip above the first row, and back from it */
    MOVE_KNIGHT = 1 << 4,
    MOVE_NEIGHBOUR = 1 << 5, /* the squares that touch at a corner */
};

/* The leaps: by how many columns, to both sides, in the next row and in the one after it; 0: to no square there; and
 * the line that two queens share then. A flag and a row of this table are a new leap for all searches and kernels. */
#define MOVE_LEAPS(X) \
    X(MOVE_KNIGHT, 2, 1, LINE_KNIGHT) \
    X(MOVE_NEIGHBOUR, 1, 0, LINE_NEIGHBOUR)

/* Those to the next row, and those to the one after it. */
#define MOVE_TO_NEXT(move, next, after, line) | ((next) ? (move) : 0)
#define MOVE_TO_AFTER(move, next, after, line) | ((after) ? (move) : 0)
enum { MOVES_TO_NEXT = 0 MOVE_LEAPS(MOVE_TO_NEXT), MOVES_TO_AFTER = 0 MOVE_LEAPS(MOVE_TO_AFTER) };

/* The combinations that searches are compiled for, with names; all others work too, more slowly. */
#define MOVES_COMPILED(X) \
    X(torus, MOVE_LEFT | MOVE_RIGHT | MOVE_WRAP) \
    X(amazons, MOVE_LEFT | MOVE_RIGHT | MOVE_KNIGHT) \
    X(diagonals, MOVE_RIGHT) \
    X(torus_diagonals, MOVE_RIGHT | MOVE_WRAP) \
    X(reflecting, MOVE_LEFT | MOVE_RIGHT | MOVE_REFLECT) \
    X(neighbours, MOVE_NEIGHBOUR)

/* The squares of one row that the queens of the rows above it attack, by how they pass to the next row. */
struct reach {
    uint64_t columns;
    uint64_t left, right; /* move one column left, one right */
    uint64_t once;        /* in this row only, */
    uint64_t later;       /* and in the next */
};

static inline uint64_t reach_attacked(const struct reach *reach)
{
    return reach->columns | reach->left | reach->right | reach->once;
}

/* A mask of n columns moved one to the left, or right, around the torus. */
static inline uint64_t turn_left(uint32_t n, uint64_t mask)
{
    return mask >> 1 | (mask & 1) << (n - 1);
}

static inline uint64_t turn_right(uint32_t n, uint64_t mask)
{
    return mask << 1 | (mask >> (n - 1) & 1);
}

/* How many columns a queen's reflected lines are from it where they come back to its row. */
static inline uint32_t reflected_columns(uint32_t row)
{
    return 2 * (row + 1);
}

/* Squares at both sides of a queen, so far away; 0: none. */
static inline uint64_t beside_queen(uint64_t queen, unsigned columns)
{
    return columns ? queen << columns | queen >> columns : 0;
}

/* Passes from a row to the next of a board of n <= 64 columns, with a queen on one more square, or none. Bits from n on
 * mean nothing. */
static inline __attribute__((always_inline)) void reach_pass(unsigned moves, uint32_t n, uint32_t row, uint64_t queen,
                                                             struct reach *reach)
{
    const uint32_t back = moves & MOVE_REFLECT ? reflected_columns(row) : n;
    const uint64_t left = reach->left | queen | (back < n ? queen >> back : 0);
    const uint64_t right = reach->right | queen | (back < n ? queen << back : 0);
    reach->columns |= queen;
    if (moves & MOVE_LEFT)
        reach->left = moves & MOVE_WRAP ? turn_left(n, left) : left >> 1;
    if (moves & MOVE_RIGHT)
        reach->right = moves & MOVE_WRAP ? turn_right(n, right) : right << 1;
    reach->once = reach->later;
    reach->later = 0;
#define PASS_LEAP(move, next, after, line) \
    if (moves & (move)) { \
        reach->once |= beside_queen(queen, next); \
        reach->later |= beside_queen(queen, after); \
    }
    MOVE_LEAPS(PASS_LEAP)
#undef PASS_LEAP
}

/* The columns that a queen attacks in another row of an n x n board, n <= 64; bits from n on mean nothing. What passing
 * from row to row comes to, in one go and upwards, too: there diagonals go to the left. */
static inline __attribute__((always_inline)) uint64_t moves_mask(unsigned moves, uint32_t n, uint32_t row,
                                                                 uint32_t column, uint32_t other)
{
    const uint32_t apart = other > row ? other - row : row - other, back = row + other + 2;
    const uint64_t queen = UINT64_C(1) << column;
    const bool wrap = moves & MOVE_WRAP;
    uint64_t mask = queen;
    if (moves & (other > row ? MOVE_LEFT : MOVE_RIGHT))
        mask |= queen >> apart | (wrap ? queen << (n - apart) : 0);
    if (moves & (other > row ? MOVE_RIGHT : MOVE_LEFT))
        mask |= queen << apart | (wrap ? queen >> (n - apart) : 0);
    if (moves & MOVE_REFLECT && back < n)
        mask |= beside_queen(queen, back);
#define MASK_LEAP(move, next, after, line) \
    if (moves & (move) && apart <= 2) \
        mask |= beside_queen(queen, apart == 1 ? (next) : (after));
    MOVE_LEAPS(MASK_LEAP)
#undef MASK_LEAP
    return mask;
}

#endif
