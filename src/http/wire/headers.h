/* headers.h - the header fields of a request, read in one pass, and checks that libmicrohttpd lacks. */
#ifndef HTTP_WIRE_HEADERS_H
#define HTTP_WIRE_HEADERS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/trace_id.h"
#include "http/wire/problem.h"

/* ---- Trace context ---- */

/* W3C Trace Context: the trace that a request belongs to, and its span here. This service calls no
 * others, so it propagates nothing: the client gets the span in the reply, and the log has both. It knows no requests.
 */

enum { SPAN_ID_SIZE = 17, TRACE_RESPONSE_SIZE = 56 };

/* In lower-case hexadecimal digits. */
struct trace_context {
    char trace[TRACE_ID_SIZE]; /* "": it belongs to none */
    char parent[SPAN_ID_SIZE]; /* the span of the client */
    char span[SPAN_ID_SIZE];   /* ours */
    bool sampled;              /* the client records its span */
};

/* Reads a field `traceparent`; NULL: there is none. number: unique to the request, our span is made of it. A malformed
 * field counts as none, as the recommendation requires. */
void trace_read(struct trace_context *context, const char *traceparent, uint64_t number);

/* Writes the field `traceresponse` (Trace Context Level 3, a draft): the trace, our span, and whether our span is
 * recorded: the log does so if the client does. */
void trace_respond(const struct trace_context *context, char text[static TRACE_RESPONSE_SIZE]);

/* ---- Content negotiation ---- */

/* Content negotiation (RFC 9110, 12.5.1, 12.5.3 and 12.5.4). It knows media types,
 * languages and codings, not formats. */

/* How well one media type or language suits a client, by the Accept headers read so far. Begin with ACCEPT_UNREAD. */
struct accept {
    int precision; /* of the best matching range: 0 none, 1 any, 2 any subtype, or the language with a country, 3 exact
                    */
    int quality;   /* in thousandths */
};
enum { ACCEPT_EXACT = 3 }; /* the precision of what is named whole */
#define ACCEPT_UNREAD ((struct accept){0, 0})

/* Reads one Accept header for a media type. Malformed ranges are skipped. */
void accept_read(const char *header, const char *media_type, struct accept *accept);

/* The same for one Accept-Language header and a language of two letters. */
void accept_language_read(const char *header, const char *language, struct accept *accept);

/* The same for one Accept-Encoding header and a coding such as "gzip". */
void accept_encoding_read(const char *header, const char *coding, struct accept *accept);

/* ---- Authorization ---- */

/* The credentials in an Authorization field of the scheme Bearer (RFC 6750, 2.1). */

/* Finds the key, which points into the field. False for every other scheme. */
bool bearer_read(const char *field, size_t size, const char **key, size_t *key_size);

/* ---- Prefer ---- */

/* The header field Prefer (RFC 7240): the preferences that this service follows. */

/* Reads one field: sets *async for "respond-async", and *wait to the seconds of "wait=", unless *wait is set (not
 * negative) already: the first one counts. Malformed preferences are skipped. */
void prefer_read(const char *field, bool *async, int *wait);

/* ---- Bytes of the head ---- */

/* The bytes of a request's head, as libmicrohttpd leaves them in its buffer. */

/* The first line. The texts are in the buffer of the connection. */
struct first_line {
    const char *method, *target, *version;
    size_t target_size; /* up to its first NUL, measured before libmicrohttpd decoded it */
};

/* Whether the client sent a NUL in the first line or in a header field: libmicrohttpd ignores what follows it. Not
 * seen: a NUL before a bare LF, and a line that begins with a NUL before the first line. */
bool head_has_nul(struct MHD_Connection *mhd, const struct first_line *line);

/* ---- X-Forwarded-Prefix ---- */

/* The public prefix of the paths, which links begin with: --base-path, or X-Forwarded-Prefix of a proxy. */

/* Whether a text is one: "", or "/a/b" of at most 200 letters, digits and "-._~", without a slash at its end, and
 * without the segments "", "." and "..", which would lead elsewhere. */
bool prefix_sound(const char *text);

/* ---- All fields ---- */

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

/* How well what is offered suits a client by all fields of a kind. read: one of the three functions above. */
struct accept accept_all(const struct field_list *fields, const char *offered,
                         void (*read)(const char *header, const char *offered, struct accept *accept));

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
    const char *content_encoding; /* NULL: none; "": several */
    const char *last_event_id;
    bool respond_async; /* preferred */
    int wait;           /* preferred, in seconds; -1: not given */
    const char *traceparent;
    const char *forwarded_prefix; /* as it was sent; NULL: none; "//": several */
    unsigned keys;                /* in either field */
    const char *key;              /* one of them, and its size */
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
bool headers_ask_for_job(const struct headers *headers);

/* Whether Content-Type is this media type, with any parameters. */
bool headers_of_type(const struct headers *headers, const char *media_type);

/* How the body is coded; CODING_OTHER: as nobody here decodes it. */
enum coding { CODING_IDENTITY, CODING_GZIP, CODING_OTHER };
enum coding headers_coding(const struct headers *headers);

#endif
