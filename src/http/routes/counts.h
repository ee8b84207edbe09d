/* counts.h - replies with the counts of a range of sizes, or with a b-file: each is a question of its own, and the
 * answer is made of theirs. */
#ifndef HTTP_ROUTES_COUNTS_H
#define HTTP_ROUTES_COUNTS_H

#include "http/reply/route.h"

/* Whether these values of /count ask for that. */
bool counts_wanted(const struct value *values);

/* A route_reader for them. */
bool counts_read(struct request *request, struct value *values, struct validation_errors *errors);

/* A route_handler after it. */
enum MHD_Result reply_counts(struct request *request, struct value *values);

#endif
