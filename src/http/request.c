/* request.c - a request from its first line to its last byte, as libmicrohttpd tells of it. */
#include "http/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "http/list.h"
#include "http/response.h"
#include "http/service.h"

/* In logs and metrics only, as nginx has it: the client left before it got its answer. */
enum { STATUS_CLIENT_LEFT = 499 };

/* Seconds of one core that every count may take, whatever is said of what is free. */
#define FREE_LEAST 0.25

/* Hundreds of parameters fill the connection's memory, and libmicrohttpd then hangs without reply: they are refused
 * here, before it reads them. */
static void refuse_parameters(struct request *request, const char *target, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    unsigned parameters = 1;
    for (const char *at = strchr(target, '?'); at; at = strchr(at + 1, '&'))
        parameters++;
    if (!info || !info->socket_context)
        return;
    peer_begun(info->socket_context);
    if (parameters <= PARAMETERS_MAX)
        return;
    request->refused = true;
    request->status = problem_row(PROBLEM_BAD_REQUEST)->status;
    peer_refuse(info->socket_context, PROBLEM_BAD_REQUEST, "The query has more than 64 parameters.");
}

/* The first libmicrohttpd tells of a request: its raw target. What is returned comes back as *state below. */
void *on_target(void *cls, const char *target, struct MHD_Connection *connection)
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
    request->method = request_method("");
    request->target = strndup(target, server->options.max_target_bytes + 1);
    if (!request->target) {
        free(request);
        return NULL;
    }
    if (listener->port == PORT_PUBLIC)
        atomic_fetch_add(&server->active, 1);
    refuse_parameters(request, target, connection);
    return request;
}

/* Routes of one path have one row of figures. */
static size_t route_index(const struct route *route)
{
    size_t i = 0;
    while (routes[i] && !(route && strcmp(routes[i]->path, route->path) == 0))
        i++;
    return i;
}

/* Adds what one search took. */
static void spend(struct spent *spent, const struct cost *cost, uint64_t waited)
{
    spent->searched = true;
    spent->waited += waited;
    spent->cost.nodes += cost->nodes;
    spent->cost.nanoseconds += cost->nanoseconds;
}

void request_spend(struct request *request)
{
    struct spent *spent = &request->spent;
    const struct ticket *ticket = request->ticket;
    if (!ticket || spent->told)
        return;
    const uint64_t took_off = ticket->progress.took_off, asked = ticket->asked;
    spent->told = true;
    if (!took_off)
        return;
    spend(spent, &ticket->cost, took_off > asked ? took_off - asked : 0); /* others may have asked before */
    if (!spent->took_off)
        spent->took_off = took_off;
}

void on_completed(void *cls, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode how)
{
    struct listener *listener = cls;
    struct server *server = listener->server;
    struct request *request = *state;
    (void)connection;
    if (!request)
        return;
    if (request->peer) {
        if (how != MHD_REQUEST_TERMINATED_COMPLETED_OK && (request->stream || peer_cut(request->peer)))
            request->cache = "cut";
        if (how != MHD_REQUEST_TERMINATED_COMPLETED_OK)
            peer_reset_if_fragile(request->peer);
        peer_fragile(request->peer, false);
        peer_unwatch(request->peer);
        peer_idle(request->peer);
    }
    request_spend(request);
    if (request->stream) {
        struct cost cost;
        uint64_t waited;
        if (stream_cost(request->stream, &cost, &waited))
            spend(&request->spent, &cost, waited);
        stream_close(request->stream);
    }
    server_release(server, request->held);
    if (request->entered)
        clients_leave(server->clients, request->asker.client, USE_SEARCH);
    const uint64_t nanoseconds = clock_now() - request->began;
    const bool left = request->ticket && request->ticket->status == NQ_CANCELLED;
    const unsigned status = request->status && !left ? request->status : STATUS_CLIENT_LEFT;
    metrics_request(server->metrics, route_index(request->route), status, nanoseconds);
    const struct log_request line = {
        .id = request->id,
        .client = request->client_text,
        .key = *request->asker.name ? request->asker.name : NULL,
        .trace = request->trace.trace,
        .span = request->trace.span,
        .parent = request->trace.parent,
        .job = request->job,
        .searched = request->spent.searched,
        .waited = request->spent.waited,
        .cost = request->spent.cost,
        .method = request->method->name,
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
    list_free(request->list);
    if (request->settling)
        party_unref(request->settling);
    if (request->events)
        events_close(request->events);
    if (request->taken)
        request->intake->close(request->taken);
    bytes_free(&request->body);
    free(request->key);
    free(request->path);
    free(request->target);
    free(request);
    *state = NULL;
}

static uint64_t hash_of(const struct server *server, const struct sockaddr *address)
{
    const struct client client = client_of(address);
    return client_hash(&client, server->client_salt);
}

/* A proxy that is trusted has as many connections as it wants: they are those of its clients. */
enum MHD_Result on_accept(void *cls, const struct sockaddr *address, socklen_t size)
{
    struct listener *listener = cls;
    struct server *server = listener->server;
    const struct client client = client_of(address);
    (void)size;
    if (listener->port != PORT_PUBLIC || networks_have(&server->options.trusted_proxies, &client) ||
        clients_count(server->clients, hash_of(server, address), USE_CONNECTION) <
            server->options.max_client_connections)
        return MHD_YES;
    atomic_fetch_add(&server->connections_refused, 1);
    return MHD_NO;
}

/* The address of a connection's other end. */
static const struct sockaddr *address_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                   enum MHD_ConnectionNotificationCode what)
{
    struct listener *listener = cls;
    struct server *server = listener->server;
    const uint64_t client = hash_of(server, address_of(connection));
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        atomic_fetch_add(&listener->connections, 1);
    else
        atomic_fetch_sub(&listener->connections, 1);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (!info || !clients_enter(server->clients, client, USE_CONNECTION, UINT32_MAX))
            return;
        *context = peer_new(server->watcher, info->connect_fd);
        if (!*context)
            clients_leave(server->clients, client, USE_CONNECTION);
    } else if (*context) {
        clients_leave(server->clients, client, USE_CONNECTION);
        peer_free(*context);
        *context = NULL;
    }
}

/* Who asks: whoever is at the other end, or whom trusted proxies name. */
static void set_client(struct request *request)
{
    const struct server *server = request->server;
    const struct headers *headers = &request->headers;
    const bool forwarded = server->options.forwarded;
    struct client client = client_of(address_of(request->connection));
    client =
        client_behind(&server->options.trusted_proxies, client, forwarded ? headers->forwarded : headers->x_forwarded,
                      forwarded ? headers->forwards : headers->x_forwards, forwarded);
    request->asker.client = client_hash(&client, server->client_salt);
    client_text(&client, request->client_text);
}

/* What they may have: whatever there is, where no keys are asked for; or what is free, or what their key says. Who has
 * a key is taken for one client wherever it comes from, and never has less than who has none. */
static void set_asker(struct request *request)
{
    const struct server *server = request->server;
    const struct headers *headers = &request->headers;
    struct asker *asker = &request->asker;
    struct holder holder;
    request->searches = server->options.max_client_searches;
    if (request->port != PORT_PUBLIC || !server->options.access)
        return;
    asker->limited = true;
    asker->seconds = server->options.free_seconds > FREE_LEAST ? server->options.free_seconds : FREE_LEAST;
    if (!headers->keys)
        return;
    request->strange =
        headers->keys > 1 || !access_find(server->options.access, headers->key, headers->key_size, &holder);
    if (request->strange)
        return;
    memcpy(asker->name, holder.name, sizeof asker->name);
    asker->client = hash_text(server->client_salt, holder.name);
    asker->jobs = holder.jobs;
    if (asker->seconds < holder.hours * 3600)
        asker->seconds = holder.hours * 3600;
    if (holder.searches != UINT32_MAX)
        request->searches = holder.searches;
}

bool request_enter(struct request *request)
{
    struct server *server = request->server;
    if (request->entered)
        return true;
    request->entered = clients_enter(server->clients, request->asker.client, USE_SEARCH, request->searches);
    if (!request->entered)
        atomic_fetch_add(&server->clients_refused, 1);
    return request->entered;
}

/* One that no other request has, nor any of another process. */
static uint64_t next_number(struct server *server)
{
    return atomic_fetch_add(&server->last_id, 1) + server->id_seed;
}

/* Takes over a well-formed id, makes one otherwise. */
static void set_id(struct request *request)
{
    const char *given = request->headers.request_id;
    size_t size = given ? strspn(given, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") : 0;
    if (size > 0 && size <= REQUEST_ID_MAX && given[size] == '\0') {
        memcpy(request->id, given, size + 1);
        return;
    }
    const uint64_t number = next_number(request->server);
    hash_hex(hash_bytes(HASH_START, &number, sizeof number), request->id);
}

/* The most that a request's body may have. */
static size_t most_of_body(const struct request *request)
{
    const size_t most = request->intake ? request->intake->most : BODY_MAX,
                 allowed = request->server->options.max_body_bytes;
    return most < allowed ? most : allowed;
}

static enum MHD_Result refuse_body(struct request *request)
{
    return reply_problem(request, PROBLEM_BODY_TOO_LARGE, "The body is larger than %zu bytes.", most_of_body(request));
}

static enum MHD_Result refuse_target(struct request *request)
{
    return reply_problem(request, PROBLEM_URI_TOO_LONG, "The request target is longer than %zu bytes.",
                         request->server->options.max_target_bytes);
}

/* The headers are there, the body is not: refuses what makes the rest of the connection doubtful. */
static enum MHD_Result begin(struct request *request, const char *url, const char *method, const char *version)
{
    enum problem problem;
    const char *detail;
    request->method = request_method(method);
    request->head = strcmp(method, "HEAD") == 0;
    request->http10 = strcmp(version, "HTTP/1.1") != 0;
    headers_read(request->connection, &request->headers);
    set_id(request);
    set_client(request);
    set_asker(request);
    const char *traceparent = request->headers.traceparent;
    trace_read(&request->trace, traceparent, traceparent ? next_number(request->server) : 0);
    const bool too_long = strlen(request->target) > request->server->options.max_target_bytes;
    const bool refused = too_long || headers_refuse(&request->headers, version, request->target, &problem, &detail);
    request->intake = refused ? NULL : request_intake(request, url);
    if (refused || headers_announce(&request->headers, most_of_body(request))) {
        if (!peer_busy(request->peer))
            return MHD_NO;
        if (too_long)
            return refuse_target(request);
        return refused ? reply_problem(request, problem, "%s", detail) : refuse_body(request);
    }
    if (!request->intake)
        return MHD_YES;
    request->taken = request->intake->open(request);
    if (request->taken)
        return MHD_YES;
    return peer_busy(request->peer) ? response_no_memory(request) : MHD_NO;
}

/* A piece of the body. What is too much is read away, within reason. */
static enum MHD_Result take_piece(struct request *request, const char *piece, size_t size)
{
    const size_t most = most_of_body(request);
    request->body_size += size;
    if (request->body_size > most)
        bytes_free(&request->body);
    else if (request->intake)
        request->intake->take(request->taken, piece, size);
    else if (request->method->verb == VERB_POST)
        bytes_add(&request->body, piece, size);
    return request->body_size <= most + BODY_ENDURED ? MHD_YES : MHD_NO;
}

enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                           const char *version, const char *upload, size_t *upload_size, void **state)
{
    struct request *request = *state;
    (void)cls;
    if (!request)
        return MHD_NO; /* there was no memory for it */
    switch (request->stage) {
    case STAGE_NEW: {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        request->peer = info ? info->socket_context : NULL;
        if (!request->peer || request->refused)
            return MHD_NO;
        request->stage = STAGE_BODY;
        return begin(request, url, method, version);
    }
    case STAGE_BODY:
        if (*upload_size) {
            const size_t size = *upload_size;
            *upload_size = 0;
            return take_piece(request, upload, size);
        }
        if (!peer_busy(request->peer))
            return MHD_NO;
        if (request->body_size > most_of_body(request))
            return refuse_body(request);
        return request_dispatch(request, url);
    case STAGE_WAITING: return request->resumed(request);
    case STAGE_REPLIED: break;
    }
    *upload_size = 0;
    return MHD_YES;
}
