/* request.h - one request from its first line to its last byte. Each part of it has one owner, who frees what is in it.
 */
#ifndef HTTP_REPLY_REQUEST_H
#define HTTP_REPLY_REQUEST_H

#include "http/reply/route.h"
#include "http/reply/service.h"
#include "http/wire/headers.h"

enum { REQUEST_ID_MAX = 64, ETAG_SIZE = 19 };

/* Bytes that a canonical path may have more than the target that leads to it: the limit, a seed that was drawn, the
 * format that Accept chose; and those of the public prefix. */
enum { CANONICAL_ROOM = 256 };

enum stage {
    STAGE_NEW,     /* headers not seen yet */
    STAGE_BODY,    /* reading a body, or dropping it */
    STAGE_WAITING, /* suspended; `resumed` is called then */
    STAGE_REPLIED, /* a response is queued */
};

struct method_row {
    const char *name; /* "unknown" for any other */
    enum verb verb;
};

/* For whom it is asked, and how much they may have. */
struct requester {
    struct principal principal;
    unsigned searches; /* at once, of its client */
    bool entered;      /* it counts among these */
    bool strange;      /* its key is unknown, or it has two */
    char address[CLIENT_TEXT_MAX];
};

/* The bytes of a body, all of which are collected before the route is called; see body_begin(). */
struct request_body {
    size_t size;     /* that have come */
    size_t most;     /* that are accepted */
    size_t room;     /* that may ever be needed: what the head announces, or `most` */
    bool kept;       /* they are kept: in `data`, whose capacity request_hold() has counted. False: they are dropped */
    char *data;      /* NULL: none */
    size_t capacity; /* of data */
    size_t made;     /* bytes of data, from its beginning, that have their pages */
    enum nq_status status; /* NQ_BUSY, NQ_NOMEM: why they are dropped */
    struct pending *chore; /* has read them: what it read may be used while the request lasts; NULL: none did */
};

/* What `pending` of a request is: where the request stands that it belongs to. */
enum at {
    AT_NOTHING, /* there is none */
    AT_ANSWER,  /* a waiter for an answer, */
    AT_COPY,    /* a chore that makes a gzip copy of one, `plain` */
    AT_RECORD,  /* until jobs are recorded, */
    AT_JOB,     /* until `job` is, which is the reply */
    AT_BODY,    /* a chore that reads the body */
    AT_STREAM,  /* a stream: opened while the request is suspended, then read */
    AT_EVENTS,  /* a job's events, being read */
};

struct reply {
    unsigned status;  /* 0: none yet */
    uint64_t bytes;   /* of its body, as far as sent to libmicrohttpd */
    const char *body; /* these, if they are all there: the response's */
    bool poor;        /* there was no memory for all of it */
    bool close;       /* the connection is closed after it */
    bool past;        /* it goes past libmicrohttpd, which cannot send it */
    bool negotiated;  /* its representation depends on Accept, */
    bool spoken;      /* on Accept-Language, */
    bool resumes;     /* on Last-Event-ID, */
    bool coded;       /* and on Accept-Encoding */
    bool gzip;        /* it is a gzip copy, */
    bool weak;        /* which has other bytes another time, but the same content: its tag is weak */
    bool prefixed;    /* its links begin with the public prefix */
    bool schemed;     /* it has whole addresses: http: or https: */
    bool located;     /* the seed was drawn here, or a board was sent: Content-Location says what returns the same */
    char etag[ETAG_SIZE]; /* of a complete answer; "": none */
};

struct request {
    struct service *service;
    struct request *next; /* while it is spare */
    struct MHD_Connection *mhd;
    struct connection *connection; /* NULL until the headers are there */
    enum port port;
    enum stage stage;
    uint64_t began; /* clock_now() */
    char id[REQUEST_ID_MAX + 1];

    const struct method_row *method;
    bool head, http10;
    char *target;                    /* as it came, cut where it is too long */
    size_t target_size, target_most; /* and how many bytes it may have */
    struct headers headers;
    const char *prefix; /* the public one, that links begin with */
    bool prefix_varies; /* it depends on X-Forwarded-Prefix: a proxy that is trusted sent the request */
    struct trace_context trace;
    struct requester requester;
    struct request_body body;

    const struct route *route;     /* NULL: none was found; one that has the path, when none has the method */
    unsigned verbs;                /* of its path, for Allow */
    char segment[SEGMENT_MAX + 1]; /* that the {name} in the route's path stands for; "": it has none */
    size_t representation;         /* index into the route's */

    struct question question; /* has what it needed; borrows: */
    char *key, *path;         /* canonical, see struct question */
    uint32_t *columns;        /* of where its list begins, or NULL */
    void *kept;               /* the route's own */
    void (*kept_free)(void *kept);

    uint64_t seen; /* what the last look for an answer in the cache found: see engine_peek() */
    enum at at;
    struct pending *pending;   /* what it waits for, or reads from. NULL: memory was out */
    request_then then;         /* what to do when what it waits for has come; NULL: reply with the answer */
    bool goes_on;              /* `then` wants to know of a refusal, too, */
    const struct fault *fault; /* which is here during the call; NULL: it has an answer */
    bool again;                /* what the question needs was asked for a second time */
    bool wants_job;            /* an answer is not enough */
    uint64_t size;             /* of the stream that it sends, or MHD_SIZE_UNKNOWN */
    struct answer *plain;      /* whose gzip copy it waits for, or NULL */
    bool unrecorded;           /* the last record of a job failed */
    bool left;                 /* the client left before it got its answer */
    char job[JOB_ID_SIZE];     /* the one that was begun, "": none */

    struct reply reply;
    size_t held; /* bytes of a body and of an answer being sent, as counted by service_hold() */
    struct spent spent;
    const char *cache; /* for the log: hit, miss, stream, cut (a stream that did not end), none */
};

/* A request has come. NULL: out of memory. */
struct request *request_new(struct service *service, enum port port, const char *target, struct MHD_Connection *mhd);

void request_free(struct request *request);

/* Frees the memory that is kept for further requests. */
void requests_free_spare(struct spare_requests *spare);

/* What it waits for, or reads from, has come or is given up: the caller's from now on, to be ended by pending_close().
 * What it took is added to request->spent. NULL: memory was out, or there is none. */
struct pending *request_take(struct request *request);

/* The same, and ends it. */
void request_give_up(struct request *request);

/* Whether it is a POST of a board to a route that takes one. */
bool request_sends_board(const struct request *request);

/* Gives memory back that request_hold() has counted. */
void request_release(struct request *request, size_t bytes);

/* Keeps something of the route's until the request is over, and frees what was kept before. */
void request_keep(struct request *request, void *kept, void (*free)(void *kept));

/* Counts a request among its client's searches, until it is over. False: that would be too many. */
bool request_enter(struct request *request);

/* Resumes a suspended request: how the engine wakes it. */
void request_wake(void *request);

/* ---- Suspension ---- */

/* Suspends a request while it waits for the engine. */

/* Suspends the request, which must come before anything that can wake it: see reply_resumed(). */
void suspension_begin(struct request *request, enum at at);

/* That is what it waits for; the watcher cancels it after so many seconds (0: never), or when the client leaves. NULL:
 * memory was out, and nothing else wakes the request. */
void suspension_watch(struct request *request, struct pending *pending, unsigned seconds);

/* The request was suspended: goes on with what came, or did not. */
enum MHD_Result reply_resumed(struct request *request);

/* ---- Bodies ---- */

/* Collects the bytes of a request's body, and has them read on a thread of the pool: the thread that serves everybody
 * only moves them. See reply.c. */

/* The head is there. route: where a POST goes; NULL: nowhere. */
void body_begin(struct request *request, const struct route *route);

/* Keeps a piece, if there is room; request->body.size may exceed body.most, then nothing is kept. */
void body_add(struct request *request, const char *piece, size_t size);

/* Hands the bytes to the caller, who frees them and gives back what is counted for them by service_release(): *held. */
char *body_take(struct request *request, size_t *size, size_t *held);

/* Carries a chore out for the request: order has the functions and the state. Calls `then`, without an answer, once
 * that is done; any other outcome is the reply. The state is freed with the request, or before that. Until `then` the
 * chore may outlive the request, so it must not touch it. Once a request. */
enum MHD_Result reply_chore(struct request *request, const struct chore_order *order, request_then then);

#endif
