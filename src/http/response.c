/* response.c - making responses, and the headers they have in common. */
#include "http/response.h"

#include <stdlib.h>

#include "base/clock.h"
#include "http/cors.h"

void response_header(struct request *request, struct MHD_Response *response, const char *name, const char *value)
{
    request->poor |= !response || MHD_add_response_header(response, name, value) != MHD_YES;
}

void response_header_of(struct request *request, struct MHD_Response *response, const char *name, struct bytes *text)
{
    char *value = bytes_take(text);
    if (value)
        response_header(request, response, name, value);
    else
        request->poor = true;
    free(value);
}

/* A response of bytes (taken over). */
static struct MHD_Response *of_bytes(struct bytes *body)
{
    const size_t size = body->size;
    char *data = bytes_take(body);
    struct MHD_Response *response = data ? MHD_create_response_from_buffer(size, data, MHD_RESPMEM_MUST_FREE) : NULL;
    if (!response)
        free(data);
    return response;
}

static void timing(struct bytes *out, const char *what, uint64_t from, uint64_t to)
{
    bytes_text(out, what);
    bytes_duration(out, to > from ? to - from : 0, 6, 3);
}

/* How long what took, and where the answer came from: all that may differ between two replicas. */
static void server_timing(struct request *request, struct MHD_Response *response)
{
    const struct spent spent = request->spent;
    const uint64_t now = clock_now();
    struct bytes text = {0};
    bytes_text(&text, "cache;desc=");
    bytes_text(&text, request->cache);
    timing(&text, ", total;dur=", request->began, now);
    if (spent.took_off) {
        timing(&text, ", queue;dur=", 0, spent.waited);
        timing(&text, ", search;dur=", spent.took_off, now);
    }
    if (spent.took_off && request->kernel_used) {
        bytes_text(&text, ", kernel;desc=");
        bytes_text(&text, engine_kernel(server_engine(request->server)));
    }
    response_header_of(request, response, "Server-Timing", &text);
}

/* Who is part of a trace learns which span of it this was. */
static void tell_trace(struct request *request, struct MHD_Response *response)
{
    char text[TRACE_RESPONSE_SIZE];
    if (!request->trace.trace[0])
        return;
    trace_respond(&request->trace, text);
    response_header(request, response, "Traceresponse", text);
}

/* What was looked at of the request, beside its target. */
static void vary(struct request *request, struct MHD_Response *response)
{
    enum { ACCEPT = 1, PREFER = 2, ORIGIN = 4 };
    static const char *const fields[] = {NULL,     "Accept",         "Prefer",         "Accept, Prefer",
                                         "Origin", "Accept, Origin", "Prefer, Origin", "Accept, Prefer, Origin"};
    const bool prefer = request->route && request->route->prefer;
    const unsigned seen =
        (request->negotiated ? ACCEPT : 0) | (prefer ? PREFER : 0) | (cors_varies(request) ? ORIGIN : 0);
    if (seen)
        response_header(request, response, "Vary", fields[seen]);
    if (request->spoken)
        response_header(request, response, "Vary", "Accept-Language");
}

struct MHD_Response *response_last_words(void)
{
    const struct problem_row *row = problem_row(PROBLEM_OUT_OF_MEMORY);
    const char *const headers[][2] = {{"Content-Type", "application/problem+json"},
                                      {"Cache-Control", "no-store"},
                                      {"X-Content-Type-Options", "nosniff"},
                                      {"Retry-After", row->retry_after},
                                      {"Connection", "close"}};
    struct bytes body = {0};
    problem_write(&body, PROBLEM_OUT_OF_MEMORY, "There is no memory for this request now.", NULL);
    struct MHD_Response *response = of_bytes(&body);
    for (size_t i = 0; response && i < sizeof headers / sizeof headers[0]; i++) {
        if (MHD_add_response_header(response, headers[i][0], headers[i][1]) != MHD_YES) {
            MHD_destroy_response(response);
            response = NULL;
        }
    }
    return response;
}

enum MHD_Result response_no_memory(struct request *request)
{
    request->status = problem_row(PROBLEM_OUT_OF_MEMORY)->status;
    request->stage = STAGE_REPLIED;
    return MHD_queue_response(request->connection, request->status, server_last_words(request->server));
}

enum MHD_Result response_send(struct request *request, unsigned status, struct MHD_Response *response)
{
    response_header(request, response, "X-Request-Id", request->id);
    response_header(request, response, "X-Content-Type-Options", "nosniff");
    server_timing(request, response);
    tell_trace(request, response);
    vary(request, response);
    cors_allow(request, response);
    if (request->close || server_draining(request->server))
        response_header(request, response, "Connection", "close");
    if (request->poor) { /* without one of its headers it would say something else */
        if (response)
            MHD_destroy_response(response);
        return response_no_memory(request);
    }
    request->status = status;
    request->stage = STAGE_REPLIED;
    enum MHD_Result queued = MHD_queue_response(request->connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

struct MHD_Response *response_empty(void)
{
    static char nothing[1];
    return MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT);
}

struct MHD_Response *response_of_bytes(struct request *request, struct bytes *body)
{
    request->bytes = body->size;
    return of_bytes(body);
}

/* Where an answer is to be had again whose seed was drawn for it. */
static void tell_location(struct request *request, struct MHD_Response *response)
{
    struct bytes location = {0};
    bytes_text(&location, server_prefix(request->server));
    bytes_text(&location, request->path);
    response_header_of(request, response, "Content-Location", &location);
}

/* The headers of what may be kept, or of what must not. */
void response_cacheable(struct request *request, struct MHD_Response *response, bool keep)
{
    if (request->drawn)
        tell_location(request, response);
    response_header(request, response, "Cache-Control", keep ? "public, max-age=86400" : "no-store");
    if (keep && request->etag[0])
        response_header(request, response, "ETag", request->etag);
}

/* The methods that go with a request's path; with no path, those of "*", which are all there are. */
void response_allow(struct request *request, struct MHD_Response *response)
{
    struct bytes methods = {0};
    if (request->route)
        route_allow(request->route, &methods);
    else
        bytes_text(&methods, "GET, HEAD, POST, DELETE, OPTIONS");
    char *text = bytes_take(&methods);
    if (text) {
        response_header(request, response, "Allow", text);
        cors_preflight(request, response, text);
    } else {
        request->poor = true;
    }
    free(text);
}

static ssize_t read_nothing(void *cls, uint64_t position, char *to, size_t size)
{
    (void)cls, (void)position, (void)to, (void)size;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

/* libmicrohttpd 0.9.75 forgets a connection that a reader ends when it was suspended just before: it is closed once no
 * other has been idle for longer, and keeps its descriptor till then. Those with a timeout of their own are seen to at
 * every turn. */
ssize_t response_read(const struct request *request, ssize_t got)
{
    enum { SOON_S = 1 };
    if (got == MHD_CONTENT_READER_END_WITH_ERROR || (got == MHD_CONTENT_READER_END_OF_STREAM && request->http10))
        (void)MHD_set_connection_option(request->connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)SOON_S);
    return got;
}

/* A response without a body whose length nobody knows yet. libmicrohttpd 0.9.75 offers an untrue "Content-Length: 0", a
 * stray last chunk that would spoil the connection, or this: neither, and a close. */
struct MHD_Response *response_bare(void)
{
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read_nothing, NULL, NULL);
    if (response)
        (void)MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    return response;
}

struct MHD_Response *response_sized(uint64_t size)
{
    return MHD_create_response_from_callback(size, 1, read_nothing, NULL, NULL);
}
