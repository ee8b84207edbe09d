/* service.h - what all requests share: the engine, the log, counters, and limits. It knows no sockets, and of requests
 * only how many there are. */
#ifndef HTTP_REPLY_SERVICE_H
#define HTTP_REPLY_SERVICE_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/lock.h"
#include "engine/engine.h"
#include "http/guard/access.h"
#include "http/guard/client.h"
#include "http/guard/log.h"
#include "http/guard/metrics.h"
#include "http/guard/watcher.h"
#include "http/reply/events.h"

enum { RELOAD_WHY_MAX = 640 };

/* How the last reload of files by a signal ended. */
struct reload {
    bool failed;
    int64_t time;             /* seconds since 1970; of the start, if there was none */
    char why[RELOAD_WHY_MAX]; /* it failed: a sentence without a full stop */
};

struct service_options {
    const char *base_path; /* the public prefix, "" or "/a/b" */
    unsigned max_connections;
    unsigned max_client_connections; /* 0: half of all */
    unsigned max_client_searches;    /* searches and streams of one client, under way or waiting */
    struct networks trusted_proxies;
    struct access *access;       /* NULL: no keys are asked for; else the caller's, as long as the server is */
    double free_seconds;         /* of one core that a count may take without a key, or that asks for no job */
    unsigned max_client_jobs;    /* unfinished ones that one client has begun, where no keys are asked for */
    const char *origins;         /* of pages that may use jobs and keys: see response.h */
    const char *frame_ancestors; /* of pages that may embed the explorer's: see response.h */
    bool forwarded;              /* proxies write Forwarded; else X-Forwarded-For */
    size_t max_reply_bytes;      /* of answers being sent */
    unsigned max_wait_s;         /* for an answer */
    unsigned max_streams;        /* of events, at once; and how long each may last: */
    unsigned stream_s;
    size_t max_target_bytes, max_body_bytes; /* of a request; a route may accept no body as large as that */
    const char *fallback; /* why facts are kept in memory only, and not in the store that was wanted; NULL: they are */
};

/* Memory of requests that are over, for the next ones. To allocate and free some kilobytes for each made the allocator
 * merge its small pieces every time: a cached answer took 6 400 instructions more. */
struct spare_requests {
    struct request *list;
    unsigned count;
};

/* How far the end has come, one after the other. */
enum phase {
    PHASE_SERVING,
    PHASE_DRAINING, /* /readyz says so; everything is served as before */
    PHASE_CLOSING,  /* every connection is closed after its next reply */
    PHASE_STOPPED,  /* requests that would have to wait are refused: the engine is being closed */
};

struct service {
    struct service_options options;
    struct engine *engine; /* the caller's, and so is the log */
    struct log *log;
    struct metrics *metrics; /* the server's, and so is the watcher */
    struct watcher *watcher;
    struct hub *hub;
    struct clients *clients;
    struct MHD_Response *last_words; /* the reply that memory is out, made while there is some */
    struct spare_requests spare[2];  /* by port: each belongs to the thread that serves the port */
    atomic_bool serving;             /* all ports are open */
    atomic_uint phase;               /* enum phase */
    atomic_uint begun;               /* requests on the public port that have come; it wraps around */
    atomic_uint active;              /* requests on the public port, from first line to last byte */
    atomic_uint connections[2];      /* by port */
    atomic_size_t held;              /* bytes of answers being sent, and of bodies that have come */
    atomic_ullong connections_refused, clients_refused, access_refused;
    atomic_ullong last_id;
    struct lock reloading; /* guards: */
    struct reload reload;  /* the last one */
    uint64_t seed;         /* of request ids and of the hashes of clients: another process has another */
};

/* False: out of memory; service_end() frees what there is. */
bool service_begin(struct service *service, const struct service_options *options, struct engine *engine,
                   struct log *log);
void service_end(struct service *service);

enum phase service_phase(const struct service *service);

/* Counts bytes of answers being sent and of bodies being read; false when that would be too many: they are memory that
 * slow clients hold. */
bool service_hold(struct service *service, size_t bytes);
void service_release(struct service *service, size_t bytes);

/* Files were read again, on any thread. why NULL: without a fault. */
void service_reloaded(struct service *service, const char *why);

/* Appends whether and how requests are welcome, and returns the reply's status: see readiness.h. */
unsigned service_readiness(struct service *service, struct bytes *out);
void service_metrics(struct service *service, struct bytes *out);

#endif
