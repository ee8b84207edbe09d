/* ask_query.h - which solutions are meant, in the words of parameters: what /solve, /count and /jobs have in common. */
#ifndef HTTP_ASK_QUERY_H
#define HTTP_ASK_QUERY_H

#include "board/query.h"
#include "http/param.h"

/* The rows. */
const char *ask_query_distincts(size_t i);
const char *ask_query_symmetries(size_t i);
#define PARAM_DISTINCT \
    { \
        .name = "distinct", .type = PARAM_CHOICE, .choices = ask_query_distincts, \
        .summary = "all, or one of each class under the symmetries (or the reflection) the filter has" \
    }
#define PARAM_SYMMETRY \
    { \
        .name = "symmetry", .type = PARAM_CHOICE, .choices = ask_query_symmetries, \
        .summary = "only solutions unchanged by a half turn, or by a quarter turn" \
    }
#define PARAM_PLACE \
    { \
        .name = "place", .type = PARAM_SQUARES, .summary = "squares that hold queens, row:column,..." \
    }
#define PARAM_EXCLUDE \
    { \
        .name = "exclude", .type = PARAM_SQUARES, .summary = "squares without queens, row:column,..." \
    }

/* Where a route keeps their values. */
struct query_values {
    const struct value *n, *base, *distinct, *symmetry, *place, *exclude;
};

/* Whether all of them are sound. */
bool ask_query_sound(const struct query_values *values);

/* Nothing placed, nothing excluded. */
bool ask_query_whole(const struct query_values *values);

/* The query that sound values stand for. False, and complaints, when it cannot be: a square is off the board, or the
 * board is larger than filters are. */
bool ask_query(const struct query_values *values, struct complaints *complaints, struct query *query);

#endif
