/* hint.h - the next queen of a board whose completions have been listed or counted, and the squares on which none can
 * stand any more, as an answer. It does not know how completions are found. */
#ifndef ENGINE_BOARDS_HINT_H
#define ENGINE_BOARDS_HINT_H

#include "engine/ask/answer.h"
#include "engine/ask/question.h"
#include "puzzles/technique.h"
#include "shapes/shape.h"

/* Sets of squares have a word a row: bit c for column c. */
struct hint {
    const struct question *question;
    uint32_t rows, columns;
    const struct shape *shape; /* NULL: the board is square, every row and column has a queen */
    const uint64_t *placed;
    uint64_t open[SHAPE_MAX_SIDE];     /* squares that may be given a queen */
    uint64_t attacked[SHAPE_MAX_SIDE]; /* by the placed queens, perhaps their own squares included */
    nq_wide completions;
    const nq_wide *squares;          /* by square: completions with a queen there */
    const struct grid *grid;         /* NULL, of a shape: techniques of deduction do not know such boards */
    const struct position *position; /* in it */
};

/* Whether a square is in a set. */
static inline bool hint_has(const uint64_t *rows, uint32_t row, uint32_t column)
{
    return rows[row] >> column & 1;
}

/* Makes the answer. NQ_OK or NQ_NOMEM. */
enum nq_status hint_finish(const struct hint *hint, struct answer **answer);

#endif
