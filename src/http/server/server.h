/* server.h - opens the ports of the service, and stops them. */
#ifndef HTTP_SERVER_SERVER_H
#define HTTP_SERVER_SERVER_H

#include "http/guard/client.h"
#include "http/guard/watcher.h"
#include "http/reply/route.h"
#include "http/reply/service.h"
#include "http/wire/address.h"

struct server;

struct server_options {
    const char *listen, *admin; /* as address.h has it; port 0 picks one; admin "off": no second port */
    struct activation passed;   /* sockets for "systemd", named http and admin */
    struct pace_limit pace;     /* at which an answer must be taken */
    unsigned request_s;         /* for a request to arrive, from its first bytes */
    unsigned keep_alive_s;      /* without any traffic, a stalled reader's too */
    struct service_options service;
};

enum { SERVER_ERROR_MAX = 320 };

/* Opens the ports and serves. NULL: failure, with a sentence in error. The engine and the log stay the caller's. */
struct server *server_start(const struct server_options *options, struct engine *engine, struct log *log,
                            char error[static SERVER_ERROR_MAX]);

/* From now on /readyz says that the service is draining. Everything else is as before. */
void server_announce(struct server *server);

/* From now on no new connections on the public port; requests on those that are open are served, and each reply closes
 * its connection. Takes a few milliseconds: those that have connected are accepted first. */
void server_drain(struct server *server);

/* After server_drain(), to be called again and again: whether the server can be stopped without losing a request. */
bool server_drained(struct server *server);

/* Whether nothing is under way on the public port. */
bool server_idle(const struct server *server);

/* Closes the engine, which cancels all searches, then the ports, and frees the server, within a second unless the store
 * or a search is slow. Returns the status of engine_close(). Not NQ_OK: requests may still wait for a search, so the
 * connections stay open, though no port accepts new ones, and the server is not freed; the caller must end the process.
 */
enum nq_status server_stop(struct server *server);

/* What its requests share. */
struct service *server_service(struct server *server);

/* The address in use, "127.0.0.1:8080", "unix:/path"; "" of PORT_ADMIN without a second port. */
const char *server_address(const struct server *server, enum port port);

#endif
