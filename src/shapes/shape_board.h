/* shape_board.h - a shape as tables for a search by segments: what each square attacks, and the segments, parts of a
 * row between walls, each of which holds one queen at most. It knows neither order nor counts. */
#ifndef SHAPES_SHAPE_BOARD_H
#define SHAPES_SHAPE_BOARD_H

#include "board/conflicts.h"
#include "shapes/shape.h"

/* A part of a row between walls or borders. */
struct shape_segment {
    uint64_t squares;
    uint32_t row;
    uint32_t room; /* segments before it that can get a queen besides those placed */
    bool placed;   /* it has a placed queen */
};

/* A search keeps for each row the squares that are open: neither taken nor attacked. A queen costs one AND with its row
 * of `attack` for each row that still matters, whatever the rule, the walls and the lines are: on the boards that can
 * be counted, that is as fast as to pass lines from row to row, and nothing else needs to know the rule.
 *
 * With a symmetry, the board is one of orbits: a square stands for all its images, and only the first of each orbit
 * whose squares do not attack each other is allowed. */
struct shape_board {
    struct shape shape;
    uint32_t segments;
    struct shape_segment *segment; /* in reading order; behind the last one is an end, without squares */
    uint64_t *attack;              /* see shape_attack() */
    uint8_t *orbit;                /* by square: how many queens it stands for; NULL: one */
    uint64_t open[SHAPE_MAX_SIDE]; /* at first: what no placed queen attacks, their own squares included; of maximal
                                      placements not only allowed squares */
    uint32_t top;                  /* no placement that is counted has more queens */
    bool impossible;               /* placed queens attack each other, or stand on squares that are not allowed */
};

/* Prepares a board; the caller closes it, even if it fails. symmetry: 0, or one of shape_symmetries(). NQ_OK or
 * NQ_NOMEM. Up to 2 MB, and some milliseconds. */
enum nq_status shape_board_open(const struct shape *shape, unsigned symmetry, struct shape_board *board);
void shape_board_close(struct shape_board *board);

static inline uint32_t shape_square(const struct shape *shape, uint32_t row, uint32_t column)
{
    return row * shape->columns + column;
}

/* For each row, the squares that a queen attacks there, its own included. */
static inline const uint64_t *shape_attack(const struct shape_board *board, uint32_t square)
{
    return board->attack + (size_t)square * board->shape.rows;
}

/* The open squares of a segment that a queen may be put on. */
static inline uint64_t shape_candidates(const struct shape_board *board, const struct shape_segment *at,
                                        const uint64_t *open)
{
    return open[at->row] & at->squares & board->shape.allow[at->row];
}

/* Whether a placement that leaves these squares open counts: to one that is to be maximal no queen can be added. */
static inline bool shape_complete(const struct shape_board *board, const uint64_t *open)
{
    uint64_t any = 0;
    for (uint32_t row = 0; row < board->shape.rows && board->shape.maximal; row++)
        any |= open[row];
    return !any;
}

/* The segment that a square is in, which is no wall. */
uint32_t shape_segment_of(const struct shape_board *board, uint32_t square);

/* The open rows from one to another, the last included, after one more queen. */
static inline void shape_place(const uint64_t *restrict attack, uint32_t row, uint32_t last,
                               const uint64_t *restrict open, uint64_t *restrict next)
{
    for (; row <= last; row++)
        next[row] = open[row] & ~attack[row];
}

/* ---- Whether one more queen fits ---- */

/* Whether one more queen fits on a board of any shape. It knows neither who placed the others nor whether they attack
 * each other. */

/* Sets *maximal to whether no queen can be added to some on the board, on any square that is no wall: each is attacked
 * or has one. Queens on walls attack nothing. If one can, *square is the first in reading order. NQ_OK or NQ_NOMEM. Up
 * to 2 MB meanwhile, and some milliseconds. */
enum nq_status shape_free(const struct shape *shape, const struct queen *queens, uint32_t count, bool *maximal,
                          struct queen *square);

#endif
