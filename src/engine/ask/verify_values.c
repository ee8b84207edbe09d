/* verify_values.c - a placement is not part of its board. */
#include "engine/ask/verify_values.h"

#include <string.h>

bool verify_shape_read(const struct param *rows, const struct value *values, struct validation_errors *errors,
                       struct shape *shape)
{
    struct value board[PARAMS_MAX];
    shape->rows = 0;
    if (!shape_given(rows, values))
        return true;
    for (size_t i = 0; rows[i].name; i++) {
        board[i] = values[i];
        if (strcmp(rows[i].name, "place") == 0 || strcmp(rows[i].name, "exclude") == 0)
            value_preset(&rows[i], &board[i]);
    }
    return shape_read(rows, board, false, SHAPE_MAX_SIDE, errors, shape);
}
