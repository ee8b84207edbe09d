/* server.c - opens the two ports, and stops in the only order in which libmicrohttpd does not abort: no new
 * connections, drain, cancel all searches and resume all connections, stop. */
#include "http/server/server.h"

#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/process.h"
#include "http/ask/board_values.h"
#include "http/guard/watcher.h"
#include "http/reply/request.h"
#include "http/reply/response.h"
#include "http/reply/upload.h"
#include "http/routes/routes.h"
#include "http/wire/headers.h"

/* What libmicrohttpd calls for; cls of each callback is one of these. */
struct listener {
    struct service *service;
    enum port port;
    struct MHD_Daemon *daemon; /* NULL: closed */
    int nudge;                 /* the daemon's */
    struct shortage shortage;
    struct port_connections watched; /* those the watcher knows */
    bool quiet;                      /* it listens no more */
    int listening;                   /* the descriptor that it listens with, or did */
    struct address address;          /* in use */
    bool named;                      /* the library's thread has its name */
    bool overflow;     /* the library had no room for a parameter or a field, since the last on_target() */
    bool without_room; /* the library had no room for the head of a reply: on_completed() of its request comes next */
};

/* ---- Routing ---- */

/* The path below the public prefix, which a proxy strips or leaves. */
static const char *local_path(const struct request *request, const char *path)
{
    const char *const prefixes[] = {request->prefix, request->service->options.base_path};
    if (strncasecmp(path, "http://", 7) == 0) { /* absolute form */
        const char *slash = strchr(path + 7, '/');
        path = slash ? slash : "/";
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t size = strlen(prefixes[i]);
        if (size && strncmp(path, prefixes[i], size) == 0 && path[size] == '/')
            return path + size;
    }
    return path;
}

/* Chooses a representation: by `format` if it was given, else by Accept. A choice by Accept is written into the values
 * as `format`, so that links lead to the same representation. False: Accept admits none. */
static bool negotiate(struct request *request, struct params *params)
{
    struct value *values = params->values, *format = value_named(params->rows, values, "format");
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
        const int quality = accept_all(fields, media_type, accept_read).quality;
        if (quality > best) {
            best = quality;
            request->representation = i;
        }
    }
    if (format && request->representation)
        value_set(format, request->representation);
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

/* Whether a browser was led to the path alone, for a page. The reply then depends on Accept. */
static bool wants_page(struct request *request)
{
    if (MHD_get_connection_values(request->mhd, MHD_GET_ARGUMENT_KIND, NULL, NULL) > 0)
        return false;
    request->reply.negotiated = true;
    const struct accept page = accept_all(&request->headers.accept, "text/html", accept_read);
    return page.precision == ACCEPT_EXACT && page.quality > 0;
}

static bool read_question(struct request *request, struct params *params)
{
    const struct route *route = request->route;
    if (!question_normalise(&route->asks, params))
        return true;
    if (route->heed)
        route->heed(request, params->values);
    if (!route->read)
        return true;
    request->question.uncacheable = question_draw(&route->asks, params->values);
    return route->read(request, params->values, &params->errors);
}

static enum MHD_Result reply_not_acceptable(struct request *request)
{
    return reply_problem(
        request, PROBLEM_NOT_ACCEPTABLE,
        "This route has no representation that the Accept header allows. Send another Accept header, or none.");
}

static enum MHD_Result board_read(struct request *request, struct answer *none);

/* Reads the parameters and calls the route. A board that is sent is read between two calls: after the address was read,
 * and before what both say together is. */
static enum MHD_Result call_route(struct request *request)
{
    static const struct param none[] = {{0}};
    const struct route *route = request->route;
    const bool sends = request_sends_board(request), unread = sends && !upload_body(request);
    struct reading query;
    struct params *params = &query.params;
    if (route->page && !sends && wants_page(request))
        return route->page(request);
    query.request = request;
    params_begin(params, route->asks.params ? route->asks.params : none);
    params->loose = route->loose;
    (void)MHD_get_connection_values_n(request->mhd, MHD_GET_ARGUMENT_KIND, read_param, &query);
    if (unread && route->check && !params->errors.made)
        route->check(request, params->values, &params->errors);
    if (unread) /* what is missing may be in the body */
        return params->errors.count          ? reply_validation_errors(request, &params->errors)
               : !negotiate(request, params) ? reply_not_acceptable(request)
                                             : reply_upload(request, params->values, board_read);
    const struct params *said = sends ? upload_said(request) : NULL;
    if (said)
        board_values_add(params, said);
    params_end(params);
    const bool acceptable = negotiate(request, params);
    const bool read = read_question(request, params);
    if (params->errors.count)
        return reply_validation_errors(request, &params->errors);
    if (!read)
        return reply_status(request, NQ_NOMEM);
    if (!acceptable)
        return reply_not_acceptable(request);
    return route->handle(request, params->values);
}

static enum MHD_Result board_read(struct request *request, struct answer *none)
{
    enum MHD_Result result;
    (void)none;
    return upload_refused(request, &result) ? result : call_route(request);
}

/* The route that a POST will come to; NULL: none, or it is no POST. url is the decoded path. */
static const struct route *routing_post_route(const struct request *request, const char *url)
{
    struct route_match match;
    if (request->method->verb != VERB_POST)
        return NULL;
    return route_find(request->port, local_path(request, url), VERB_POST, &match);
}

static enum MHD_Result refuse_path(struct request *request, const char *path)
{
    const char *example = routes_nearest(request->port, path);
    if (!example)
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "There is nothing at this path. GET /openapi.yaml on the public port lists the paths.");
    return reply_problem_with(request, PROBLEM_NOT_FOUND, &(struct problem_facts){.suggestion = example},
                              "There is nothing at this path. The nearest is %s. GET /openapi.yaml lists all paths.",
                              example);
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
    request->route = route_find(request->port, local_path(request, url), verb, &match);
    request->verbs = match.verbs;
    memcpy(request->segment, match.segment, sizeof request->segment);
    if (request->requester.strange)
        return reply_strange(request);
    if (request->route)
        return call_route(request);
    request->route = match.any;
    if (!match.any)
        return refuse_path(request, local_path(request, url));
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

/* The client: the other end of the connection, or whom trusted proxies name. The prefix: what such a proxy says it has
 * taken off the path. */
static void set_client(struct request *request)
{
    const struct service *service = request->service;
    const struct headers *headers = &request->headers;
    const bool forwarded = service->options.forwarded;
    struct client client = client_of(arrival_address(request->mhd));
    request->prefix_varies =
        request->port == PORT_PUBLIC && networks_contain(&service->options.trusted_proxies, &client);
    if (request->prefix_varies && headers->forwarded_prefix && *headers->forwarded_prefix == '/' &&
        prefix_sound(headers->forwarded_prefix))
        request->prefix = headers->forwarded_prefix;
    const struct field_list *hops = forwarded ? &headers->forwarded : &headers->x_forwarded_for;
    client = client_behind(&service->options.trusted_proxies, client, hops->at, hops->count, forwarded);
    struct principal *principal = &request->requester.principal;
    principal->client = client_hash(&client, service->seed);
    (void)snprintf(principal->address, sizeof principal->address, "%c%016" PRIx64, PRINCIPAL_ADDRESS,
                   client_hash(&client, 0));
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

/* A number that no other request has, nor any of another process. */
static uint64_t new_number(struct service *service)
{
    return atomic_fetch_add(&service->last_id, 1) + service->seed;
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
    const uint64_t number = new_number(request->service);
    hash_hex(hash_bytes(HASH_START, &number, sizeof number), request->id);
}

static enum MHD_Result refuse_body(struct request *request)
{
    const size_t most = request->body.most;
    return reply_problem_with(request, PROBLEM_BODY_TOO_LARGE,
                              &(struct problem_facts){.limited = true, .maximum = most},
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
    return reply_problem_with(request, PROBLEM_URI_TOO_LONG, &(struct problem_facts){.limited = true, .maximum = most},
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
    trace_read(&request->trace, traceparent, traceparent ? new_number(request->service) : 0);
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
static enum MHD_Result on_accept(void *cls, const struct sockaddr *address, socklen_t size)
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

static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
                          enum MHD_ConnectionNotificationCode what)
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
    connection_refuse(connection, many ? PROBLEM_BAD_REQUEST : PROBLEM_URI_TOO_LONG,
                      many ? "The query has more than 64 parameters." : "The request target is far too long.");
}

/* The raw target of a new request. What is returned comes back as *state below. */
static void *on_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct listener *listener = cls;
    struct service *service = listener->service;
    struct request *request = request_new(service, listener->port, target, mhd);
    listener->overflow = false;
    if (!request)
        return NULL;
    request->method = method_row("");
    if (listener->port == PORT_PUBLIC) {
        atomic_fetch_add(&service->active, 1);
        atomic_fetch_add_explicit(&service->begun, 1, memory_order_relaxed);
    }
    refuse_long_target(request, target, mhd);
    return request;
}

/* Between on_target() and the decoding of the path the library reads the parameters, and looks at nothing else. */
static size_t on_text(void *cls, struct MHD_Connection *mhd, char *text)
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
    while (routes[i] && !(route && strcmp(routes[i]->asks.path, route->asks.path) == 0))
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
        .route = request->route ? request->route->asks.path : "none",
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

static void on_completed(void *cls, struct MHD_Connection *mhd, void **state, enum MHD_RequestTerminationCode how)
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
        request_give_up(request);
        connection_set_fragile(connection, false);
        response_without_room(request);
    } else if (connection && !request->reply.past && how != MHD_REQUEST_TERMINATED_COMPLETED_OK) {
        const bool replying = request->reply.status && !request->left && request->at != AT_EVENTS;
        if (replying || request->at == AT_STREAM || connection_was_cut(connection))
            request->cache = "cut";
        connection_reset_if_fragile(connection);
    }
    request_give_up(request);
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

static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **state)
{
    struct request *request = *state;
    (void)cls;
    if (!request)
        return MHD_NO; /* there was no memory for it */
    switch (request->stage) {
    case STAGE_NEW:
        request->connection = connection_of(mhd);
        if (!request->connection || connection_refused(request->connection))
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
    case STAGE_WAITING: return reply_resumed(request);
    case STAGE_REPLIED: break;
    }
    *upload_size = 0;
    return MHD_YES;
}

/* ---- Server ---- */

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
    uint64_t quiet;   /* clock_now(), while it drains: when a request was last under way; and */
    unsigned begun;   /* the service's, as last seen */
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
    listener->listening = opened;
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
    for (size_t i = 0; i < sizeof server->service.spare / sizeof server->service.spare[0]; i++)
        requests_free_spare(&server->service.spare[i]);
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

void server_announce(struct server *server)
{
    atomic_store(&server->service.phase, PHASE_DRAINING);
}

/* To close a listening socket resets the connections that wait in it to be accepted, and their clients have sent their
 * requests already. So new ones are kept out first, and those that wait are accepted. A client that is kept out tries
 * again after a second, when the port is closed. */
void server_drain(struct server *server)
{
    enum { LEAST_MS = 5, MOST_MS = 200 }; /* LEAST_MS: for those that are just connecting, from the same site */
    const struct timespec moment = {.tv_nsec = 1000000};
    struct listener *listener = &server->listeners[PORT_PUBLIC];
    atomic_store(&server->service.phase, PHASE_CLOSING);
    if (!listener->address.passed) { /* what waits in a socket that was passed is for the next process */
        address_leave(&listener->address);
        address_drop_new(listener->listening);
        for (int i = 0; i < LEAST_MS || (i < MOST_MS && address_waiting(listener->listening)); i++)
            nanosleep(&moment, NULL);
    }
    stop_listening(listener);
    server->begun = atomic_load(&server->service.begun);
    server->quiet = clock_now();
}

/* A client may send its next request while an idle connection is being closed, and it is lost. Busy clients use their
 * connections up, as every reply closes one. So those that are left are closed when no request has come for a while. */
bool server_drained(struct server *server)
{
    enum { QUIET_MS = 200 };
    const struct service *service = &server->service;
    const unsigned begun = atomic_load(&service->begun);
    const uint64_t now = clock_now();
    if (!server_idle(server) || begun != server->begun)
        server->quiet = now;
    server->begun = begun;
    return server_idle(server) && (now - server->quiet >= QUIET_MS * CLOCK_MILLISECOND ||
                                   atomic_load(&service->connections[PORT_PUBLIC]) == 0);
}

bool server_idle(const struct server *server)
{
    return atomic_load(&server->service.active) == 0;
}

enum nq_status server_stop(struct server *server)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    atomic_store(&server->service.phase, PHASE_STOPPED);
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
