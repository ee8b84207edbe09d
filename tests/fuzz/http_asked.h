/* http_asked.h - which requests a strict reader of RFC 9112 finds in the bytes that a client sends. It knows neither
 * routes nor replies. */
#ifndef FUZZ_HTTP_ASKED_H
#define FUZZ_HTTP_ASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASKED_MAX = 64 };

/* How it goes on behind the requests that were found. */
enum asked_rest {
    ASKED_CLOSE,    /* not at all: the last one asks for the connection to be closed, and whatever stands behind it is
                       none of the server's business */
    ASKED_CUT,      /* with the beginning of a request */
    ASKED_DOUBTFUL, /* with a request that has two readings, or whose host has: it must be refused, and nothing behind
                       it be read */
    ASKED_ODD,      /* with something that a strict reader does not know: the server may be lenient */
};

struct asked {
    size_t count;
    bool head[ASKED_MAX]; /* whether the reply has no body */
    enum asked_rest rest;
};

void asked_read(const uint8_t *data, size_t size, struct asked *asked);

#endif
