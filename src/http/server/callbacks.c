/* callbacks.c - what libmicrohttpd calls, in this order: on_accept, on_connection, on_target, on_text, on_request (for
 * the head, for each piece of the body, for its end, and after every suspension), on_completed. Their parameters are
 * the library's. */
#include "http/server/callbacks.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/process.h"
#include "http/reply/body.h"
#include "http/reply/response.h"
#include "http/routes/routes.h"
#include "http/wire/accept.h"
#include "http/wire/head.h"

/* ---- Routing ---- */

/* The path below the public prefix, which a proxy strips or leaves. */
static const char *local_path(const struct service *service, const char *path)
{
    if (strncasecmp(path, "http://", 7) == 0) { /* absolute form */
        const char *slash = strchr(path + 7, '/');
        path = slash ? slash : "/";
    }
    const char *prefix = service->options.base_path;
    const size_t size = strlen(prefix);
    if (size && strncmp(path, prefix, size) == 0 && path[size] == '/')
        path += size;
    return path;
}

/* The value of the parameter `format`, NULL for a route without one. */
static struct value *find_format(const struct route *route, struct value *values)
{
    for (size_t i = 0; route->params && route->params[i].name; i++)
        if (strcmp(route->params[i].name, "format") == 0)
            return &values[i];
    return NULL;
}

/* Chooses a representation: by `format` if it was given, else by Accept. A choice by Accept is written into the values
 * as `format`, so that links lead to the same representation. False: Accept admits none. */
static bool negotiate(struct request *request, struct value *values)
{
    struct value *format = find_format(request->route, values);
    if (format && format->given && format->sound) {
        request->representation = format->number;
        return true;
    }
    request->reply.negotiated = true;
    const struct field_list *fields = &request->headers.accept;
    if (fields->count == 0)
        return true;
    const size_t acceptable = request->route->acceptable ? request->route->acceptable(values) : SIZE_MAX;
    int best = 0;
    const char *media_type;
    for (size_t i = 0; i < acceptable && (media_type = route_media_type(request->route, i)); i++) {
        struct accept accept = ACCEPT_UNREAD;
        for (unsigned k = 0; k < fields->count; k++)
            accept_read(fields->at[k], media_type, &accept);
        if (accept.quality > best) {
            best = accept.quality;
            request->representation = i;
        }
    }
    if (format && request->representation) {
        format->given = true;
        format->number = request->representation;
    }
    return best > 0;
}

struct reading {
    struct request *request;
    struct params params;
};

static enum MHD_Result read_param(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                  const char *value, size_t value_size)
{
    struct reading *query = cls;
    (void)kind;
    if (memchr(name, '\0', name_size) || (value && memchr(value, '\0', value_size)))
        query->request->reply.close = true; /* a proxy may have read it up to the NUL only */
    params_read(&query->params, name, name_size, value, value_size);
    return MHD_YES;
}

/* The row of a method; never NULL. */
static const struct method_row *method_row(const char *method)
{
    /* The last row stands for all others: the client's words stay out of the log. */
    static const struct method_row rows[] = {
        {.name = "GET", .verb = VERB_READ},        {.name = "HEAD", .verb = VERB_READ},
        {.name = "OPTIONS", .verb = VERB_OPTIONS}, {.name = "POST", .verb = VERB_POST},
        {.name = "PUT", .verb = VERB_OTHER},       {.name = "PATCH", .verb = VERB_OTHER},
        {.name = "DELETE", .verb = VERB_DELETE},   {.name = "unknown", .verb = VERB_UNKNOWN},
    };
    const struct method_row *row = rows;
    while (row->verb != VERB_UNKNOWN && strcmp(row->name, method) != 0)
        row++;
    return row;
}

/* Reads the parameters and calls the route. */
static enum MHD_Result call_route(struct request *request)
{
    static const struct param none[] = {{0}};
    const struct route *route = request->route;
    struct reading query;
    struct params *params = &query.params;
    query.request = request;
    params_begin(params, route->params ? route->params : none);
    (void)MHD_get_connection_values_n(request->mhd, MHD_GET_ARGUMENT_KIND, read_param, &query);
    if (params_end_empty(request->target))
        params_read(params, "", 0, NULL, 0);
    params_end(params);
    const bool acceptable = negotiate(request, params->values);
    const bool read = !route->read || route->read(request, params->values, &params->errors);
    if (params->errors.count)
        return reply_validation_errors(request, &params->errors);
    if (!read)
        return reply_status(request, NQ_NOMEM);
    if (!acceptable)
        return reply_problem(
            request, PROBLEM_NOT_ACCEPTABLE,
            "This route has no representation that the Accept header allows. Send another Accept header, or none.");
    return route->handle(request, params->values);
}

/* The route that a POST will come to; NULL: none, or it is no POST. url is the decoded path. */
static const struct route *routing_post_route(const struct request *request, const char *url)
{
    struct route_match match;
    if (request->method->verb != VERB_POST)
        return NULL;
    return route_find(request->port, local_path(request->service, url), VERB_POST, &match);
}

/* The request is whole: finds its route, reads its parameters and calls it, or refuses. */
static enum MHD_Result routing_dispatch(struct request *request, const char *url)
{
    const enum verb verb = request->method->verb;
    struct route_match match;
    if (verb == VERB_UNKNOWN)
        return reply_problem(
            request, PROBLEM_METHOD_UNKNOWN,
            "The service does not know this method. Use one of those that OPTIONS lists for this path.");
    request->verbs = ~0u;
    if (verb == VERB_OPTIONS && strcmp(url, "*") == 0)
        return reply_options(request);
    request->route = route_find(request->port, local_path(request->service, url), verb, &match);
    request->verbs = match.verbs;
    memcpy(request->segment, match.segment, sizeof request->segment);
    if (request->requester.strange)
        return reply_strange(request);
    if (request->route)
        return call_route(request);
    request->route = match.any;
    if (!match.any)
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "There is nothing at this path. GET /openapi.yaml on the public port lists the paths.");
    return verb == VERB_OPTIONS ? reply_options(request) : reply_method_not_allowed(request);
}

/* ---- Arrival ---- */

/* Seconds of one core that every count may take, whatever is said of what is free. */
#define FREE_LEAST 0.25

/* The address of a connection's other end, NULL: unknown. */
static const struct sockaddr *arrival_address(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

/* The client: the other end of the connection, or whom trusted proxies name. */
static void set_client(struct request *request)
{
    const struct service *service = request->service;
    const struct headers *headers = &request->headers;
    const bool forwarded = service->options.forwarded;
    struct client client = client_of(arrival_address(request->mhd));
    const struct field_list *hops = forwarded ? &headers->forwarded : &headers->x_forwarded_for;
    client = client_behind(&service->options.trusted_proxies, client, hops->at, hops->count, forwarded);
    request->requester.principal.client = client_hash(&client, service->seed);
    client_text(&client, request->requester.address);
}

/* What the client may have: what is free, or what its key says. All who use a key are one client wherever they come
 * from, and never have less than those without. Where no keys are asked for, a request for a job may have more than
 * what is free. */
static void set_principal(struct request *request)
{
    const struct service *service = request->service;
    const struct headers *headers = &request->headers;
    struct principal *principal = &request->requester.principal;
    struct holder holder;
    request->requester.searches = service->options.max_client_searches;
    if (request->port != PORT_PUBLIC)
        return;
    principal->limited = true;
    principal->seconds = service->options.free_seconds > FREE_LEAST ? service->options.free_seconds : FREE_LEAST;
    if (!service->options.access) {
        principal->keyless = true;
        principal->jobs = service->options.max_client_jobs;
        if (headers_ask_for_job(headers))
            principal->seconds = INFINITY;
        return;
    }
    if (!headers->keys)
        return;
    request->requester.strange =
        headers->keys > 1 || !access_find(service->options.access, headers->key, headers->key_size, &holder);
    if (request->requester.strange)
        return;
    memcpy(principal->name, holder.name, sizeof principal->name);
    principal->client = hash_text(service->seed, holder.name);
    principal->jobs = holder.jobs;
    if (principal->seconds < holder.hours * 3600)
        principal->seconds = holder.hours * 3600;
    if (holder.searches != UINT32_MAX)
        request->requester.searches = holder.searches;
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
    const uint64_t number = service_number(request->service);
    hash_hex(hash_bytes(HASH_START, &number, sizeof number), request->id);
}

static enum MHD_Result refuse_body(struct request *request)
{
    const size_t most = request->body.most;
    return reply_limit(request, PROBLEM_BODY_TOO_LARGE, &(struct problem_facts){.limited = true, .maximum = most},
                       "The body is larger than %zu bytes, the limit.", most);
}

/* A client that need not be told to send its body may be sending it: it gets its reply before the body has come, which
 * is then dropped. Such a client is idle for the watcher, and may give way to others. */
static enum MHD_Result refuse_announced_body(struct request *request)
{
    if (request->headers.expects)
        return refuse_body(request);
    request->reply.past = true;
    if (refuse_body(request) != MHD_YES)
        return MHD_NO;
    request->body.kept = false;
    connection_idle(request->connection);
    return MHD_set_connection_option(request->mhd, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)BODY_ENDURED_S);
}

static enum MHD_Result refuse_target(struct request *request)
{
    const size_t most = request->target_most;
    return reply_limit(request, PROBLEM_URI_TOO_LONG, &(struct problem_facts){.limited = true, .maximum = most},
                       "The request target is longer than %zu bytes.", most);
}

/* Refuses what makes the rest of the connection doubtful. url is the decoded path. */
static enum MHD_Result arrival_head(struct request *request, const char *url, const char *method, const char *version)
{
    enum problem problem;
    const char *detail;
    request->method = method_row(method);
    request->head = strcmp(method, "HEAD") == 0;
    request->http10 = strcmp(version, "HTTP/1.1") != 0;
    headers_read(request->mhd, &request->headers);
    set_id(request);
    set_client(request);
    set_principal(request);
    const char *traceparent = request->headers.traceparent;
    trace_read(&request->trace, traceparent, traceparent ? service_number(request->service) : 0);
    const struct first_line line = {method, url, version, request->target_size};
    const bool too_long = request->target_size > request->target_most;
    request->headers.nul = head_has_nul(request->mhd, &line);
    const bool refused = too_long || headers_refuse(&request->headers, version, request->target, &problem, &detail);
    body_begin(request, refused ? NULL : routing_post_route(request, url));
    if (refused || headers_announce(&request->headers, request->body.most)) {
        if (!connection_busy(request->connection))
            return MHD_NO;
        if (too_long)
            return refuse_target(request);
        return refused ? reply_problem(request, problem, "%s", detail) : refuse_announced_body(request);
    }
    return MHD_YES;
}

/* What is more than the route accepts is dropped, up to a limit. */
static enum MHD_Result arrival_piece(struct request *request, const char *piece, size_t size)
{
    body_add(request, piece, size);
    return request->body.size <= request->body.most + BODY_ENDURED ? MHD_YES : MHD_NO;
}

/* Hands the whole request to its route. */
static enum MHD_Result arrival_end(struct request *request, const char *url)
{
    if (request->reply.past || !connection_busy(request->connection))
        return MHD_NO;
    return request->body.size > request->body.most ? refuse_body(request) : routing_dispatch(request, url);
}

/* ---- Callbacks ---- */

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
    const bool shares = listener->port == PORT_PUBLIC; /* who asks at the other port has no fewer here */
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        atomic_fetch_add(&service->connections[listener->port], 1);
    else
        atomic_fetch_sub(&service->connections[listener->port], 1);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (!info || (shares && !clients_enter(service->clients, client, USE_CONNECTION, UINT32_MAX)))
            return;
        *context = connection_new(service->watcher, &listener->watched, info->connect_fd);
        if (!*context && shares)
            clients_leave(service->clients, client, USE_CONNECTION);
    } else if (*context) {
        if (shares)
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

/* Hundreds of parameters, or a target of many kilobytes, fill the connection's memory: libmicrohttpd then hangs without
 * a reply, and forgets the request when the client leaves. They are refused here, before it reads them. A target of the
 * longest size leaves room for 64 parameters, unless thousands of empty lines precede it: see on_text(). */
enum { TARGET_MEMORY = 20 << 10 };

static void refuse_long_target(struct request *request, const char *target, struct MHD_Connection *mhd)
{
    struct connection *connection = connection_of(mhd);
    unsigned parameters = 1;
    for (const char *at = strchr(target, '?'); at; at = strchr(at + 1, '&'))
        parameters++;
    if (!connection)
        return;
    connection_first_line(connection);
    const bool many = parameters > PARAMETERS_MAX;
    if (!many && request->target_size <= TARGET_MEMORY)
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
    listener->overflow = false;
    if (!request)
        return NULL;
    request->method = method_row("");
    if (listener->port == PORT_PUBLIC)
        atomic_fetch_add(&service->active, 1);
    refuse_long_target(request, target, mhd);
    return request;
}

/* Between on_target() and the decoding of the path the library reads the parameters, and looks at nothing else. */
size_t on_text(void *cls, struct MHD_Connection *mhd, char *text)
{
    struct listener *listener = cls;
    struct connection *connection = listener->overflow ? connection_of(mhd) : NULL;
    if (connection && !connection_refused(connection))
        connection_refuse(connection, PROBLEM_BAD_REQUEST, "Too many empty lines precede the request.");
    listener->overflow = false;
    return MHD_http_unescape(text);
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
    const bool without_room = listener->without_room;
    listener->without_room = false;
    if (!request)
        return;
    struct connection *connection = request->connection;
    if (without_room) {
        request_end_task(request);
        connection_set_fragile(connection, false);
        response_without_room(request);
    } else if (connection && !request->reply.past && how != MHD_REQUEST_TERMINATED_COMPLETED_OK) {
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
