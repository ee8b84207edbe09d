/* callbacks.c - what libmicrohttpd calls, in this order: on_accept, on_connection, on_target, on_request (for the head,
 * for each piece of the body, for its end, and after every suspension), on_completed. Their parameters are the
 * library's. */
#include "http/server/callbacks.h"

#include <string.h>

#include "base/clock.h"
#include "base/process.h"
#include "http/routes/routes.h"
#include "http/server/arrival.h"
#include "http/server/routing.h"

/* In logs and metrics only, as nginx has it: the client left before it got its answer, or the library gave it one. */
enum { STATUS_CLIENT_LEFT = 499 };

/* A proxy that is trusted has as many connections as it wants: they are those of its clients. */
enum MHD_Result on_accept(void *cls, const struct sockaddr *address, socklen_t size)
{
    struct listener *listener = cls;
    struct service *service = listener->service;
    const struct client client = client_of(address);
    (void)size;
    if (!listener->named)
        thread_name(listener->port == PORT_PUBLIC ? "http" : "admin");
    listener->named = true;
    if (listener->port != PORT_PUBLIC || networks_contain(&service->options.trusted_proxies, &client) ||
        clients_count(service->clients, client_hash(&client, service->seed), USE_CONNECTION) <
            service->options.max_client_connections)
        return MHD_YES;
    atomic_fetch_add(&service->connections_refused, 1);
    return MHD_NO;
}

void on_connection(void *cls, struct MHD_Connection *mhd, void **context, enum MHD_ConnectionNotificationCode what)
{
    struct listener *listener = cls;
    struct service *service = listener->service;
    const struct client address = client_of(arrival_address(mhd));
    const uint64_t client = client_hash(&address, service->seed);
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        atomic_fetch_add(&service->connections[listener->port], 1);
    else
        atomic_fetch_sub(&service->connections[listener->port], 1);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (!info || !clients_enter(service->clients, client, USE_CONNECTION, UINT32_MAX))
            return;
        *context = connection_new(service->watcher, &listener->watched, info->connect_fd);
        if (!*context)
            clients_leave(service->clients, client, USE_CONNECTION);
    } else if (*context) {
        clients_leave(service->clients, client, USE_CONNECTION);
        connection_free(*context);
        *context = NULL;
    }
}

/* NULL: there was no memory to watch it. */
static struct connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* What a target and its parameters may take of a connection's memory: more than what is allowed of both. */
enum { PARAMETER_MEMORY = 64, TARGET_MEMORY = 20 << 10 };

/* Hundreds of parameters, or a target of many kilobytes, fill the connection's memory: libmicrohttpd then hangs without
 * a reply, and forgets the request when the client leaves. They are refused here, before it reads them. */
static void refuse_target(struct request *request, const char *target, struct MHD_Connection *mhd)
{
    struct connection *connection = connection_of(mhd);
    unsigned parameters = 1;
    for (const char *at = strchr(target, '?'); at; at = strchr(at + 1, '&'))
        parameters++;
    if (!connection)
        return;
    connection_first_line(connection);
    const bool many = parameters > PARAMETERS_MAX;
    if (!many && request->target_size + (size_t)parameters * PARAMETER_MEMORY <= TARGET_MEMORY)
        return;
    request->refused = true;
    connection_refuse(connection, many ? PROBLEM_BAD_REQUEST : PROBLEM_URI_TOO_LONG,
                      many ? "The query has more than 64 parameters." : "The request target is far too long.");
}

void *on_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct listener *listener = cls;
    struct service *service = listener->service;
    struct request *request = request_new(service, listener->port, target, mhd);
    if (!request)
        return NULL;
    request->method = method_row("");
    if (listener->port == PORT_PUBLIC)
        atomic_fetch_add(&service->active, 1);
    refuse_target(request, target, mhd);
    return request;
}

/* Routes of one path share a row of the metrics. */
static size_t route_index(const struct route *route)
{
    size_t i = 0;
    while (routes[i] && !(route && strcmp(routes[i]->path, route->path) == 0))
        i++;
    return i;
}

static void log_it(const struct request *request, unsigned status, uint64_t nanoseconds)
{
    const struct requester *requester = &request->requester;
    const struct log_request line = {
        .id = request->id,
        .client = requester->address,
        .key = *requester->principal.name ? requester->principal.name : NULL,
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
        .bytes = request->head ? 0 : request->reply.bytes,
        .nanoseconds = nanoseconds,
    };
    log_request(request->service->log, &line);
}

/* What is told of a request that has ended: the status of its reply, also of one past the library. */
static unsigned status_of(const struct request *request, struct MHD_Connection *mhd)
{
    const struct connection *connection = connection_of(mhd);
    const unsigned refused = connection ? connection_refused(connection) : 0;
    if (request->reply.status && !request->left)
        return request->reply.status;
    return refused ? refused : STATUS_CLIENT_LEFT;
}

void on_completed(void *cls, struct MHD_Connection *mhd, void **state, enum MHD_RequestTerminationCode how)
{
    struct listener *listener = cls;
    struct service *service = listener->service;
    struct request *request = *state;
    if (!request)
        return;
    struct connection *connection = request->connection;
    if (connection && how != MHD_REQUEST_TERMINATED_COMPLETED_OK) {
        const bool replying = request->reply.status && !request->left && request->task != TASK_EVENTS;
        if (replying || request->task == TASK_STREAM || connection_was_cut(connection))
            request->cache = "cut";
        connection_reset_if_fragile(connection);
    }
    request_end_task(request);
    if (connection) {
        connection_set_fragile(connection, false);
        connection_idle(connection);
    }
    const uint64_t nanoseconds = clock_now() - request->began;
    const unsigned status = status_of(request, mhd);
    metrics_request(service->metrics, route_index(request->route), status, nanoseconds);
    log_it(request, status, nanoseconds);
    request_free(request);
    if (listener->port == PORT_PUBLIC)
        atomic_fetch_sub(&service->active, 1);
    *state = NULL;
}

enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                           const char *version, const char *upload, size_t *upload_size, void **state)
{
    struct request *request = *state;
    (void)cls;
    if (!request)
        return MHD_NO; /* there was no memory for it */
    switch (request->stage) {
    case STAGE_NEW:
        request->connection = connection_of(mhd);
        if (!request->connection || request->refused)
            return MHD_NO;
        request->stage = STAGE_BODY;
        return arrival_head(request, url, method, version);
    case STAGE_BODY:
        if (*upload_size) {
            const size_t size = *upload_size;
            *upload_size = 0;
            return arrival_piece(request, upload, size);
        }
        return arrival_end(request, url);
    case STAGE_WAITING: return request->resumed(request);
    case STAGE_REPLIED: break;
    }
    *upload_size = 0;
    return MHD_YES;
}
