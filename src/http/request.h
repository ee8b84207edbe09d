/* request.h - one request from its first line to its last byte: what request.c, routing.c and reply.c share. Routes see
 * route.h only. */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "http/events.h"
#include "http/headers.h"
#include "http/route.h"
#include "http/server.h"
#include "http/trace_context.h"
#include "http/watcher.h"

enum { REQUEST_ID_MAX = 64, ETAG_SIZE = 19 };

enum stage {
    STAGE_NEW,     /* headers not seen yet */
    STAGE_BODY,    /* reading a body, or dropping it */
    STAGE_WAITING, /* suspended; `resumed` is called then */
    STAGE_REPLIED, /* a response is queued */
};

struct method_row {
    const char *name; /* "unknown" for what is not known */
    enum verb verb;
};

struct request {
    struct server *server;
    enum port port;
    struct MHD_Connection *connection;
    struct peer *peer;
    const struct route *route; /* NULL: none was found */
    enum stage stage;
    bool head, http10, close, refused; /* refused: answered past libmicrohttpd */
    uint64_t began;                    /* clock_now() */
    char id[REQUEST_ID_MAX + 1];
    struct trace_context trace;
    const struct method_row *method;
    char *target; /* as it came */
    size_t body_size;
    struct bytes body;           /* of a POST, unless there is */
    const struct intake *intake; /* of its route */
    void *taken;
    char segment[SEGMENT_MAX + 1];

    struct headers headers;
    struct asker asker; /* whom it comes from, and what they may have */
    unsigned searches;  /* at once, of its client */
    bool strange;       /* its key is nobody's, or it has two */
    char client_text[CLIENT_TEXT_MAX];
    bool entered;          /* it counts among its client's searches */
    size_t representation; /* index into the route's */
    bool negotiated;       /* by Accept, which answers must then vary with */
    bool spoken;           /* likewise by Accept-Language */

    char *key, *path;     /* canonical, see struct question */
    char etag[ETAG_SIZE]; /* of a complete answer; "" when there is none */
    bool kernel_used;     /* the question is one a kernel works on */
    bool drawn;           /* its seed was drawn here: the path says which */
    enum MHD_Result (*resumed)(struct request *request);
    struct ticket *ticket; /* while waiting for an answer */
    struct spent {
        bool searched;     /* a thread took a search up */
        bool told;         /* that of the ticket is here */
        uint64_t took_off; /* clock_now() when one did so first */
        uint64_t waited;   /* nanoseconds for that */
        struct cost cost;  /* of searches, whoever else waits for them */
    } spent;
    struct party *settling; /* while waiting for a job to be recorded */
    enum MHD_Result (*recorded)(struct request *request);
    request_then then;     /* what to do with the answer, NULL: reply with it */
    struct list *list;     /* on the way to a list of solutions */
    struct stream *stream; /* while streaming */
    struct events *events; /* while telling of a job */
    bool job_wanted;       /* an answer is not enough */
    char job[JOB_ID_SIZE]; /* the one that was begun, "" when there is none */

    uint64_t promised; /* the length of a stream, or MHD_SIZE_UNKNOWN */
    size_t held;       /* bytes of what was sent here and of an answer being sent, as told to server_hold */
    unsigned status;   /* of the reply, 0 before it */
    bool poor;         /* there was no memory for all of the reply that is being made */
    uint64_t bytes;    /* of its body, as far as sent to libmicrohttpd */
    const char *quota; /* what its client has as much of as it may, and how much that is, when the reply is 429 */
    unsigned quota_most;
    const char *cache; /* for the log: hit, miss, stream, cut (a stream that did not end), none */
};

/* The ticket has been waited for: adds what that took to what the request took, once. */
void request_spend(struct request *request);

/* The row of a method; never NULL. */
const struct method_row *request_method(const char *method);

/* The request is whole: finds its route, reads its parameters and calls it, or refuses. url is the decoded path. */
enum MHD_Result request_dispatch(struct request *request, const char *url);

/* The intake of the route that such a request will come to, NULL when it has none. */
const struct intake *request_intake(const struct request *request, const char *url);

/* Waits for the answer to a question that is not at hand, or for the job that looks for it, and replies with it or goes
 * on with request->then. */
enum MHD_Result reply_found(struct request *request, const struct question *question);

/* Replies that its client has as many searches under way as it may, or as many jobs. */
enum MHD_Result reply_too_many(struct request *request);
enum MHD_Result reply_too_many_jobs(struct request *request);

/* Replies that a request is not for whoever asks: 401 without a key, for this reason, and 403 with one, for that. */
enum MHD_Result reply_denied(struct request *request, const char *keyless, const char *keyed);

/* Replies to a strange request. */
enum MHD_Result reply_strange(struct request *request);

/* Whether a request asks for a job that is never begun for whoever asks: then that is the reply. */
bool reply_barred(struct request *request, const struct question *question, enum MHD_Result *result);

/* Replies that need no route: 204, 405, both with Allow. */
enum MHD_Result reply_options(struct request *request);
enum MHD_Result reply_method_not_allowed(struct request *request);

/* Counts bytes of answers being sent and of bodies being read; false when that would be too many: they are memory that
 * slow clients hold. */
bool server_hold(struct server *server, size_t bytes);
void server_release(struct server *server, size_t bytes);

/* Counts a request among its client's searches, until it is over. False: that would be too many. */
bool request_enter(struct request *request);

struct hub *server_hub(struct server *server);

/* A reply that says that memory is out, the same for all, made when there was some; it is not taken over. */
struct MHD_Response *server_last_words(const struct server *server);

unsigned server_max_wait(const struct server *server);
const char *server_origins(const struct server *server);
bool server_has_keys(const struct server *server);

#endif
