/* shape_values.h - boards of any shape in the words of parameters: rows and columns, walls, how many queens, and sets
 * to which none can be added. A board of n x n with n queens and no wall is no shape: all of that is left out then, and
 * it is asked for as ever. */
#ifndef ENGINE_ASK_SHAPE_VALUES_H
#define ENGINE_ASK_SHAPE_VALUES_H

#include "base/param.h"
#include "shapes/shape.h"

/* ---- Rows ---- */

enum { SHAPE_QUEENS_RANGE = 65, SHAPE_QUEENS_MOST = SHAPE_MAX_SQUARES };

/* most: rows. */
#define PARAM_ROWS(most_, ...) \
    { \
        .name = "m", .type = PARAM_NUMBER, .least = 1, .most = (most_), \
        .summary = "rows of the board, which has n columns; as many as columns without it", __VA_ARGS__ \
    }
#define PARAM_QUEENS(...) \
    { \
        .name = "queens", .type = PARAM_NUMBER, .most = SHAPE_QUEENS_MOST, .sizes = SHAPE_QUEENS_RANGE, .all = "any", \
        .summary = "how many queens; without it as many as the shorter side has squares, or any with maximal=true", \
        __VA_ARGS__ \
    }
#define PARAM_WALLS(...) \
    { \
        .name = "walls", .type = PARAM_SQUARES, \
        .summary = "squares that hold no queen and end lines of attack, row:column,...", __VA_ARGS__ \
    }
#define PARAM_MAXIMAL(...) PARAM_FLAG("maximal", "true: only placements to which no queen can be added", __VA_ARGS__)

/* ---- Values ---- */

/* Leaves out what says no more than n does. any: without `queens`, any number of them is meant. The values are sound.
 */
void shape_normalise(const struct param *rows, struct value *values, bool any);

/* Does that in a table without by=queens, unless regions say the board: a form's `choose`. */
void shape_choose(const struct param *rows, struct value *values);

/* Whether normal values ask for a shape. */
bool shape_given(const struct param *rows, const struct value *values);

/* Reads the shape of normal, sound values with one n, of at most so many columns. False, with validation errors: it has
 * more, a square is off the board, is a wall and something else, or the rule has no meaning there. The squares of a
 * large board stay those of the values. */
bool shape_read(const struct param *rows, const struct value *values, bool any, uint32_t most,
                struct validation_errors *errors, struct shape *shape);

/* ---- Of /verify: the board that a placement is judged on, however its queens are given ---- */

/* What such a board does not have here. */
#define VERIFY_SHAPED .bonds = BONDS(BOND(EXCLUDES, IS("regions")))

/* Reads the shape of normal, sound values with one n, without its queens and crosses: a queen on a wall is for the
 * verdict. shape->rows is 0: they ask for none. False, with validation errors, as shape_read(); also if a queen or a
 * cross is off the board, of whatever shape. */
bool verify_shape_read(const struct param *rows, const struct value *values, struct validation_errors *errors,
                       struct shape *shape);

#endif
