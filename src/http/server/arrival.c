/* arrival.c - the head of a request is there: who asks, under what id, and what body may follow. Then the body. */
#include "http/server/arrival.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "http/reply/refusal.h"
#include "http/reply/response.h"
#include "http/server/routing.h"
#include "http/wire/head.h"

/* Seconds of one core that every count may take, whatever is said of what is free. */
#define FREE_LEAST 0.25

const struct sockaddr *arrival_address(struct MHD_Connection *mhd)
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

/* The most that a request's body may have. */
static size_t most_of_body(const struct request *request)
{
    const size_t most = request->body.reader ? request->body.reader->most : BODY_MAX,
                 allowed = request->service->options.max_body_bytes;
    return most < allowed ? most : allowed;
}

static enum MHD_Result refuse_body(struct request *request)
{
    const size_t most = most_of_body(request);
    return reply_limit(request, PROBLEM_BODY_TOO_LARGE, &(struct problem_facts){.limited = true, .maximum = most},
                       "The body is larger than %zu bytes, the limit.", most);
}

static enum MHD_Result refuse_target(struct request *request)
{
    const size_t most = request->target_most;
    return reply_limit(request, PROBLEM_URI_TOO_LONG, &(struct problem_facts){.limited = true, .maximum = most},
                       "The request target is longer than %zu bytes.", most);
}

enum MHD_Result arrival_head(struct request *request, const char *url, const char *method, const char *version)
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
    request->body.reader = refused ? NULL : routing_body_reader(request, url);
    if (refused || headers_announce(&request->headers, most_of_body(request))) {
        if (!connection_busy(request->connection))
            return MHD_NO;
        if (too_long)
            return refuse_target(request);
        return refused ? reply_problem(request, problem, "%s", detail) : refuse_body(request);
    }
    if (!request->body.reader)
        return MHD_YES;
    request->body.state = request->body.reader->open(request);
    if (request->body.state)
        return MHD_YES;
    return connection_busy(request->connection) ? response_no_memory(request) : MHD_NO;
}

enum MHD_Result arrival_piece(struct request *request, const char *piece, size_t size)
{
    const size_t most = most_of_body(request);
    request->body.size += size;
    if (request->body.size > most)
        bytes_free(&request->body.bytes);
    else if (request->body.reader)
        request->body.reader->read(request->body.state, piece, size);
    else if (request->method->verb == VERB_POST)
        bytes_add(&request->body.bytes, piece, size);
    return request->body.size <= most + BODY_ENDURED ? MHD_YES : MHD_NO;
}

enum MHD_Result arrival_end(struct request *request, const char *url)
{
    if (!connection_busy(request->connection))
        return MHD_NO;
    return request->body.size > most_of_body(request) ? refuse_body(request) : routing_dispatch(request, url);
}
