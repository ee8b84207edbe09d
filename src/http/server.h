/* server.h - the service as a whole: two ports, a watcher, metrics and a log around one engine. */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "engine/engine.h"
#include "http/access.h"
#include "http/activation.h"
#include "http/client.h"
#include "http/log.h"
#include "http/metrics.h"
#include "http/pace.h"

struct server;

struct server_options {
    const char *listen, *admin; /* as address.h has it; port 0 picks one; admin "off": no second port */
    struct activation passed;   /* sockets for "systemd", named http and admin */
    const char *base_path;      /* the public prefix, "" or "/a/b" */
    unsigned max_connections, max_client_connections;
    unsigned max_client_searches; /* searches and streams of one client, under way or waiting */
    struct networks trusted_proxies;
    struct access *access;  /* NULL: no keys are asked for; else the caller's, as long as the server is */
    double free_seconds;    /* of one core that a count may take without one */
    const char *origins;    /* of pages that may read replies: see cors.h */
    bool forwarded;         /* they write Forwarded; else X-Forwarded-For */
    size_t max_reply_bytes; /* of answers being sent */
    unsigned max_wait_s;    /* for an answer */
    unsigned max_streams;   /* of events, at once; and how long each may last: */
    unsigned stream_s;
    size_t max_target_bytes, max_body_bytes; /* of a request; a route may take no body as large as that */
    const char *fallback; /* why facts are kept in memory only, and not in the store that was wanted; NULL: they are */
    struct pace_limit pace; /* at which an answer must be taken */
    unsigned request_s;     /* for a request to arrive, from its first bytes */
    unsigned keep_alive_s;  /* without any traffic, a stalled reader's too */
};

enum { SERVER_ERROR_MAX = 320 };

/* Opens the ports and serves. On failure NULL with a sentence in error. The engine and the log stay the caller's. */
struct server *server_start(const struct server_options *options, struct engine *engine, struct log *log,
                            char error[static SERVER_ERROR_MAX]);

/* From here on: no new connections and no new searches; what is under way goes on. */
void server_drain(struct server *server);

/* Whether nothing is under way on the public port. */
bool server_idle(const struct server *server);

/* Cancels what is left, closes the ports and frees the server, within a second, unless the store or a search is slow.
 * The engine is closed on the way: returns what that came to. NQ_TIMEOUT: what waits for that search still does, the
 * ports are as they were and the server cannot be freed; all that is left to do is to end the process. */
enum nq_status server_stop(struct server *server);

/* The addresses in use, "127.0.0.1:8080", "unix:/path"; admin is "" without a second port. */
const char *server_address(const struct server *server);
const char *server_admin(const struct server *server);

/* For routes. */
struct engine *server_engine(const struct server *server);
bool server_draining(const struct server *server);
const char *server_prefix(const struct server *server);
/* Appends whether and how requests are welcome, and returns the status to say it with: see readiness.h. */
unsigned server_readiness(struct server *server, struct bytes *out);
void server_metrics(struct server *server, struct bytes *out);

#endif
