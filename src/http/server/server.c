/* server.c - opens the two ports, and stops in the only order in which libmicrohttpd does not abort: no new
 * connections, drain, cancel all searches and resume all connections, stop. */
#include "http/server/server.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "http/guard/nudge.h"
#include "http/routes/routes.h"
#include "http/server/callbacks.h"
#include "http/wire/headers.h"

enum { ADMIN_CONNECTIONS = 64, LAST_WORDS_MS = 500, TRIM_S = 10, ARENA_END = 1 << 20 };

/* libmicrohttpd comes with GnuTLS, and begins it before main(): it reads tables of ASN.1 and takes nearly a megabyte.
 * No port of ours has TLS, so these take the place of GnuTLS's own. The first is GNUTLS_SKIP_GLOBAL_INIT of its header;
 * the others are called by libmicrohttpd. tests/containers.test.js notices when it no longer does, or another library
 * wants GnuTLS. */
int _gnutls_global_init_skip(void);
int gnutls_global_init(void);
void gnutls_global_deinit(void);

int _gnutls_global_init_skip(void)
{
    return 1;
}

int gnutls_global_init(void)
{
    return 0;
}

void gnutls_global_deinit(void)
{
}

struct server {
    struct server_options options;
    struct service service;
    uint64_t trimmed; /* clock_now(): only the watcher's thread has it */
    struct listener listeners[2];
    struct lock opening; /* while ports are opened or closed, or used by another thread than libmicrohttpd's */
};

struct service *server_service(struct server *server)
{
    return &server->service;
}

const char *server_address(const struct server *server, enum port port)
{
    return server->listeners[port].address.text;
}

/* What libmicrohttpd reports of itself. That a reply was not sent it reports in no other way: on_completed() comes also
 * when a client has left. */
static void on_library_message(void *cls, const char *format, va_list args)
{
    struct listener *listener = cls;
    char text[256];
    (void)vsnprintf(text, sizeof text, format, args);
    text[strcspn(text, "\n")] = '\0';
    const bool without_room = strstr(text, "failed to create response header") != NULL;
    if (without_room)
        listener->without_room = true;
    if (strstr(text, "Not enough memory in pool to allocate header record"))
        listener->overflow = true;
    if (without_room || strstr(text, "Application reported internal error")) /* that is MHD_NO */
        return;                                                              /* the line of the request has it */
    if (shortage_report(&listener->shortage, text))
        log_event(listener->service->log, "libmicrohttpd", text);
}

/* Returns NULL, or a phrase that says why it does not listen. */
static const char *listen_on(struct server *server, struct listener *listener, const char *where, unsigned connections)
{
    static const char *const names[] = {[PORT_PUBLIC] = "http", [PORT_ADMIN] = "admin"};
    int opened;
    const char *failure =
        address_listen(&listener->address, where, &server->options.passed, names[listener->port], &opened);
    if (failure)
        return failure;
    const bool public = listener->port == PORT_PUBLIC;
    const unsigned flags = public ? MHD_ALLOW_SUSPEND_RESUME : 0;
    listener->watched.most = connections;
    listener->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG | flags, 0, on_accept, listener, on_request,
        listener, MHD_OPTION_EXTERNAL_LOGGER, on_library_message, listener, MHD_OPTION_LISTEN_SOCKET, opened,
        MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, server->options.keep_alive_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_URI_LOG_CALLBACK, on_target, listener,
        MHD_OPTION_UNESCAPE_CALLBACK, on_text, listener, MHD_OPTION_NOTIFY_COMPLETED, on_completed, listener,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, listener, MHD_OPTION_END);
    listener->nudge = listener->daemon ? nudge_open(listener->daemon) : -1;
    if (listener->nudge >= 0)
        return NULL;
    address_leave(&listener->address);
    if (listener->daemon)
        MHD_stop_daemon(listener->daemon); /* closes the descriptor */
    else
        close(opened);
    listener->daemon = NULL;
    return "libmicrohttpd does not start";
}

/* malloc keeps the pieces that streams and large answers leave. They return to the system when nothing is under way, so
 * that no request waits for it. malloc_trim() leaves the ends of arenas, which malloc would let grow with the largest
 * piece ever freed: server_start() limits these to ARENA_END bytes. */
static void trim_memory(struct server *server)
{
    const uint64_t now = clock_now();
    if (now - server->trimmed < TRIM_S * CLOCK_SECOND || !server_idle(server))
        return;
    (void)malloc_trim(0);
    server->trimmed = now;
}

/* Limits the connections to the descriptors that the system allows, and logs it. False, with a sentence in error: there
 * are too few for any service. */
static bool share_descriptors(struct server *server, unsigned *admin, char error[static SERVER_ERROR_MAX])
{
    const unsigned wanted = server->service.options.max_connections;
    const uint64_t most = shortage_limit(&server->service.options.max_connections, admin);
    char text[128];
    if (most < DESCRIPTORS_LEAST) {
        (void)snprintf(error, SERVER_ERROR_MAX, "the system allows %" PRIu64 " descriptors, and it takes %d", most,
                       DESCRIPTORS_LEAST);
        return false;
    }
    if (server->service.options.max_connections < wanted) {
        (void)snprintf(text, sizeof text, "%u at once, not %u: the system allows %" PRIu64 " descriptors",
                       server->service.options.max_connections, wanted, most);
        log_event(server->service.log, "connections", text);
    }
    return true;
}

/* By default no client shuts out the others, whatever bounds the connections: it has at most half of them. */
static void share_connections(struct service *service)
{
    struct service_options *options = &service->options;
    const unsigned half = options->max_connections > 1 ? options->max_connections / 2 : 1;
    char text[160];
    if (!options->max_client_connections)
        options->max_client_connections = half;
    if (options->max_client_connections <= half)
        return;
    (void)snprintf(text, sizeof text,
                   "warning: one client may have %u of %u, and can keep the others out; lower --max-client-connections",
                   options->max_client_connections, options->max_connections);
    log_event(service->log, "connections", text);
}

static void tick(void *context)
{
    struct server *server = context;
    log_flush(server->service.log);
    hub_tick(server->service.hub);
    trim_memory(server);
    lock_take(&server->opening);
    for (struct listener *listener = server->listeners; listener < server->listeners + 2; listener++) {
        if (!listener->daemon)
            continue;
        shortage_recover(&listener->shortage, listener->daemon);
        nudge_send(listener->nudge, atomic_load(&server->service.connections[listener->port]));
        watcher_make_way(server->service.watcher, &listener->watched);
    }
    lock_release(&server->opening);
}

/* Accepts no connections from now on. The descriptor stays open until the daemon has stopped: its thread may be about
 * to accept from it, so that its number must not be reused. A descriptor that was passed (systemd) is not shut down:
 * the next process uses the same socket, and the connections that come now are for it. */
static void stop_listening(struct listener *listener)
{
    if (!listener->daemon || listener->quiet)
        return;
    listener->quiet = true;
    address_leave(&listener->address);
    listener->listening = MHD_quiesce_daemon(listener->daemon);
    if (listener->listening >= 0 && !listener->address.passed)
        shutdown(listener->listening, SHUT_RDWR);
}

/* Stops both ports. No connection may be suspended: libmicrohttpd would abort. */
static void close_ports(struct server *server)
{
    lock_take(&server->opening);
    for (size_t i = 0; i < 2; i++) {
        struct listener *listener = &server->listeners[i];
        stop_listening(listener);
        if (!listener->daemon)
            continue;
        MHD_stop_daemon(listener->daemon);
        listener->daemon = NULL;
        close(listener->nudge);
        if (listener->listening >= 0)
            close(listener->listening);
    }
    lock_release(&server->opening);
}

static void server_free(struct server *server)
{
    watcher_free(server->service.watcher);
    service_end(&server->service);
    metrics_free(server->service.metrics);
    lock_destroy(&server->opening);
    free(server);
}

/* The public port last: then it is served. False with a sentence in error. */
static bool open_ports(struct server *server, unsigned admin_connections, char error[static SERVER_ERROR_MAX])
{
    const struct server_options *options = &server->options;
    const char *failure = NULL;
    const char *const where[] = {[PORT_PUBLIC] = options->listen, [PORT_ADMIN] = options->admin};
    const char *const flags[] = {[PORT_PUBLIC] = "--listen", [PORT_ADMIN] = "--admin"};
    lock_take(&server->opening); /* the watcher is at work already */
    for (size_t i = 0; i < 2; i++)
        server->listeners[i] = (struct listener){.service = &server->service, .port = (enum port)i};
    for (int port = PORT_ADMIN; port >= PORT_PUBLIC && !failure; port--) {
        const bool public = port == PORT_PUBLIC;
        if (public || strcmp(where[port], "off") != 0)
            failure = listen_on(server, &server->listeners[port], where[port],
                                public ? server->service.options.max_connections : admin_connections);
        if (failure)
            (void)snprintf(error, SERVER_ERROR_MAX, "cannot listen on %s %s: %s", flags[port], where[port], failure);
    }
    atomic_store(&server->service.serving, !failure);
    lock_release(&server->opening);
    return !failure;
}

struct server *server_start(const struct server_options *options, struct engine *engine, struct log *log,
                            char error[static SERVER_ERROR_MAX])
{
    struct server *server = calloc(1, sizeof *server);
    unsigned admin_connections = ADMIN_CONNECTIONS;
    (void)snprintf(error, SERVER_ERROR_MAX, "out of memory or descriptors");
    if (!server)
        return NULL;
    (void)mallopt(M_TRIM_THRESHOLD, ARENA_END);
    server->options = *options;
    lock_init(&server->opening, LOCK_PORTS);
    const bool begun = service_begin(&server->service, &options->service, engine, log);
    server->service.metrics = metrics_new(routes_count(), routes_path);
    if (!begun || !server->service.metrics || !share_descriptors(server, &admin_connections, error))
        goto fail;
    share_connections(&server->service);
    const struct watcher_options watching = {
        .request_s = options->request_s, .pace = options->pace, .tick = tick, .context = server};
    server->service.watcher = watcher_new(&watching);
    if (server->service.watcher && open_ports(server, admin_connections, error))
        return server;
fail:
    close_ports(server);
    server_free(server);
    return NULL;
}

void server_drain(struct server *server)
{
    atomic_store(&server->service.draining, true);
    stop_listening(&server->listeners[PORT_PUBLIC]);
}

bool server_idle(const struct server *server)
{
    return atomic_load(&server->service.active) == 0;
}

enum nq_status server_stop(struct server *server)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    hub_close(server->service.hub);
    const enum nq_status closed =
        engine_close(server->service.engine); /* wakes all that wait; none can wait from now on */
    watcher_reset_fragile(server->service.watcher);
    for (int i = 0; i < LAST_WORDS_MS && !server_idle(server); i++)
        nanosleep(&moment, NULL); /* requests that were woken get their 503; stalled readers get nothing more */
    if (closed != NQ_OK) {        /* a search may not have come back, whatever else failed */
        lock_take(&server->opening);
        stop_listening(&server->listeners[PORT_ADMIN]);
        lock_release(&server->opening);
        return closed;
    }
    close_ports(server);
    server_free(server);
    return closed;
}
