/* count_query.h - a counting question in the words of its parameters, and its canonical text, "/count?n=8&...", written
 * and read back: /count and /jobs ask by it, jobs are stored by it, and workers receive it. */
#ifndef ENGINE_ASK_COUNT_QUERY_H
#define ENGINE_ASK_COUNT_QUERY_H

#include "engine/ask/count_rows.h"
#include "engine/ask/question.h"

/* Reads values into a question that is all zero, but for its key, path and prefix. Adds validation errors: of
 * values that do not go together, or that are too large. Writes what the service chose, method and seed, into the
 * values, so that their canonical form names the answer. */
void count_query_read(struct value *values, struct validation_errors *errors, struct question *question);

/* Adds validation errors of what does not go with the range of sizes that sound values have. */
void count_range_check(const struct value *values, struct validation_errors *errors);

/* Reads the question of one size, whatever n the values have, with one reference. Adds validation errors as
 * count_query_read does; with a range also where a search would be long: then *out is NULL. False: out of memory. */
bool count_range_size(const struct value *values, uint64_t n, struct validation_errors *errors,
                      struct shared_question **out);

/* The question of how many solutions a query has, or of their index, by computing. The query must be one that is
 * computed. NULL: out of memory. */
struct shared_question *count_query_for(const struct query_values *query, enum count_by by);

/* Reads a canonical text. NQ_OK, with one reference; NQ_INVALID: this release has no such question; NQ_NOMEM. Otherwise
 * *out is NULL. */
enum nq_status count_query_parse(const char *text, struct shared_question **out);

#endif
