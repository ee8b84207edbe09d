/* problem.h - everything that can go wrong, as problems of RFC 9457: one table from kind to status, words and header
 * fields. */
#ifndef HTTP_WIRE_PROBLEM_H
#define HTTP_WIRE_PROBLEM_H

#include "base/json.h"
#include "base/param.h"
#include "base/status.h"

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
    PROBLEM_STORE_UNREAD,
    PROBLEM_SHUTTING_DOWN,
    PROBLEM_CLIENT_LEFT,
};

struct problem_row {
    unsigned status;
    const char *slug; /* type is "urn:nqueensd:problem:" and this */
    const char *title;
    const char *retry_after; /* seconds; NULL: a retry does not help */
    bool close;              /* the rest of what arrives on the connection cannot be trusted */
    const char *challenge;   /* WWW-Authenticate (RFC 6750), NULL: another key does not help */
};

const struct problem_row *problem_row(enum problem problem);

/* The problem for a status; not for NQ_OK, NQ_END, NQ_AGAIN. */
enum problem problem_of(enum nq_status status);

/* Significant digits of the numbers of a fault. */
enum { PROBLEM_DIGITS = 6 };

/* Appends the member `errors`. */
void problem_errors(struct bytes *out, const struct validation_errors *errors);

/* What a problem has beside its words, so that a program can say it in its own. */
struct problem_facts {
    const struct validation_errors *errors; /* NULL: none */
    bool limited;                           /* it is about a limit: */
    uint64_t maximum;
    const char *quota;          /* of a client: what it has no more of; else NULL */
    const struct fault *fault;  /* NULL: none */
    const char *suggestion;     /* the target that is meant, whole; NULL: none */
    const char *const *methods; /* that have a solution, then NULL; NULL: it is not about methods */
};

/* Appends the JSON body; facts may be NULL. */
void problem_write(struct bytes *out, enum problem problem, const char *detail, const struct problem_facts *facts);

#endif
