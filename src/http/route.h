/* route.h - the shape of an endpoint, and of a request on its way through one. A route reads its parameters into a
 * question and says how to reply; it never sees a board, a thread or a socket. */
#ifndef HTTP_ROUTE_H
#define HTTP_ROUTE_H

#include <microhttpd.h>

#include "engine/engine.h"
#include "http/param.h"
#include "http/problem.h"

struct server;
struct request;

enum port { PORT_PUBLIC, PORT_ADMIN };

/* What a method wants of a route: GET and HEAD read, POST makes, DELETE removes. */
enum verb { VERB_READ, VERB_POST, VERB_DELETE, VERB_OPTIONS, VERB_OTHER, VERB_UNKNOWN };

enum { SEGMENT_MAX = 64 };

/* Replies or suspends; what the route functions below return is passed on. */
typedef enum MHD_Result (*route_handler)(struct request *request, struct value *values);

/* Adds complaints that rows cannot: about parameters that do not go together. Values that are not sound say nothing. */
typedef void (*route_checker)(const struct request *request, const struct value *values, struct complaints *complaints);

/* How a route takes a body that is too large to be kept: piece by piece, as it comes. What it makes of it belongs to
 * the request; the handler is called when all has come. */
struct intake {
    size_t most;                            /* bytes of a body: more are 413 */
    void *(*open)(struct request *request); /* once the headers are there; NULL: out of memory */
    void (*take)(void *taken, const char *piece, size_t size);
    void (*close)(void *taken);
};

struct route {
    const char *path; /* may hold one {name}, which stands for a segment of letters, digits, -, _ and . */
    enum port port;
    enum verb verb; /* one of the first three; routes of one path stand together in the table */
    const char *summary;
    const struct param *params; /* ends with a row without a name; NULL: none */
    param_choices formats;      /* names of formats, the choices of its parameter `format`; NULL: only media_type */
    const char *media_type;
    const char *const *media_types; /* instead of one, ends with NULL: which it is hangs on what is asked for */
    bool prefer;                    /* heeds the header field Prefer */
    route_checker check;            /* may be NULL */
    route_handler handle;           /* HEAD comes with GET, OPTIONS with everything */
    const struct intake *intake;    /* NULL: a body is small, and kept whole for request_body() */
};

/* The i-th representation a route has, NULL after the last. */
const char *route_media_type(const struct route *route, size_t i);

/* "false" and "true": choices of a row whose number is then a flag. */
const char *route_no_yes(size_t i);

/* Rows that several routes have. */
const char *route_bases(size_t i);
#define PARAM_BASE \
    { \
        .name = "base", .type = PARAM_CHOICE, .choices = route_bases, \
        .summary = "the number of the first row and column, in and out" \
    }
#define PARAM_FORMAT(names) \
    { \
        .name = "format", .type = PARAM_CHOICE, .choices = (names), .keep = true, \
        .summary = "the representation, whatever Accept says" \
    }
#define PARAM_SEED(of) \
    { \
        .name = "seed", .type = PARAM_NUMBER, .most = ROUTE_SEED_MOST, .summary = (of) \
    }
/* Seeds stay below 2^53: a client that reads numbers as doubles must be able to ask again. */
#define ROUTE_SEED_MOST ((UINT64_C(1) << 53) - 1)
/* Draws a seed if none was given, and lays it into the value; true when it was drawn. */
bool route_draw_seed(struct value *seed);

/* The base a value of that row stands for: its choices are "1" and "0". */
static inline uint32_t route_base(const struct value *value)
{
    return value->number == 0;
}

/* The table; ends with NULL. */
extern const struct route *const routes[];
size_t routes_count(void);

/* The route of a path on a port for a verb, and the segment its {name} stands for. NULL: there is none. *any is then
 * one with the same path and another verb, or NULL. */
const struct route *route_find(enum port port, const char *path, enum verb verb, char segment[static SEGMENT_MAX + 1],
                               const struct route **any);

/* Appends the methods of a route's path, as in Allow. */
void route_allow(const struct route *route, struct bytes *out);

/* Appends the whole table as JSON: `nqueensd routes`, for whoever compares it with openapi.yaml. */
void routes_write(struct bytes *out);

/* ---- What a route may do with a request, once ---- */

/* The server it came to. */
struct server *request_server(const struct request *request);

/* The segment that the {name} in the route's path stands for; "" when there is none. */
const char *request_segment(const struct request *request);

/* The whole body, of a POST. */
const struct bytes *request_body(const struct request *request);

/* What the route's intake has made of it. */
void *request_taken(const struct request *request);

/* Counts memory that the request holds until it is over; false when all requests together have too much. */
bool request_hold(struct request *request, size_t bytes);

/* The format that was settled on, by `format` or by Accept; for routes with formats. */
const struct format *request_format(const struct request *request);

/* Completes a question: its key, path and prefix, from the canonical form of the parameters. False: out of memory. */
bool request_canonical(struct request *request, const struct value *values, struct question *question);

/* The same by other parameters than the route's: the question's key is of a space, its path another route's. */
bool request_canonical_as(struct request *request, const char *space, const char *path, const struct param *params,
                          const struct value *values, struct question *question);

/* Replies with the answer to a question: from the cache at once, otherwise as soon as it is there. A HEAD never waits.
 */
enum MHD_Result reply_question(struct request *request, const struct question *question);

/* The beginning of such a reply, or, if it `flows`, of a stream: true when it was made of what is at hand - the answer
 * in the cache, a tag that the client has, the headers that a HEAD wants. */
bool reply_at_hand(struct request *request, const struct question *question, bool flows, enum MHD_Result *result);

/* Asks a question on the way to a reply: `then` gets the answer, which is there during the call, and goes on. Whatever
 * else it comes to is the reply: a problem, or a job. then NULL: replies with the answer. */
typedef enum MHD_Result (*request_then)(struct request *request, struct answer *answer);
enum MHD_Result reply_after(struct request *request, const struct question *question, request_then then);

/* Begins a job for a question and replies with where it is, once it is recorded: 202, or 200 when it is done already.
 */
enum MHD_Result reply_job(struct request *request, const struct question *question);

/* Replies in such a way, once all that was done to jobs so far is recorded, or cannot be. */
enum MHD_Result reply_recorded(struct request *request, enum MHD_Result (*reply)(struct request *request));

/* Replies with what becomes of a job: server-sent events, until it is over. */
enum MHD_Result reply_events(struct request *request, const char *id);

/* Replies with a stream. A HEAD gets the headers only. reply_flow: reply_at_hand has been tried. */
enum MHD_Result reply_stream(struct request *request, const struct question *question);
enum MHD_Result reply_flow(struct request *request, const struct question *question);

/* Replies with bytes made on the spot (taken over), of the route's media type. cacheable: they change with the release
 * only. */
enum MHD_Result reply_bytes(struct request *request, unsigned status, struct bytes *body, bool cacheable);

/* Replies with a file of the page (taken over), to be asked for anew every time: it has a tag of what is in it.
 * language NULL: the file has none, else it was chosen by request_language(). */
enum MHD_Result reply_web(struct request *request, const char *media_type, const char *language, struct bytes *body);

/* The one of these languages (two letters each, ends with NULL) that Accept-Language wants most; else the first. */
const char *request_language(const struct request *request, const char *const *languages);

enum MHD_Result reply_problem(struct request *request, enum problem problem, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));

/* Replies that n queens have no solution: n is 2 or 3. */
enum MHD_Result reply_no_solution(struct request *request, uint32_t n);

/* Replies with the problem that stands for a status of the floors below; not for NQ_OK, NQ_END, NQ_AGAIN. */
enum MHD_Result reply_status(struct request *request, enum nq_status status);

/* Replies with 400 or 422 naming every bad parameter. There must be at least one. */
enum MHD_Result reply_complaints(struct request *request, const struct complaints *complaints);

#endif
