/* http_requests.h - the requests that a strict parser of RFC 9112 finds in the bytes that a client sends. */
#ifndef FUZZ_HTTP_REQUESTS_H
#define FUZZ_HTTP_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REQUESTS_MAX = 64 };

/* What follows the requests that were found. */
enum requests_rest {
    REQUESTS_CLOSE,    /* nothing that the server reads: the last request closes the connection */
    REQUESTS_CUT,      /* the beginning of a request */
    REQUESTS_DOUBTFUL, /* a request that is ambiguous, or whose host is: the server must reject it and read nothing
                          after it */
    REQUESTS_ODD,      /* something that a strict parser rejects: the server may be lenient */
};

struct requests {
    size_t count;
    bool head[REQUESTS_MAX]; /* whether the reply has no body */
    enum requests_rest rest;
};

void requests_read(const uint8_t *data, size_t size, struct requests *requests);

#endif
