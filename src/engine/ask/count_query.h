/* count_query.h - a counting question in the words of its parameters, and its canonical text, "/count?n=8&...", written
 * and read back: /count and /jobs ask by it, jobs are stored by it, and workers receive it. */
#ifndef ENGINE_ASK_COUNT_QUERY_H
#define ENGINE_ASK_COUNT_QUERY_H

#include "engine/ask/query_values.h"
#include "engine/ask/question.h"
#include "statistics/statistic.h"

/* ---- Rows of parameters ---- */

/* The parameters of a counting question: their rows and choices, and what their values name. */

/* The largest board that is computed without a symmetry or by queens' rule, and with by=square. */
enum { COUNT_COMPUTE_MAX_N = 32, COUNT_SQUARES_MAX_N = 18 };

/* Sizes in one range. */
enum { COUNT_SIZES_MAX = 64 };

/* The choices of format=. */
enum { COUNT_FORMAT_JSON, COUNT_FORMAT_BFILE };

/* The choices of method=. */
enum ask_method { METHOD_AUTO, METHOD_COMPUTE, METHOD_TABLE, METHOD_ESTIMATE, METHOD_ANY };

/* The choices of by=; behind these the statistics, in the order of their table. */
enum count_by { COUNT_BY_NONE, COUNT_BY_SQUARE, COUNT_BY_INDEX, COUNT_BY_QUEENS, COUNT_BY_STATISTICS };

/* The rows. */
enum {
    COUNT_N,
    COUNT_ROWS,
    COUNT_QUEENS,
    COUNT_WALLS,
    COUNT_MAXIMAL,
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

/* The rows, and how their values come to a canonical form: with the method that is chosen, and without what then has no
 * effect. */
#define COUNT_FORM \
    { \
        .path = "/count", .params = count_params, .normalise = count_normalise, .draws = count_draws \
    }
extern const struct form count_form;
void count_normalise(const struct param *rows, struct value *values);
bool count_draws(const struct value *values);

/* ---- What to ask instead ---- */

/* What to ask instead of a count that is too costly: advice that works when it is followed. */

/* The table, or an estimate that is quick, as a sentence that follows others; "": there is neither. Static. */
const char *count_instead(const struct question *question);

/* ---- Questions ---- */

/* Reads normal, sound values into a question that is all zero, but for its key, path and prefix. Adds validation
 * errors: of values that are too large. */
void count_query_read(const struct value *values, struct validation_errors *errors, struct question *question);

/* Adds validation errors of what does not go with the range of sizes that sound values have. */
void count_range_check(const struct value *values, struct validation_errors *errors);

/* Reads the question of one size, whatever n the values have, with one reference. Adds validation errors as
 * count_query_read does; with a range also where a search would be long: then *out is NULL. False: out of memory. */
bool count_range_size(const struct value *values, uint64_t n, struct validation_errors *errors,
                      struct shared_question **out);

/* Reads a canonical text. NQ_OK, with one reference; NQ_INVALID: this release has no such question; NQ_NOMEM. Otherwise
 * *out is NULL. */
enum nq_status count_query_parse(const char *text, struct shared_question **out);

#endif
