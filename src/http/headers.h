/* headers.h - what a request's header fields say, read in one pass, and the holes libmicrohttpd leaves in the protocol.
 */
#ifndef HTTP_HEADERS_H
#define HTTP_HEADERS_H

#include <microhttpd.h>

#include "http/problem.h"

enum { PARAMETERS_MAX = 64, HEADERS_MAX = 16 << 10, BODY_MAX = 64 << 10, ACCEPTS_MAX = 8 };

/* A chunked body, which libmicrohttpd lets nobody refuse before its end, is read away up to this much beyond its limit;
 * then the connection ends. */
enum { BODY_ENDURED = 1 << 20 };

/* Texts belong to the connection. */
struct headers {
    size_t size; /* of all names and values */
    unsigned hosts, lengths, codings, accepts, accept_languages, if_none_matches;
    bool bad_name, folded, chunked;
    const char *content_length;
    const char *request_id;
    const char *content_type;
    const char *last_event_id;
    bool respond_async;            /* preferred */
    int wait;                      /* preferred, in seconds; -1: nothing was said */
    unsigned forwards, x_forwards; /* fields Forwarded, X-Forwarded-For */
    const char *forwarded[ACCEPTS_MAX], *x_forwarded[ACCEPTS_MAX];
    const char *traceparent;
    unsigned keys;   /* by whichever field */
    const char *key; /* one of them, and its size */
    size_t key_size;
    const char *origin; /* of the page that asks, NULL: no page does, or it is our own */
    bool preflight;     /* its browser asks whether it may */
    const char *accept[ACCEPTS_MAX];
    const char *accept_language[ACCEPTS_MAX];
    const char *if_none_match[ACCEPTS_MAX];
};

void headers_read(struct MHD_Connection *connection, struct headers *headers);

/* Why the request must not be routed, with a sentence; false when it may be. target is the raw request target. */
bool headers_refuse(const struct headers *headers, const char *version, const char *target, enum problem *problem,
                    const char **detail);

/* Whether the body is announced to be larger than so many bytes. */
bool headers_announce(const struct headers *headers, uint64_t most);

/* Whether Content-Type is such a media type, whatever its parameters. */
bool headers_of_type(const struct headers *headers, const char *media_type);

#endif
