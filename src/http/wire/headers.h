/* headers.h - the header fields of a request, read in one pass, and checks that libmicrohttpd lacks. */
#ifndef HTTP_WIRE_HEADERS_H
#define HTTP_WIRE_HEADERS_H

#include <microhttpd.h>

#include "http/wire/problem.h"

enum { PARAMETERS_MAX = 64, HEADERS_MAX = 16 << 10, BODY_MAX = 64 << 10, ACCEPTS_MAX = 8 };

/* What libmicrohttpd has for a connection, in which the heads of a request and of its reply must find room at once, and
 * which it clears after each request. A chunk of a stream is nearly as large. Larger ones would save a stream nothing:
 * a million solutions of n = 15 took 57 ms of processor time in chunks of this size, and in the blocks of 128 KB that
 * HTTP/1.0 gets. */
enum { CONNECTION_MEMORY = 32 << 10 };

/* A body is read and ignored up to this much beyond its limit, so that a client that sends before it reads gets its
 * answer: a connection closed under what still arrives is reset, and the answer with it. Then the connection is closed.
 * So it is when nothing of the body comes for so many seconds. */
enum { BODY_ENDURED = 16 << 20, BODY_ENDURED_S = 5 };

/* The values of a field that may be repeated; those after the first ACCEPTS_MAX are ignored. */
struct field_list {
    unsigned count;
    const char *at[ACCEPTS_MAX];
};

/* Texts belong to the connection. */
struct headers {
    size_t size; /* of all names and values */
    unsigned hosts, lengths, codings;
    struct field_list accept, accept_language, accept_encoding, if_none_match, forwarded, x_forwarded_for;
    bool bad_name, bad_value, folded, chunked;
    bool nul; /* anywhere in the head; headers_read() does not set it */
    const char *content_length;
    const char *request_id;
    const char *content_type;
    const char *last_event_id;
    bool respond_async; /* preferred */
    int wait;           /* preferred, in seconds; -1: not given */
    const char *traceparent;
    unsigned keys;   /* in either field */
    const char *key; /* one of them, and its size */
    size_t key_size;
    const char *origin; /* of the page that sends the request, NULL: none was given */
    bool preflight;     /* the browser asks whether the page may send a request */
    bool expects;       /* the client sends its body when it is told to */
};

void headers_read(struct MHD_Connection *mhd, struct headers *headers);

/* Whether the request must not be routed, and why, with a sentence. target is the raw request target. */
bool headers_refuse(const struct headers *headers, const char *version, const char *target, enum problem *problem,
                    const char **detail);

/* Whether Content-Length is larger than so many bytes. */
bool headers_announce(const struct headers *headers, uint64_t most);

/* Whether Prefer asks for a job rather than for an answer. */
static inline bool headers_ask_for_job(const struct headers *headers)
{
    return headers->respond_async || headers->wait == 0;
}

/* Whether Content-Type is this media type, with any parameters. */
bool headers_of_type(const struct headers *headers, const char *media_type);

#endif
