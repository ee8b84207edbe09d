/* ask_count.h - a counting question in the words of its parameters: /count and /jobs ask the same way. */
#ifndef HTTP_ASK_COUNT_H
#define HTTP_ASK_COUNT_H

#include "engine/question.h"
#include "http/param.h"

/* The choices of method=. */
enum ask_method { ASK_AUTO, ASK_METHOD_COMPUTE, ASK_METHOD_TABLE, ASK_METHOD_ESTIMATE };

/* The rows, but for base and format, which routes add themselves: an initializer list. */
enum {
    COUNT_N,
    COUNT_METHOD,
    COUNT_DISTINCT,
    COUNT_SYMMETRY,
    COUNT_PLACE,
    COUNT_EXCLUDE,
    COUNT_BY,
    COUNT_WALKS,
    COUNT_SEED,
    COUNT_BASE,
    COUNT_FORMAT
};
/* The choices of by=. */
enum count_by { COUNT_BY_NONE, COUNT_BY_SQUARE, COUNT_BY_INDEX };
extern const struct param ask_count_params[];
const char *ask_count_formats(size_t i);

/* Complains of values that do not go together. */
void ask_count_check(const struct value *values, struct complaints *complaints);

/* The question that sound and checked values stand for, but for its key, path, prefix and format. What it leaves to us
 * is settled in the values, so that their canonical form names the answer. */
void ask_count_question(struct value *values, struct question *question);

/* The question, with strings of its own, how many solutions of a query there are: a count by computing. False: out of
 * memory. */
struct query_values;
bool ask_count_for(const struct query_values *query, enum count_by by, struct question *question);

/* The question behind a canonical path, with strings of its own; for jobs of an earlier process. False: the path makes
 * no sense, or memory is out. See struct job_reopener. */
enum nq_status ask_count_reopen(void *context, const char *path, struct question *question);
void ask_count_release(struct question *question);

#endif
