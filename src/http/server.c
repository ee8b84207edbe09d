/* server.c - the two ports: opens them, and stops in the one order that does not abort: no new connections, drain,
 * cancel and resume everyone, stop. */
#include "http/server.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/readiness.h"
#include "http/response.h"
#include "http/service.h"
#include "http/waker.h"

enum { CONNECTION_MEMORY = 32 << 10, ADMIN_CONNECTIONS = 64, LAST_WORDS_MS = 500, TRIM_S = 10, ARENA_END = 1 << 20 };

struct engine *server_engine(const struct server *server)
{
    return server->engine;
}

bool server_draining(const struct server *server)
{
    return atomic_load_explicit(&server->draining, memory_order_relaxed);
}

bool server_hold(struct server *server, size_t bytes)
{
    if (atomic_fetch_add(&server->held, bytes) + bytes <= server->options.max_reply_bytes)
        return true;
    atomic_fetch_sub(&server->held, bytes);
    return false;
}

void server_release(struct server *server, size_t bytes)
{
    atomic_fetch_sub(&server->held, bytes);
}

const char *server_prefix(const struct server *server)
{
    return server->options.base_path;
}

unsigned server_max_wait(const struct server *server)
{
    return server->options.max_wait_s;
}

const char *server_address(const struct server *server)
{
    return server->listeners[PORT_PUBLIC].address.text;
}

const char *server_admin(const struct server *server)
{
    return server->listeners[PORT_ADMIN].address.text;
}

void server_metrics(struct server *server, struct bytes *out)
{
    const struct metrics_extra extra = {
        .active = atomic_load(&server->active),
        .connections = watcher_peers(server->watcher),
        .most_connections = server->options.max_connections,
        .reply_bytes = atomic_load(&server->held),
        .log_dropped = log_dropped(server->log),
        .connections_refused = atomic_load(&server->connections_refused),
        .clients_refused = atomic_load(&server->clients_refused),
        .fallback = server->options.fallback,
        .slow_cut = watcher_cut(server->watcher),
        .access_refused = atomic_load(&server->access_refused),
    };
    metrics_write(server->metrics, server->engine, &extra, out);
}

struct MHD_Response *server_last_words(const struct server *server)
{
    return server->last_words;
}

struct hub *server_hub(struct server *server)
{
    return server->hub;
}

bool server_has_keys(const struct server *server)
{
    return server->options.access;
}

const char *server_origins(const struct server *server)
{
    return server->options.origins;
}

unsigned server_readiness(struct server *server, struct bytes *out)
{
    const struct engine_figures figures = engine_figures(server->engine);
    char trouble[STORE_ERROR_MAX];
    const struct readiness now = {
        .starting = !atomic_load(&server->serving),
        .draining = server_draining(server),
        .active = atomic_load(&server->active),
        .fallback = server->options.fallback,
        .trouble = engine_ails(server->engine, trouble) ? trouble : NULL,
        .waiting = figures.ledger.waiting,
        .queued = figures.pool.bounded,
        .queue = figures.pool.capacity,
        .streams = figures.streams.running,
        .max_streams = figures.streams.most,
        .connections = atomic_load(&server->listeners[PORT_PUBLIC].connections),
        .max_connections = server->options.max_connections,
        .jobs = figures.jobs.active,
        .max_jobs = figures.jobs.most,
        .log_dropping = log_dropping(server->log),
    };
    return readiness_write(&now, out);
}

/* ---- Starting and stopping ---- */

/* libmicrohttpd's own complaints. */
static void on_library_message(void *cls, const char *format, va_list args)
{
    struct listener *listener = cls;
    char text[256];
    (void)vsnprintf(text, sizeof text, format, args);
    text[strcspn(text, "\n")] = '\0';
    if (shortage_heard(&listener->shortage, text))
        log_event(listener->server->log, "libmicrohttpd", text);
}

/* NULL, or in a few words why not. */
static const char *listen_on(struct listener *listener, const char *where, unsigned connections, unsigned flags)
{
    static const char *const names[] = {[PORT_PUBLIC] = "http", [PORT_ADMIN] = "admin"};
    int opened;
    const char *failure =
        address_listen(&listener->address, where, &listener->server->options.passed, names[listener->port], &opened);
    if (failure)
        return failure;
    listener->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG | flags, 0, on_accept, listener, on_request,
        listener, MHD_OPTION_EXTERNAL_LOGGER, on_library_message, listener, MHD_OPTION_LISTEN_SOCKET, opened,
        MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, listener->server->options.keep_alive_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_URI_LOG_CALLBACK, on_target, listener,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, listener, MHD_OPTION_NOTIFY_CONNECTION, on_connection, listener,
        MHD_OPTION_END);
    listener->waker = listener->daemon ? waker_open(listener->daemon) : -1;
    if (listener->waker >= 0)
        return NULL;
    address_leave(&listener->address);
    if (listener->daemon)
        MHD_stop_daemon(listener->daemon); /* closes the descriptor */
    else
        close(opened);
    listener->daemon = NULL;
    return "libmicrohttpd does not start";
}

/* malloc keeps what streams and large answers were made of, in pieces. When nothing is under way any more the system
 * gets it back: nobody waits for that then. Not so the ends of malloc's arenas, which by itself it lets grow with the
 * largest piece that came and went: server_start() holds these to ARENA_END bytes, and what is larger than 128 KB
 * apart. */
static void give_back(struct server *server)
{
    const uint64_t now = clock_now();
    if (now - server->trimmed < TRIM_S * CLOCK_SECOND || !server_idle(server))
        return;
    (void)malloc_trim(0);
    server->trimmed = now;
}

/* As many connections as there are descriptors for; says so when these are fewer than were asked for. False, with a
 * sentence: there are too few to begin with. */
static bool share_descriptors(struct server *server, unsigned *admin, char error[static SERVER_ERROR_MAX])
{
    const unsigned wanted = server->options.max_connections;
    const uint64_t most = shortage_share(&server->options.max_connections, admin);
    char text[128];
    if (most < DESCRIPTORS_LEAST) {
        (void)snprintf(error, SERVER_ERROR_MAX, "the system allows %" PRIu64 " descriptors, and it takes %d", most,
                       DESCRIPTORS_LEAST);
        return false;
    }
    if (server->options.max_connections < wanted) {
        (void)snprintf(text, sizeof text, "%u at once, not %u: the system allows %" PRIu64 " descriptors",
                       server->options.max_connections, wanted, most);
        log_event(server->log, "connections", text);
    }
    return true;
}

static void tick(void *context)
{
    struct server *server = context;
    log_flush(server->log);
    hub_tick(server->hub);
    give_back(server);
    pthread_mutex_lock(&server->opening);
    for (struct listener *listener = server->listeners; listener < server->listeners + 2; listener++) {
        if (!listener->daemon)
            continue;
        shortage_end(&listener->shortage, listener->daemon);
        waker_wake(listener->waker, atomic_load(&listener->connections));
    }
    pthread_mutex_unlock(&server->opening);
}

/* Refuses connections from now on. The descriptor stays until the daemon has stopped, whose thread may be about to
 * accept from it: its number must not be another's by then. One that was passed is not shut down, which would be for
 * all who have it: it would be of no use to the next process, whose the connections that come now are. */
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

/* Stops both ports; no connection may be suspended. */
static void close_ports(struct server *server)
{
    pthread_mutex_lock(&server->opening);
    for (size_t i = 0; i < 2; i++) {
        struct listener *listener = &server->listeners[i];
        stop_listening(listener);
        if (!listener->daemon)
            continue;
        MHD_stop_daemon(listener->daemon);
        listener->daemon = NULL;
        close(listener->waker);
        if (listener->listening >= 0)
            close(listener->listening);
    }
    pthread_mutex_unlock(&server->opening);
}

static void server_free(struct server *server)
{
    if (server->watcher)
        watcher_free(server->watcher);
    if (server->hub)
        hub_free(server->hub);
    if (server->last_words)
        MHD_destroy_response(server->last_words);
    metrics_free(server->metrics);
    clients_free(server->clients);
    free(server->route_names);
    pthread_mutex_destroy(&server->opening);
    free(server);
}

struct server *server_start(const struct server_options *options, struct engine *engine, struct log *log,
                            char error[static SERVER_ERROR_MAX])
{
    struct server *server = calloc(1, sizeof *server);
    const char *failure = NULL;
    (void)snprintf(error, SERVER_ERROR_MAX, "out of memory or descriptors");
    if (!server)
        return NULL;
    (void)mallopt(M_TRIM_THRESHOLD, ARENA_END);
    server->options = *options;
    pthread_mutex_init(&server->opening, NULL);
    server->engine = engine;
    server->log = log;
    server->id_seed = clock_now();
    server->client_salt = server->id_seed;
    unsigned admin_connections = ADMIN_CONNECTIONS;
    if (!share_descriptors(server, &admin_connections, error))
        goto fail;
    server->clients = clients_new();
    if (!server->clients)
        goto fail;
    server->route_names = calloc(routes_count(), sizeof *server->route_names);
    if (!server->route_names)
        goto fail;
    for (size_t i = 0; i < routes_count(); i++)
        server->route_names[i] = routes[i]->path;
    server->hub = hub_new(engine, options->base_path, options->max_streams, options->stream_s);
    if (!server->hub)
        goto fail;
    server->metrics = metrics_new(routes_count(), server->route_names);
    const struct watcher_options watching = {
        .request_s = options->request_s, .pace = options->pace, .tick = tick, .context = server};
    server->watcher = watcher_new(&watching);
    server->last_words = response_last_words();
    if (!server->metrics || !server->watcher || !server->last_words)
        goto fail;
    pthread_mutex_lock(&server->opening); /* the watcher is at work already */
    for (size_t i = 0; i < 2; i++)
        server->listeners[i] = (struct listener){.server = server, .port = (enum port)i};
    const char *const where[] = {[PORT_PUBLIC] = options->listen, [PORT_ADMIN] = options->admin};
    const char *const flags[] = {[PORT_PUBLIC] = "--listen", [PORT_ADMIN] = "--admin"};
    for (int port = PORT_ADMIN; port >= PORT_PUBLIC && !failure; port--) { /* the public one last: then it is served */
        const bool public = port == PORT_PUBLIC;
        if (public || strcmp(where[port], "off") != 0)
            failure = listen_on(&server->listeners[port], where[port],
                                public ? server->options.max_connections : admin_connections,
                                public ? MHD_ALLOW_SUSPEND_RESUME : 0);
        if (failure)
            (void)snprintf(error, SERVER_ERROR_MAX, "cannot listen on %s %s: %s", flags[port], where[port], failure);
    }
    atomic_store(&server->serving, !failure);
    pthread_mutex_unlock(&server->opening);
    if (!failure)
        return server;
fail:
    close_ports(server);
    server_free(server);
    return NULL;
}

void server_drain(struct server *server)
{
    atomic_store(&server->draining, true);
    stop_listening(&server->listeners[PORT_PUBLIC]);
}

bool server_idle(const struct server *server)
{
    return atomic_load(&server->active) == 0;
}

enum nq_status server_stop(struct server *server)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    hub_close(server->hub);
    const enum nq_status closed =
        engine_close(server->engine); /* everyone who waits is woken; nobody can wait any more */
    watcher_reset_fragile(server->watcher);
    for (int i = 0; i < LAST_WORDS_MS && !server_idle(server); i++)
        nanosleep(&moment, NULL); /* those who were woken get their 503; a reader that stalls gets no more */
    if (closed == NQ_TIMEOUT)
        return closed;
    close_ports(server);
    server_free(server);
    return closed;
}
