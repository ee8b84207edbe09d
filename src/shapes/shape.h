/* shape.h - a board of any shape: rows by columns, walls that hold no queen and end lines of attack, squares that must
 * or must not hold a queen, and how many queens. Its symmetries. It knows squares, not how placements are found. A
 * placement is a set of squares, none of which attacks another. */
#ifndef SHAPES_SHAPE_H
#define SHAPES_SHAPE_H

#include <nqueens.h>

#include "base/param.h"
#include "rules/rule.h"

enum { SHAPE_MAX_SIDE = 64, SHAPE_MAX_SQUARES = SHAPE_MAX_SIDE * SHAPE_MAX_SIDE };

/* Larger boards are only searched for some placements: see shape_find.h. */
enum { SHAPE_FIND_MAX_SIDE = 200 };

/* Squares in reading order, none twice, counted from `base`; borrowed. */
struct shape_squares {
    const struct param_square *list;
    uint32_t count, base;
};

/* Squares by row: bit c for column c. Bits and rows beyond the board are 0. */
struct shape {
    uint32_t rows, columns; /* each 1 to SHAPE_MAX_SIDE; of a large board, see shape_large(), to SHAPE_FIND_MAX_SIDE */
    const struct rule *rule;
    uint64_t walls[SHAPE_MAX_SIDE];
    uint64_t allow[SHAPE_MAX_SIDE];  /* squares that may hold a queen; no wall is among them */
    uint64_t placed[SHAPE_MAX_SIDE]; /* squares that must hold one */
    uint32_t least, most;            /* how many queens, those placed included */
    /* Of a large board, whose squares above are not used, instead. Else none. */
    struct shape_squares wall_list, exclude_list, place_list;
    bool maximal; /* only placements to which no queen can be added on any square without a wall, allowed or not */
};

/* A board of queens without walls, every square allowed, for any number of queens. */
void shape_begin(struct shape *shape, uint32_t rows, uint32_t columns);

/* Makes an allowed square a wall. */
void shape_wall(struct shape *shape, uint32_t row, uint32_t column);

/* Asserts what is said at the fields. */
void shape_check(const struct shape *shape);

/* Why its rule has no meaning on this board: half a sentence, static. NULL: it has one. A torus is square; lines that
 * wrap or reflect need a board without walls. Leaps pass over walls. */
const char *shape_refusal(const struct shape *shape);

static inline uint64_t shape_row(const struct shape *shape)
{
    return ~UINT64_C(0) >> (64 - shape->columns);
}

static inline bool shape_large(const struct shape *shape)
{
    return shape->rows > SHAPE_MAX_SIDE || shape->columns > SHAPE_MAX_SIDE;
}

bool shape_squares_have(const struct shape_squares *squares, uint32_t row, uint32_t column);

/* What a square is, of large boards, too. A wall may be excluded as well. */
static inline bool shape_is_wall(const struct shape *shape, uint32_t row, uint32_t column)
{
    return shape_large(shape) ? shape_squares_have(&shape->wall_list, row, column) : shape->walls[row] >> column & 1;
}

/* Whether there is any wall. */
bool shape_walled(const struct shape *shape);

static inline bool shape_is_excluded(const struct shape *shape, uint32_t row, uint32_t column)
{
    return shape_large(shape) ? shape_squares_have(&shape->exclude_list, row, column)
                              : !(shape->allow[row] >> column & 1);
}

static inline bool shape_is_placed(const struct shape *shape, uint32_t row, uint32_t column)
{
    return shape_large(shape) ? shape_squares_have(&shape->place_list, row, column) : shape->placed[row] >> column & 1;
}

/* The square of the image of a board of rows x columns under a symmetry, by its number of nq_transform, in place. Odd
 * ones turn the board, too. */
static inline void shape_transform(unsigned symmetry, uint32_t rows, uint32_t columns, uint32_t *row, uint32_t *column)
{
    if (symmetry & 4)
        *column = columns - 1 - *column;
    for (unsigned turns = symmetry & 3; turns; turns--) {
        const uint32_t turned = rows - 1 - *row;
        *row = *column;
        *column = turned;
        const uint32_t sides = rows;
        rows = columns;
        columns = sides;
    }
}

/* Whether the main diagonal is a mirror of a rule's attacks; the board of such a rule, turned over it. */
bool shape_turns(const struct rule *rule);
void shape_transpose(const struct shape *shape, struct shape *turned);

/* The symmetries, as bits by number of nq_transform, that carry the board, its walls, its allowed and its placed
 * squares into themselves and placements into placements. They form a group. Of boards that are not square at most 0,
 * 2, 4 and 6: identity, half turn, both reflections. */
unsigned shape_symmetries(const struct shape *shape);

/* Whether a set of squares is a placement of it: so many queens, those placed among them, on squares that are allowed,
 * none of which attacks another; and, if it is to be maximal, to which none can be added. Some tenths of a millisecond
 * at most. */
bool shape_has(const struct shape *shape, const uint64_t *queens);

/* Whether a placement, as a set of squares, is the lexicographically least of its images under a group of symmetries,
 * each read as the sequence of its squares in reading order. */
bool shape_representative(const struct shape *shape, unsigned group, const uint64_t *queens);

#endif
