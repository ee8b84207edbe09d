/* service.h - the server from inside: what server.c, which starts and stops it, shares with request.c, which it calls.
 */
#ifndef HTTP_SERVICE_H
#define HTTP_SERVICE_H

#include <pthread.h>

#include "http/address.h"
#include "http/clients.h"
#include "http/request.h"
#include "http/shortage.h"

struct listener {
    struct server *server;
    enum port port;
    struct MHD_Daemon *daemon; /* NULL: closed */
    int waker;                 /* the daemon's */
    struct shortage shortage;
    atomic_uint connections;
    bool quiet;             /* it listens no more; */
    int listening;          /* then the descriptor it did so with, until the daemon is closed */
    struct address address; /* in use */
};

struct server {
    struct server_options options;
    struct engine *engine;
    struct log *log;
    struct metrics *metrics;
    struct watcher *watcher;
    struct hub *hub;
    struct clients *clients;
    uint64_t client_salt;
    atomic_ullong connections_refused, clients_refused, access_refused;
    const char **route_names;
    atomic_bool serving, draining; /* both ports are open; the end has begun */
    atomic_size_t held;            /* bytes of answers being sent, and of bodies that have come */
    uint64_t trimmed;              /* clock_now(): only the watcher's thread has it */
    atomic_uint active;            /* requests on the public port, from first line to last byte */
    struct MHD_Response *last_words;
    atomic_ullong last_id;
    uint64_t id_seed;
    struct listener listeners[2];
    pthread_mutex_t opening; /* while ports are opened or closed, or used by another thread than libmicrohttpd's */
};

/* What libmicrohttpd calls for each connection and request; cls is the listener. */
enum MHD_Result on_accept(void *cls, const struct sockaddr *address, socklen_t size);
void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                   enum MHD_ConnectionNotificationCode what);
void *on_target(void *cls, const char *target, struct MHD_Connection *connection);
enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                           const char *version, const char *upload, size_t *upload_size, void **state);
void on_completed(void *cls, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode how);

#endif
