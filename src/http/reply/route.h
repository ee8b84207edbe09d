/* route.h - the shape of an endpoint, and what it may do with a request. A route reads its parameters into a question
 * and says how to reply; it never sees a board, a thread or a socket. */
#ifndef HTTP_REPLY_ROUTE_H
#define HTTP_REPLY_ROUTE_H

#include <microhttpd.h>

#include "base/param.h"
#include "engine/engine.h"
#include "http/reply/page.h"
#include "http/wire/problem.h"

struct request;

enum port { PORT_PUBLIC, PORT_ADMIN };

/* What a method wants of a route: GET and HEAD read, POST makes, DELETE removes. */
enum verb { VERB_READ, VERB_POST, VERB_DELETE, VERB_OPTIONS, VERB_OTHER, VERB_UNKNOWN };

struct route;

/* The verbs of a route, as bits: 1 << VERB_READ stands for that verb, and so on. */
unsigned route_verbs(const struct route *route);

enum { SEGMENT_MAX = 64 };

/* Reads normal values into the request's question, which is all zero but that a drawn seed makes it uncacheable. Adds
 * validation errors that rows cannot: about parameters that do not go together. All values are sound, and no bond is
 * broken; with any error the question is not asked. False: out of memory. */
typedef bool (*route_reader)(struct request *request, const struct value *values, struct validation_errors *errors);

/* Replies or suspends; what the functions below return is passed on. All values are sound. */
typedef enum MHD_Result (*route_handler)(struct request *request, const struct value *values);

struct route {
    struct form asks;
    enum port port;
    enum verb verb; /* one of the first three; routes of one path stand together in the table */
    const char *summary;
    const char *example;   /* a whole target that works, for those who took a wrong path; NULL: path is one */
    param_choices formats; /* names of formats, the choices of its parameter `format`; NULL: only media_type */
    /* How many of them an Accept may choose by the other parameters; NULL: all. */
    size_t (*acceptable)(const struct value *values);
    const char *media_type;
    bool prefer; /* heeds the header field Prefer */
    bool loose;  /* parameters without a row are no errors: they are for the page itself */
    /* Replies to a browser that was led to the path alone: a GET without a query whose Accept names text/html. NULL: as
     * to everybody. */
    enum MHD_Result (*page)(struct request *request);
    bool named_origins; /* only pages of origins in --cors-origin may read its replies, see response.h */
    /* Sets normal values that a header field says, other than Accept. NULL: there is none. */
    void (*heed)(struct request *request, struct value *values);
    route_reader read;    /* NULL: it asks nothing, or its handler makes the question */
    route_handler handle; /* HEAD comes with GET, OPTIONS with everything */
    /* A POST has a board as its body, in one of verify_forms, which is read before the handler is called: see upload.h.
     * Else it has any body of BODY_MAX bytes. A route that reads takes such a POST, too. Both go on as if their address
     * had what the board says. */
    bool board;
    /* Adds validation errors of what the address has, before such a body is read. NULL: there are none. */
    void (*check)(const struct request *request, const struct value *values, struct validation_errors *errors);
};

/* The i-th representation a route has, NULL after the last. */
const char *route_media_type(const struct route *route, size_t i);

/* Appends the methods of verbs as in Allow, as bits. */
void route_allow(unsigned verbs, struct bytes *out);

/* ---- What a route may do with a request ---- */

/* What it asks. */
struct question *request_question(struct request *request);

/* Room for n columns that what it asks borrows, until the request is over; once a request. NULL: out of memory. */
uint32_t *request_columns(struct request *request, uint32_t n);

/* The format that was negotiated, by `format` or by Accept; for routes with formats. */
const struct format *request_format(const struct request *request);

/* Counts memory that the request holds until it is over; false when all requests together have too much. */
bool request_hold(struct request *request, size_t bytes);

/* Completes its question: key, path and prefix, from the canonical form of the parameters, and for whom it is asked.
 * False: out of memory. */
bool request_canonical(struct request *request, const struct value *values);

/* The same by other parameters than the route's: the question's key is of a space, its path another route's. */
bool request_canonical_as(struct request *request, const char *space, const char *path, const struct param *params,
                          const struct value *values);

/* Replies with the answer to its question: from the cache at once, otherwise as soon as it is there; or with a stream,
 * if it is one. What the question needs is asked first, and may become a job. A HEAD never waits. */
enum MHD_Result reply_question(struct request *request);

/* The same for a question that is not in the cache, and whose canonical form, if any, is complete. */
enum MHD_Result reply_new(struct request *request);

/* Completes its question and does that: what most routes do. */
enum MHD_Result reply_values(struct request *request, const struct value *values);

/* The beginning of such a reply: true when it was made of what is at hand - the answer in the cache, a tag that the
 * client has, the headers that a HEAD wants. */
bool reply_at_hand(struct request *request, enum MHD_Result *result);

/* What a route does when something has come that it waited for: an answer, which is there during the call; NULL: what
 * it waited for is none. */
typedef enum MHD_Result (*request_then)(struct request *request, struct answer *answer);

/* Asks a question on the way to a reply: `then` gets the answer and goes on. Any other outcome is the reply: a problem,
 * or a job. then NULL: replies with the answer. reply_found: the answer is not in the cache. */
enum MHD_Result reply_after(struct request *request, const struct question *question, request_then then);
enum MHD_Result reply_found(struct request *request, const struct question *question, request_then then);

/* reply_found(); but if the question turns out to be beyond a limit, `then` gets no answer: request->fault says why. */
enum MHD_Result reply_found_or_refused(struct request *request, const struct question *question, request_then then);

/* Begins a job for its question and replies with where it is, once it is recorded: 202, or 200 when it is done already.
 */
enum MHD_Result reply_job(struct request *request);

/* Calls `then`, without an answer, once all that was done to jobs so far is recorded, or cannot be. */
enum MHD_Result reply_recorded(struct request *request, request_then then);

/* Replies with the progress and the end of a job: server-sent events. */
enum MHD_Result reply_events(struct request *request, const char *id);

/* The id of the last event that the client has received, NULL: none. The reply depends on it. */
const char *request_last_event(struct request *request);

/* What a client gets that has received the last event, so that it stops asking: 204. */
enum MHD_Result reply_no_more_events(struct request *request);

/* Replies with an answer, whose reference it takes over, or with its gzip copy if the client prefers that. */
enum MHD_Result reply_answer(struct request *request, struct answer *answer);

/* Replies with bytes (taken over), of the route's media type, which the client must not keep. reply_body: or with their
 * gzip copy if the client prefers that. */
enum MHD_Result reply_bytes(struct request *request, unsigned status, struct bytes *body);
enum MHD_Result reply_body(struct request *request, struct bytes *body);

/* Replies with JSON that the values alone decide, and at once: written for the first request, and kept with the
 * answers. */
enum MHD_Result reply_constant(struct request *request, const struct value *values,
                               void (*write)(const struct value *values, struct bytes *body));

/* Replies with a file, or with its gzip copy if the client prefers it, of the route's media type. The client may keep
 * it; the tag is a hash of the copy's bytes. */
enum MHD_Result reply_file(struct request *request, const struct embedded *file);

/* How a file of the page is sent: values of headers. policy: what a page may load, NULL for what is no page; language:
 * NULL for what has none. */
struct web_file {
    const char *media_type, *cache, *policy, *language;
};
enum MHD_Result reply_web(struct request *request, const struct web_file *as, const struct embedded *file);

/* The same with lines (taken over) before it, which are of this request. */
enum MHD_Result reply_web_page(struct request *request, const struct web_file *as, struct bytes *head,
                               const struct embedded *rest);

/* The page of the explorer that counts: its path is also the one of the counts. */
enum MHD_Result reply_count_page(struct request *request);

/* Replies with a problem that has its facts as members, too. */
enum MHD_Result reply_problem_with(struct request *request, enum problem problem, const struct problem_facts *facts,
                                   const char *detail, ...) __attribute__((format(printf, 4, 5)));

/* The same without any. */
#define reply_problem(request, problem, ...) reply_problem_with(request, problem, NULL, __VA_ARGS__)

/* Replies that n queens have no solution by a rule. */
enum MHD_Result reply_no_solution(struct request *request, uint32_t n, const struct rule *rule);

/* A 404; or a 503 if the store may have the job, and cannot be read. */
enum MHD_Result reply_no_such_job(struct request *request, const char *id);

/* Replies with the problem that stands for a status of the engine; not for NQ_OK, NQ_END, NQ_AGAIN. */
enum MHD_Result reply_status(struct request *request, enum nq_status status);

/* Replies with 400 or 422 naming every bad parameter. There must be at least one. */
enum MHD_Result reply_validation_errors(struct request *request, const struct validation_errors *errors);

/* Replies that a request is not for this client: 401 without a key, for this reason, and 403 with one, for that. */
enum MHD_Result reply_denied(struct request *request, const char *keyless, const char *keyed);

#endif
