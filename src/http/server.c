/* server.c - the two ports: takes requests from libmicrohttpd, checks and routes them, and stops in the one order that
 * does not abort: no new connections, drain, cancel and resume everyone, stop. */
#include "http/server.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "http/accept.h"
#include "http/request.h"

enum { ADDRESS_MAX = 128, CONNECTION_MEMORY = 32 << 10, BACKLOG = 511, ADMIN_CONNECTIONS = 64 };

/* In logs and metrics only, as nginx has it: the client left before it got its answer. */
enum { STATUS_CLIENT_LEFT = 499 };

struct listener {
    struct server *server;
    enum port port;
    struct MHD_Daemon *daemon;
    char address[ADDRESS_MAX];
};

struct server {
    struct server_options options;
    struct engine *engine;
    struct log *log;
    struct metrics *metrics;
    struct watcher *watcher;
    const char **route_names;
    atomic_bool draining;
    atomic_uint active; /* requests on the public port, from first line to last byte */
    atomic_ullong last_id;
    uint64_t id_seed;
    struct listener listeners[2];
};

struct engine *server_engine(const struct server *server)
{
    return server->engine;
}

bool server_draining(const struct server *server)
{
    return atomic_load_explicit(&server->draining, memory_order_relaxed);
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
    return server->listeners[PORT_PUBLIC].address;
}

const char *server_admin(const struct server *server)
{
    return server->listeners[PORT_ADMIN].address;
}

void server_metrics(struct server *server, struct bytes *out)
{
    metrics_write(server->metrics, server->engine, watcher_peers(server->watcher), out);
}

/* ---- A request's life ---- */

/* Hundreds of parameters fill the connection's memory, and libmicrohttpd then hangs without reply: they are refused
 * here, before it reads them. */
static void refuse_parameters(struct request *request, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    unsigned parameters = 1;
    for (const char *at = strchr(request->target, '?'); at; at = strchr(at + 1, '&'))
        parameters++;
    if (parameters <= PARAMETERS_MAX || !info || !info->socket_context)
        return;
    request->refused = true;
    request->status = problem_row(PROBLEM_BAD_REQUEST)->status;
    peer_refuse(info->socket_context, PROBLEM_BAD_REQUEST, "The query has more than 64 parameters.");
}

/* The first libmicrohttpd tells of a request: its raw target. What is returned comes back as *state below. */
static void *on_target(void *cls, const char *target, struct MHD_Connection *connection)
{
    struct listener *listener = cls;
    struct server *server = listener->server;
    struct request *request = calloc(1, sizeof *request);
    if (!request)
        return NULL;
    request->server = server;
    request->port = listener->port;
    request->connection = connection;
    request->began = clock_now();
    request->cache = "none";
    request->method = "unknown";
    request->target = strndup(target, TARGET_MAX + 1);
    if (!request->target) {
        free(request);
        return NULL;
    }
    if (listener->port == PORT_PUBLIC)
        atomic_fetch_add(&server->active, 1);
    refuse_parameters(request, connection);
    return request;
}

static size_t route_index(const struct route *route)
{
    size_t i = 0;
    while (routes[i] && routes[i] != route)
        i++;
    return i;
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode how)
{
    struct listener *listener = cls;
    struct server *server = listener->server;
    struct request *request = *state;
    (void)connection;
    if (!request)
        return;
    if (request->peer) {
        if (how != MHD_REQUEST_TERMINATED_COMPLETED_OK)
            peer_reset_if_fragile(request->peer);
        peer_fragile(request->peer, false);
        peer_unwatch(request->peer);
        peer_idle(request->peer);
    }
    if (request->stream)
        stream_close(request->stream);
    const uint64_t nanoseconds = clock_now() - request->began;
    const bool left = request->ticket && request->ticket->status == NQ_CANCELLED;
    const unsigned status = request->status && !left ? request->status : STATUS_CLIENT_LEFT;
    metrics_request(server->metrics, route_index(request->route), status, nanoseconds);
    const struct log_request line = {
        .id = request->id,
        .method = request->method,
        .route = request->route ? request->route->path : "none",
        .target = request->target,
        .cache = request->cache,
        .status = status,
        .bytes = request->head ? 0 : request->bytes,
        .nanoseconds = nanoseconds,
    };
    log_request(server->log, &line);
    if (listener->port == PORT_PUBLIC)
        atomic_fetch_sub(&server->active, 1);
    if (request->ticket)
        party_unref(&request->ticket->party);
    free(request->key);
    free(request->path);
    free(request->target);
    free(request);
    *state = NULL;
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct listener *listener = cls;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *context = info ? peer_new(listener->server->watcher, info->connect_fd) : NULL;
    } else if (*context) {
        peer_free(*context);
        *context = NULL;
    }
}

/* ---- Routing ---- */

/* Takes over a well-formed id, makes one otherwise. */
static void set_id(struct request *request)
{
    const char *given = request->headers.request_id;
    size_t size = given ? strspn(given, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") : 0;
    if (size > 0 && size <= REQUEST_ID_MAX && given[size] == '\0') {
        memcpy(request->id, given, size + 1);
        return;
    }
    uint64_t number = atomic_fetch_add(&request->server->last_id, 1) + request->server->id_seed;
    hash_hex(hash_bytes(HASH_START, &number, sizeof number), request->id);
}

/* The path below the public prefix: what a proxy that strips it, or one that does not, asks for. */
static const char *local_path(const struct server *server, const char *path)
{
    if (strncasecmp(path, "http://", 7) == 0) { /* absolute form */
        const char *slash = strchr(path + 7, '/');
        path = slash ? slash : "/";
    }
    const size_t size = strlen(server->options.base_path);
    if (size && strncmp(path, server->options.base_path, size) == 0 && path[size] == '/')
        path += size;
    return path;
}

/* Settles on a representation: `format` if it was given, else by Accept. False: none is wanted. */
static bool negotiate(struct request *request, const struct value *values)
{
    const struct route *route = request->route;
    for (size_t i = 0; route->params && route->params[i].name; i++) {
        if (strcmp(route->params[i].name, "format") == 0 && values[i].given && values[i].sound) {
            request->representation = values[i].number;
            return true;
        }
    }
    request->negotiated = true;
    if (request->headers.accepts == 0)
        return true;
    int best = 0;
    const char *media_type;
    for (size_t i = 0; (media_type = route_media_type(route, i)); i++) {
        struct accept accept = ACCEPT_UNREAD;
        for (unsigned k = 0; k < request->headers.accepts; k++)
            accept_read(request->headers.accept[k], media_type, &accept);
        if (accept.quality > best) {
            best = accept.quality;
            request->representation = i;
        }
    }
    return best > 0;
}

/* What Accept chose goes on as if it had been asked for by name: links must lead to the same. */
static void settle_format(const struct request *request, struct value *values)
{
    const struct param *row = request->route->params;
    while (strcmp(row->name, "format") != 0)
        row++;
    struct value *value = &values[row - request->route->params];
    value->given = true;
    value->number = request->representation;
}

struct query {
    const struct param *params;
    struct value values[PARAMS_MAX];
    struct complaints complaints;
};

static enum MHD_Result read_param(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                  const char *value, size_t value_size)
{
    struct query *query = cls;
    (void)kind;
    params_read(query->params, query->values, name, name_size, value, value_size, &query->complaints);
    return MHD_YES;
}

enum verb { VERB_READ, VERB_OPTIONS, VERB_OTHER, VERB_UNKNOWN };

struct method_row {
    const char *name;
    enum verb verb;
};

/* The last row stands for whatever a stranger invents, whose words stay out of the log. */
static const struct method_row *find_method(const char *method)
{
    static const struct method_row rows[] = {
        {"GET", VERB_READ},  {"HEAD", VERB_READ},   {"OPTIONS", VERB_OPTIONS}, {"POST", VERB_OTHER},
        {"PUT", VERB_OTHER}, {"PATCH", VERB_OTHER}, {"DELETE", VERB_OTHER},    {"unknown", VERB_UNKNOWN},
    };
    const struct method_row *row = rows;
    while (row->verb != VERB_UNKNOWN && strcmp(row->name, method) != 0)
        row++;
    return row;
}

/* The headers are there, the body is not: refuses what makes the rest of the connection doubtful. */
static enum MHD_Result begin(struct request *request, const char *method, const char *version)
{
    enum problem problem;
    const char *detail;
    const struct method_row *row = find_method(method);
    request->method = row->name;
    request->head = strcmp(method, "HEAD") == 0;
    request->http10 = strcmp(version, "HTTP/1.1") != 0;
    headers_read(request->connection, &request->headers);
    set_id(request);
    if (!headers_refuse(&request->headers, version, request->target, &problem, &detail))
        return MHD_YES;
    peer_busy(request->peer);
    return reply_problem(request, problem, "%s", detail);
}

/* Reads the parameters and hands over to the route. */
static enum MHD_Result call_route(struct request *request)
{
    static const struct param none[] = {{0}};
    struct query
        query; /* large, and begun where it is used: clearing all of it would cost as much as a cached answer */
    query.params = request->route->params ? request->route->params : none;
    query.complaints.made = 0;
    query.complaints.count = 0;
    query.complaints.invalid = false;
    params_begin(query.params, query.values);
    (void)MHD_get_connection_values_n(request->connection, MHD_GET_ARGUMENT_KIND, read_param, &query);
    params_end(query.params, query.values, &query.complaints);
    const bool admitted = negotiate(request, query.values);
    if (request->negotiated && request->representation)
        settle_format(request, query.values);
    if (request->route->check)
        request->route->check(request, query.values, &query.complaints);
    if (query.complaints.count)
        return reply_complaints(request, &query.complaints);
    if (!admitted)
        return reply_problem(request, PROBLEM_NOT_ACCEPTABLE, "This route has no representation that Accept admits.");
    return request->route->handle(request, query.values);
}

/* The request is whole. */
static enum MHD_Result dispatch(struct request *request, const char *url, const char *method)
{
    const enum verb verb = find_method(method)->verb;
    if (verb == VERB_UNKNOWN)
        return reply_problem(request, PROBLEM_METHOD_UNKNOWN, "This method is not known here.");
    if (verb == VERB_OPTIONS && strcmp(url, "*") == 0)
        return reply_options(request);
    request->route = route_find(request->port, local_path(request->server, url));
    if (!request->route)
        return reply_problem(request, PROBLEM_NOT_FOUND, "There is nothing at this path.");
    if (verb == VERB_OPTIONS)
        return reply_options(request);
    if (verb == VERB_OTHER)
        return reply_method_not_allowed(request);
    return call_route(request);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **state)
{
    struct request *request = *state;
    (void)cls, (void)upload;
    if (!request)
        return MHD_NO; /* there was no memory for it */
    switch (request->stage) {
    case STAGE_NEW: {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        request->peer = info ? info->socket_context : NULL;
        if (!request->peer || request->refused)
            return MHD_NO;
        request->stage = STAGE_BODY;
        return begin(request, method, version);
    }
    case STAGE_BODY:
        if (*upload_size) {
            request->body_size += *upload_size;
            *upload_size = 0;
            return request->body_size <= BODY_ENDURED ? MHD_YES : MHD_NO;
        }
        peer_busy(request->peer);
        if (request->body_size > BODY_MAX)
            return reply_problem(request, PROBLEM_BODY_TOO_LARGE, "The body is larger than %d bytes.", BODY_MAX);
        return dispatch(request, url, method);
    case STAGE_WAITING: return reply_resumed(request);
    case STAGE_REPLIED: break;
    }
    *upload_size = 0;
    return MHD_YES;
}

/* ---- Starting and stopping ---- */

/* libmicrohttpd's own complaints. */
static void on_library_message(void *cls, const char *format, va_list args)
{
    const struct listener *listener = cls;
    char text[256];
    (void)vsnprintf(text, sizeof text, format, args);
    text[strcspn(text, "\n")] = '\0';
    log_event(listener->server->log, "libmicrohttpd", text);
}

/* Splits "host:port" or "[host]:port" and opens the first address that can be listened on. -1: none. */
static int open_socket(const char *where)
{
    char host[ADDRESS_MAX];
    const char *colon = strrchr(where, ':');
    if (!colon || (size_t)(colon - where) >= sizeof host)
        return -1;
    bool bracketed = where[0] == '[' && colon > where + 1 && colon[-1] == ']';
    size_t size = (size_t)(colon - where) - (bracketed ? 2 : 0);
    memcpy(host, where + bracketed, size);
    host[size] = '\0';
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *list = NULL;
    if (getaddrinfo(host[0] ? host : NULL, colon + 1, &hints, &list))
        return -1;
    int opened = -1;
    for (const struct addrinfo *at = list; at && opened < 0; at = at->ai_next) {
        const int on = 1;
        opened = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
        if (opened < 0)
            continue;
        (void)setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(opened, at->ai_addr, at->ai_addrlen) || listen(opened, BACKLOG)) {
            close(opened);
            opened = -1;
        }
    }
    freeaddrinfo(list);
    return opened;
}

static void name_socket(int opened, char text[static ADDRESS_MAX])
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char host[64], service[16];
    text[0] = '\0';
    if (getsockname(opened, (struct sockaddr *)&address, &size) == 0 &&
        getnameinfo((struct sockaddr *)&address, size, host, sizeof host, service, sizeof service,
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        (void)snprintf(text, ADDRESS_MAX, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, service);
}

static bool listen_on(struct listener *listener, const char *where, unsigned connections, unsigned flags)
{
    int opened = open_socket(where);
    if (opened < 0)
        return false;
    name_socket(opened, listener->address);
    listener->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG | flags, 0, NULL, NULL, on_request, listener,
        MHD_OPTION_EXTERNAL_LOGGER, on_library_message, listener, MHD_OPTION_LISTEN_SOCKET, opened,
        MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, listener->server->options.keep_alive_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_URI_LOG_CALLBACK, on_target, listener,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, listener, MHD_OPTION_NOTIFY_CONNECTION, on_connection, listener,
        MHD_OPTION_END);
    if (!listener->daemon)
        close(opened);
    return listener->daemon;
}

static void tick(void *context)
{
    struct server *server = context;
    log_flush(server->log);
}

/* Stops both ports; no connection may be suspended. */
static void close_ports(struct server *server)
{
    for (size_t i = 0; i < 2; i++)
        if (server->listeners[i].daemon)
            MHD_stop_daemon(server->listeners[i].daemon);
}

static void server_free(struct server *server)
{
    if (server->watcher)
        watcher_free(server->watcher);
    metrics_free(server->metrics);
    free(server->route_names);
    free(server);
}

struct server *server_start(const struct server_options *options, struct engine *engine, struct log *log,
                            const char **error)
{
    struct server *server = calloc(1, sizeof *server);
    *error = "out of memory";
    if (!server)
        return NULL;
    server->options = *options;
    server->engine = engine;
    server->log = log;
    server->id_seed = clock_now();
    server->route_names = calloc(routes_count(), sizeof *server->route_names);
    if (!server->route_names)
        goto fail;
    for (size_t i = 0; i < routes_count(); i++)
        server->route_names[i] = routes[i]->path;
    server->metrics = metrics_new(routes_count(), server->route_names);
    const struct watcher_options watching = {.request_s = options->request_s, .tick = tick, .context = server};
    server->watcher = watcher_new(&watching);
    if (!server->metrics || !server->watcher)
        goto fail;
    for (size_t i = 0; i < 2; i++)
        server->listeners[i] = (struct listener){.server = server, .port = (enum port)i};
    *error = "cannot listen on the admin address";
    if (strcmp(options->admin, "off") != 0 &&
        !listen_on(&server->listeners[PORT_ADMIN], options->admin, ADMIN_CONNECTIONS, 0))
        goto fail;
    *error = "cannot listen on the address";
    if (!listen_on(&server->listeners[PORT_PUBLIC], options->listen, options->max_connections,
                   MHD_ALLOW_SUSPEND_RESUME))
        goto fail;
    return server;
fail:
    close_ports(server);
    server_free(server);
    return NULL;
}

void server_stop(struct server *server)
{
    const uint64_t deadline = clock_now() + server->options.drain_s * CLOCK_SECOND;
    const struct timespec moment = {.tv_nsec = 10000000};
    atomic_store(&server->draining, true);
    const int listening = MHD_quiesce_daemon(server->listeners[PORT_PUBLIC].daemon);
    if (listening >= 0)
        close(listening);
    while (atomic_load(&server->active) && clock_now() < deadline)
        nanosleep(&moment, NULL);
    engine_close(server->engine); /* everyone who waits is woken; nobody can wait any more */
    watcher_reset_fragile(server->watcher);
    close_ports(server);
    server_free(server);
}
