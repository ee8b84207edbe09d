/* problem.h - everything that can go wrong, as RFC 9457 problems: one table from kind to status, words and headers. */
#ifndef HTTP_PROBLEM_H
#define HTTP_PROBLEM_H

#include <nqueens.h>

#include "http/param.h"

enum problem {
    PROBLEM_BAD_REQUEST,
    PROBLEM_INVALID_PARAMETER,
    PROBLEM_KEY_NEEDED,
    PROBLEM_KEY_UNKNOWN,
    PROBLEM_FORBIDDEN,
    PROBLEM_NOT_FOUND,
    PROBLEM_METHOD_NOT_ALLOWED,
    PROBLEM_NOT_ACCEPTABLE,
    PROBLEM_REQUEST_TIMEOUT,
    PROBLEM_BODY_TOO_LARGE,
    PROBLEM_URI_TOO_LONG,
    PROBLEM_MEDIA_TYPE,
    PROBLEM_BEYOND_LIMIT,
    PROBLEM_NO_SOLUTION,
    PROBLEM_TOO_MANY,
    PROBLEM_HEADERS_TOO_LARGE,
    PROBLEM_INTERNAL,
    PROBLEM_METHOD_UNKNOWN,
    PROBLEM_HTTP_VERSION,
    PROBLEM_BUSY,
    PROBLEM_TOO_SLOW,
    PROBLEM_OUT_OF_MEMORY,
    PROBLEM_SHUTTING_DOWN,
    PROBLEM_CLIENT_LEFT,
};

struct problem_row {
    unsigned status;
    const char *slug; /* type is "urn:nqueensd:problem:" and this */
    const char *title;
    const char *retry_after; /* seconds, NULL: trying again does not help */
    bool close;              /* what follows on the connection cannot be trusted */
    const char *challenge;   /* WWW-Authenticate (RFC 6750), NULL: another key does not help */
};

const struct problem_row *problem_row(enum problem problem);

/* The problem that stands for a status of the floors below; not for NQ_OK, NQ_END, NQ_AGAIN. */
enum problem problem_of(enum nq_status status);

/* Appends the JSON body; complaints may be NULL. */
void problem_write(struct bytes *out, enum problem problem, const char *detail, const struct complaints *complaints);

#endif
