/* count_rows.h - the parameters of a counting question: their rows and choices, and what their values name. */
#ifndef ENGINE_ASK_COUNT_ROWS_H
#define ENGINE_ASK_COUNT_ROWS_H

#include "engine/ask/query_values.h"
#include "statistics/statistic.h"

/* The largest board that is computed without a symmetry or by queens' rule, and with by=square. */
enum { COUNT_COMPUTE_MAX_N = 32, COUNT_SQUARES_MAX_N = 18 };

/* Sizes in one range. */
enum { COUNT_SIZES_MAX = 64 };

/* The choices of format=. */
enum { COUNT_FORMAT_JSON, COUNT_FORMAT_BFILE };

/* The choices of method=. */
enum ask_method { METHOD_AUTO, METHOD_COMPUTE, METHOD_TABLE, METHOD_ESTIMATE, METHOD_ANY };

/* The choices of by=; behind these the statistics, in the order of their table. */
enum count_by { COUNT_BY_NONE, COUNT_BY_SQUARE, COUNT_BY_INDEX, COUNT_BY_STATISTICS };

/* The rows. */
enum {
    COUNT_N,
    COUNT_METHOD,
    COUNT_DISTINCT,
    COUNT_SYMMETRY,
    COUNT_PLACE,
    COUNT_EXCLUDE,
    COUNT_RULES,
    COUNT_REGIONS_GIVEN,
    COUNT_APART,
    COUNT_LIMIT,
    COUNT_BY,
    COUNT_WALKS,
    COUNT_SEED,
    COUNT_BASE,
    COUNT_FORMAT
};
extern const struct param count_params[];
const char *count_formats(size_t i);

/* Whether all values but the format are sound. */
bool count_values_sound(const struct value *values);

/* Which solutions are meant. */
struct query_values count_rows_query(const struct value *values);

/* NULL: it is counted by nothing, by square or by index. */
const struct statistic *count_rows_statistic(const struct value *values);

#endif
