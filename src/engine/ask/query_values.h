/* query_values.h - which solutions are meant, in the words of parameters: what /solve, /count, /jobs and /hint share.
 */
#ifndef ENGINE_ASK_QUERY_VALUES_H
#define ENGINE_ASK_QUERY_VALUES_H

#include "base/param.h"
#include "board/query.h"

/* The rows. */
const char *query_distincts(size_t i);
const char *query_symmetries(size_t i);
#define PARAM_DISTINCT \
    { \
        .name = "distinct", .type = PARAM_CHOICE, .choices = query_distincts, \
        .summary = \
            "all solutions, or one per class under all symmetries of the filter, under its reflection, or, counted " \
            "only, under those of a torus" \
    }
#define PARAM_SYMMETRY \
    { \
        .name = "symmetry", .type = PARAM_CHOICE, .choices = query_symmetries, \
        .summary = "only solutions that a half turn, or a quarter turn, leaves unchanged" \
    }
#define PARAM_PLACE \
    { \
        .name = "place", .type = PARAM_SQUARES, .summary = "squares that have queens, row:column,..." \
    }
#define PARAM_EXCLUDE \
    { \
        .name = "exclude", .type = PARAM_SQUARES, .summary = "squares that have no queens, row:column,..." \
    }

struct query_values {
    const struct value *n, *base, *distinct, *symmetry, *place, *exclude, *rules;
};

/* The values of these rows in a table; those that it lacks are not given. */
struct query_values query_values_of(const struct param *rows, const struct value *values);

/* Whether all of them are sound. */
bool query_values_sound(const struct query_values *values);

/* Nothing placed, nothing excluded. */
bool query_values_whole(const struct query_values *values);

/* Reads sound values into a query, whose marks borrow their squares. False, with validation errors: a square is off the
 * board, or the board is larger than `most`, the largest of a route with squares placed or excluded. */
bool query_read(const struct query_values *values, uint32_t most, struct validation_errors *errors,
                struct query *query);

#endif
