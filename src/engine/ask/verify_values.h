/* verify_values.h - boards of any shape in the parameters of /verify: the board that a placement is judged on, however
 * its queens are given. */
#ifndef ENGINE_ASK_VERIFY_VALUES_H
#define ENGINE_ASK_VERIFY_VALUES_H

#include "engine/ask/shape_values.h"

/* What such a board does not have here. */
#define VERIFY_SHAPED .bonds = BONDS(BOND(EXCLUDES, IS("regions")))

/* Reads the shape of normal, sound values with one n, without its queens and crosses: a queen on a wall is for the
 * verdict. shape->rows is 0: they ask for none. False, with validation errors, as shape_read(). */
bool verify_shape_read(const struct param *rows, const struct value *values, struct validation_errors *errors,
                       struct shape *shape);

#endif
