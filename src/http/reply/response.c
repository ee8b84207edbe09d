/* response.c - makes responses, and adds the header fields that all of them have. */
#include "http/reply/response.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "engine/ask/query_values.h"
#include "http/reply/request.h"
#include "http/reply/route.h"

/* ---- Origins of pages ---- */

/* One origin: scheme://host or scheme://host:port, in lower case and without a path. */
static bool is_origin(const char *text, size_t size)
{
    static const char *const schemes[] = {"https://", "http://"};
    size_t scheme = 0;
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0] && !scheme; i++)
        if (size > strlen(schemes[i]) && strncmp(text, schemes[i], strlen(schemes[i])) == 0)
            scheme = strlen(schemes[i]);
    for (size_t i = scheme; i < size; i++)
        if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) && !strchr("-.:[]", text[i]))
            return false;
    return scheme > 0;
}

/* "self" and "none", with quotes or without. */
static bool is_word(const char *text, size_t size, const char *word)
{
    if (size > 2 && text[0] == '\'' && text[size - 1] == '\'') {
        text++;
        size -= 2;
    }
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

bool ancestors_sound(const char *text)
{
    if (strcmp(text, "*") == 0 || is_word(text, strlen(text), "none"))
        return true;
    for (;;) {
        const size_t size = strcspn(text, ",");
        if (!is_word(text, size, "self") && !is_origin(text, size))
            return false;
        if (!text[size])
            return true;
        text += size + 1;
    }
}

void ancestors_write(struct bytes *out, const char *text)
{
    bytes_text(out, "frame-ancestors");
    for (bool more = true; more; text++) {
        const size_t size = strcspn(text, ",");
        const char *word = is_word(text, size, "self") ? "'self'" : is_word(text, size, "none") ? "'none'" : NULL;
        bytes_char(out, ' ');
        bytes_add(out, word ? word : text, word ? strlen(word) : size);
        text += size;
        more = *text;
    }
}

bool cors_sound(const char *origins)
{
    if (*origins == '\0' || strcmp(origins, "*") == 0)
        return true;
    for (;;) {
        const size_t size = strcspn(origins, ",");
        if (!is_origin(origins, size))
            return false;
        if (!origins[size])
            return true;
        origins += size + 1;
    }
}

/* The value of Access-Control-Allow-Origin for a page of an origin, NULL: none, as for `origin` NULL or not listed. */
static const char *cors_allowed(const char *origins, const char *origin)
{
    if (!origin)
        return NULL;
    if (strcmp(origins, "*") == 0)
        return origins;
    for (; *origins; origins += strspn(origins, ",")) {
        const size_t size = strcspn(origins, ",");
        if (strlen(origin) == size && strncmp(origins, origin, size) == 0)
            return origin;
        origins += size;
    }
    return NULL;
}

/* Whether replies differ by the origin of the page that asks. */
static bool cors_varies(const char *origins)
{
    return *origins && strcmp(origins, "*") != 0;
}

/* ---- Response ---- */

void response_header(struct request *request, struct MHD_Response *response, const char *name, const char *value)
{
    request->reply.poor |= !response || MHD_add_response_header(response, name, value) != MHD_YES;
}

void response_header_of(struct request *request, struct MHD_Response *response, const char *name, struct bytes *text)
{
    char *value = bytes_take(text);
    if (value)
        response_header(request, response, name, value);
    else
        request->reply.poor = true;
    free(value);
}

static void timing(struct bytes *out, const char *what, uint64_t from, uint64_t to)
{
    bytes_text(out, what);
    bytes_duration(out, to > from ? to - from : 0, 6, 3);
}

/* The only field in which two replicas may differ: durations, and where the answer came from. */
static void add_timing(struct request *request, struct MHD_Response *response)
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
        timing(&text, ", idle;dur=", 0, spent.idled);
    }
    if (spent.took_off && question_computed(&request->question)) {
        bytes_text(&text, ", kernel;desc=");
        bytes_text(&text, engine_kernel(request->service->engine));
    }
    response_header_of(request, response, "Server-Timing", &text);
}

/* The span of this request in the client's trace. */
static void add_trace(struct request *request, struct MHD_Response *response)
{
    char text[TRACE_RESPONSE_SIZE];
    if (!request->trace.trace[0])
        return;
    trace_respond(&request->trace, text);
    response_header(request, response, "Traceresponse", text);
}

/* ---- Pages of other origins ---- */

/* The page's origin, or "*", if --cors-origin names it; otherwise NULL. */
static const char *named_origin(const struct request *request)
{
    return cors_allowed(request->service->options.origins, request->headers.origin);
}

/* Whether pages of every origin may read replies of this path: those of jobs are for named origins only. */
static bool is_open(const struct request *request)
{
    return !request->route || !request->route->named_origins;
}

static const char *allowed_origin(const struct request *request)
{
    if (request->port != PORT_PUBLIC)
        return NULL;
    return is_open(request) ? "*" : named_origin(request);
}

/* Whether the reply depends on the origin: a page of a named one may send more. */
static bool varies_by_origin(const struct request *request)
{
    return request->port == PORT_PUBLIC && cors_varies(request->service->options.origins) &&
           (!is_open(request) || request->method->verb == VERB_OPTIONS);
}

/* Replies that are open are so also if they were asked for by others than pages: caches give them to pages. */
static void allow_origin(struct request *request, struct MHD_Response *response)
{
    const char *origin = allowed_origin(request);
    if (!origin)
        return;
    response_header(request, response, "Access-Control-Allow-Origin", origin);
    if (is_open(request)) /* pages that isolate themselves embed nothing else */
        response_header(request, response, "Cross-Origin-Resource-Policy", "cross-origin");
    response_header(request, response, "Access-Control-Expose-Headers",
                    is_open(request)
                        ? "*"
                        : "Content-Location, ETag, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, "
                          "Retry-After, Server-Timing, Traceresponse, WWW-Authenticate, X-Request-Id");
}

/* What a browser asks by OPTIONS before it sends a page's request. methods: as in Allow. Only a page of a named origin
 * may send a key, or ask for a job by Prefer. */
static void allow_preflight(struct request *request, struct MHD_Response *response, const char *methods)
{
    static const char everyone[] = "Content-Type, If-None-Match, Traceparent, X-Request-Id",
                      named[] = "Content-Type, If-None-Match, Last-Event-ID, Prefer, Traceparent, X-Request-Id",
                      with_key[] = "Authorization, Content-Type, If-None-Match, Last-Event-ID, Prefer, Traceparent, "
                                   "X-API-Key, X-Request-Id";
    if (!allowed_origin(request) || !request->headers.preflight)
        return;
    response_header(request, response, "Access-Control-Allow-Methods", methods);
    response_header(request, response, "Access-Control-Allow-Headers",
                    !named_origin(request)             ? everyone
                    : request->service->options.access ? with_key
                                                       : named);
    response_header(request, response, "Access-Control-Max-Age", "86400");
}

/* ---- Headers of every response ---- */

/* The header fields of the request that the reply depends on. */
static void add_vary(struct request *request, unsigned status, struct MHD_Response *response)
{
    const struct {
        const char *field;
        bool matters;
    } fields[] = {
        {"Accept", request->reply.negotiated},
        {"Prefer", request->route && request->route->prefer},
        {"Origin", varies_by_origin(request)},
        {"X-Forwarded-Prefix", request->prefix_varies && request->reply.prefixed},
        {"X-Forwarded-Proto", request->prefix_varies && request->reply.schemed},
        {"Accept-Encoding", request->reply.coded && (status == MHD_HTTP_OK || status == MHD_HTTP_NOT_MODIFIED)},
        {"Last-Event-ID", request->reply.resumes},
    };
    char list[sizeof "Accept, Prefer, Origin, X-Forwarded-Prefix, X-Forwarded-Proto, Accept-Encoding, Last-Event-ID"],
        *end = list;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].matters)
            end = stpcpy(end == list ? end : stpcpy(end, ", "), fields[i].field);
    if (end != list)
        response_header(request, response, "Vary", list);
    if (request->reply.spoken)
        response_header(request, response, "Vary", "Accept-Language");
}

/* The path that repeats an answer whose seed was drawn, or which a board was sent for, unless it is too long for an
 * address. */
static void add_location(struct request *request, struct MHD_Response *response)
{
    if (strlen(request->path) > request->service->options.max_target_bytes)
        return;
    struct bytes location = {0};
    bytes_text(&location, request->prefix);
    bytes_text(&location, request->path);
    response_header_of(request, response, "Content-Location", &location);
}

/* ---- Sending ---- */

static enum MHD_Result write_field(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    bytes_format(cls, "%s: %s\r\n", name, value);
    return MHD_YES;
}

/* Sends a response of bytes past libmicrohttpd, which has sent nothing since the request before, and that nothing
 * follows. The status stays 0 if the client does not get all of it. */
static enum MHD_Result send_past(struct request *request, unsigned status, struct MHD_Response *response)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(request->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct bytes text = {0};
    assert(request->reply.past && request->reply.body);
    bytes_format(&text, "HTTP/1.1 %u %s\r\n", status, MHD_get_reason_phrase_for(status));
    (void)MHD_get_response_headers(response, write_field, &text);
    bytes_format(&text, "Content-Length: %" PRIu64 "\r\n\r\n", request->reply.bytes);
    if (!request->head)
        bytes_add(&text, request->reply.body, request->reply.bytes);
    const bool sent = info && !text.failed &&
                      send(info->connect_fd, text.data, text.size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)text.size;
    if (info)
        (void)shutdown(info->connect_fd, SHUT_WR);
    request->reply.status = sent ? status : 0;
    bytes_free(&text);
    return sent ? MHD_YES : MHD_NO;
}

/* Replies 503, out of memory, without allocating. */
static enum MHD_Result response_no_memory(struct request *request)
{
    if (request->reply.past)
        return MHD_NO;
    request->reply.status = problem_row(PROBLEM_OUT_OF_MEMORY)->status;
    request->stage = STAGE_REPLIED;
    return MHD_queue_response(request->mhd, request->reply.status, request->service->last_words);
}

enum MHD_Result response_send(struct request *request, unsigned status, struct MHD_Response *response)
{
    response_header(request, response, "X-Request-Id", request->id);
    response_header(request, response, "X-Content-Type-Options", "nosniff");
    add_timing(request, response);
    add_trace(request, response);
    add_vary(request, status, response);
    if (request->reply.located && status == MHD_HTTP_OK)
        add_location(request, response);
    allow_origin(request, response);
    if (request->reply.close || service_phase(request->service) >= PHASE_CLOSING)
        response_header(request, response, "Connection", "close");
    if (request->reply.poor) { /* without one of its header fields its meaning would change */
        if (response)
            MHD_destroy_response(response);
        return response_no_memory(request);
    }
    enum MHD_Result result;
    if (request->reply.past) {
        result = send_past(request, status, response);
    } else {
        request->reply.status = status;
        request->stage = STAGE_REPLIED;
        result = MHD_queue_response(request->mhd, status, response);
    }
    MHD_destroy_response(response);
    return result;
}

struct MHD_Response *response_empty(void)
{
    static char nothing[1];
    return MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT);
}

struct MHD_Response *response_of_bytes(struct request *request, struct bytes *body)
{
    const size_t size = request->reply.bytes = body->size;
    char *data = bytes_take(body);
    request->reply.body = data;
    struct MHD_Response *response = data ? MHD_create_response_from_buffer(size, data, MHD_RESPMEM_MUST_FREE) : NULL;
    if (!response)
        free(data);
    return response;
}

void response_cacheable(struct request *request, struct MHD_Response *response, bool keep)
{
    const bool kept = keep && request->method->verb == VERB_READ; /* Content-Location has what a cache may keep */
    response_header(request, response, "Cache-Control", kept ? "public, max-age=86400" : "no-store");
    if (!kept || !request->reply.etag[0])
        return;
    char weak[2 + ETAG_SIZE] = "W/";
    memcpy(weak + 2, request->reply.etag, ETAG_SIZE);
    response_header(request, response, "ETag", request->reply.gzip && request->reply.weak ? weak : weak + 2);
}

/* Allow, with the methods of request->verbs. */
static void response_allow(struct request *request, struct MHD_Response *response)
{
    struct bytes methods = {0};
    route_allow(request->verbs, &methods);
    char *text = bytes_take(&methods);
    if (text) {
        response_header(request, response, "Allow", text);
        allow_preflight(request, response, text);
    } else {
        request->reply.poor = true;
    }
    free(text);
}

static ssize_t read_nothing(void *cls, uint64_t position, char *to, size_t size)
{
    (void)cls, (void)position, (void)to, (void)size;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

/* libmicrohttpd 0.9.75 does not close at once a connection that was suspended just before its reader ends it, but only
 * when it has been idle the longest of all. Connections with a timeout of their own are checked in every turn. */
ssize_t response_read(const struct request *request, ssize_t got)
{
    enum { SOON_S = 1 };
    if (got == MHD_CONTENT_READER_END_WITH_ERROR || (got == MHD_CONTENT_READER_END_OF_STREAM && request->http10))
        (void)MHD_set_connection_option(request->mhd, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)SOON_S);
    return got;
}

/* For a HEAD of unknown length, libmicrohttpd 0.9.75 sends a false "Content-Length: 0", or a stray last chunk that the
 * client takes for the next reply, or, with this option, neither, and closes the connection. */
struct MHD_Response *response_bare(uint64_t size)
{
    struct MHD_Response *response = MHD_create_response_from_callback(size, 1, read_nothing, NULL, NULL);
    if (response && size == MHD_SIZE_UNKNOWN)
        (void)MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    return response;
}

/* ---- Refusals ---- */

/* The quota of one client, and that none is left (draft-ietf-httpapi-ratelimit). */
static void add_rate(struct request *request, struct MHD_Response *response, const struct problem_facts *facts)
{
    char text[48];
    (void)snprintf(text, sizeof text, "\"%s\";q=%" PRIu64, facts->quota, facts->maximum);
    response_header(request, response, "RateLimit-Policy", text);
    (void)snprintf(text, sizeof text, "\"%s\";r=0;t=1", facts->quota);
    response_header(request, response, "RateLimit", text);
}

static enum MHD_Result send_problem(struct request *request, enum problem problem, const char *detail,
                                    const struct problem_facts *facts)
{
    const struct problem_row *row = problem_row(problem);
    struct bytes body = {0};
    problem_write(&body, problem, detail, facts);
    struct MHD_Response *response = response_of_bytes(request, &body);
    response_header(request, response, "Content-Type", "application/problem+json");
    response_cacheable(request, response, false);
    if (row->retry_after)
        response_header(request, response, "Retry-After", row->retry_after);
    if (row->challenge)
        response_header(request, response, "WWW-Authenticate", row->challenge);
    if (facts && facts->quota)
        add_rate(request, response, facts);
    if (problem == PROBLEM_METHOD_NOT_ALLOWED)
        response_allow(request, response);
    request->reply.close |= row->close;
    return response_send(request, row->status, response);
}

enum MHD_Result reply_problem_with(struct request *request, enum problem problem, const struct problem_facts *facts,
                                   const char *detail, ...)
{
    char text[256];
    va_list args;
    va_start(args, detail);
    (void)vsnprintf(text, sizeof text, detail, args);
    va_end(args);
    return send_problem(request, problem, text, facts);
}

/* A connection's memory has the head of a request until the head of its reply is made in what is left. How much that
 * is only the library knows: it depends on how the request and what follows it came in pieces. */
void response_without_room(struct request *request)
{
    request->reply.past = true;
    request->reply.poor = false;
    request->reply.status = 0;
    (void)reply_problem(request, PROBLEM_HEADERS_TOO_LARGE,
                        "The target and the header fields leave no room for those of the reply: together they take at "
                        "most %d KiB, each field 64 bytes beside its own. Send fewer or shorter ones.",
                        CONNECTION_MEMORY >> 10);
}

enum MHD_Result reply_fault(struct request *request, enum problem problem, const struct fault *fault)
{
    return send_problem(request, problem, fault->text, &(struct problem_facts){.fault = fault});
}

enum MHD_Result reply_no_solution(struct request *request, uint32_t n, const struct rule *rule)
{
    struct fault fault;
    fault_no_solution(&fault, n, rule);
    return reply_fault(request, PROBLEM_NO_SOLUTION, &fault);
}

enum MHD_Result reply_no_such_job(struct request *request, const char *id)
{
    if (engine_job_unread(request->service->engine, id, request->unrecorded))
        return reply_problem(request, PROBLEM_STORE_UNREAD,
                             "The store, which may have this job, cannot be read now. Try again soon.");
    return reply_problem(request, PROBLEM_NOT_FOUND, "There is no such job. A finished job can be read for a week.");
}

enum MHD_Result reply_validation_errors(struct request *request, const struct validation_errors *errors)
{
    struct bytes detail = {0};
    for (size_t i = 0; i < errors->count; i++)
        bytes_format(&detail, "%s%s %s", i ? "; " : "", errors->list[i].parameter, errors->list[i].reason);
    bytes_char(&detail, '.');
    bytes_char(&detail, '\0');
    enum problem problem = errors->invalid ? PROBLEM_INVALID_PARAMETER : PROBLEM_BEYOND_LIMIT;
    enum MHD_Result result =
        detail.failed ? response_no_memory(request)
                      : send_problem(request, problem, detail.data, &(struct problem_facts){.errors = errors});
    bytes_free(&detail);
    return result;
}

enum MHD_Result reply_status(struct request *request, enum nq_status status)
{
    static const char *const details[] = {
        [NQ_LIMIT] = "The request goes beyond a limit of this service.",
        [NQ_NONE] = "No such placement exists.",
        [NQ_NOMEM] = "There is no memory for this request now. Try again later.",
        [NQ_BUSY] = "Too many searches, streams or jobs are under way. Try again soon.",
        [NQ_TIMEOUT] = "The search took longer than a client may wait. Try again later.",
        [NQ_CANCELLED] = "The connection was closed while the answer was being searched for.",
        [NQ_DENIED] = "This request is not allowed.",
        [NQ_CLOSED] = "The service is shutting down. Try again soon.",
    };
    const char *detail = status < sizeof details / sizeof details[0] ? details[status] : NULL;
    return send_problem(request, problem_of(status), detail ? detail : nq_status_text(status), NULL);
}

enum MHD_Result reply_method_not_allowed(struct request *request)
{
    return send_problem(request, PROBLEM_METHOD_NOT_ALLOWED,
                        "This path does not accept this method. Use one of those in the Allow header.", NULL);
}

enum MHD_Result reply_options(struct request *request)
{
    struct MHD_Response *response = response_empty();
    response_allow(request, response);
    response_cacheable(request, response, false);
    return response_send(request, MHD_HTTP_NO_CONTENT, response);
}

enum MHD_Result reply_too_many(struct request *request)
{
    const unsigned searches = request->requester.searches;
    atomic_fetch_add(&request->service->clients_refused, 1);
    return reply_problem_with(
        request, PROBLEM_TOO_MANY, &(struct problem_facts){.limited = true, .maximum = searches, .quota = "searches"},
        "This client has %u searches and streams under way, which is its limit. Try again when one has ended.",
        searches);
}

enum MHD_Result reply_too_many_jobs(struct request *request)
{
    const unsigned jobs = request->requester.principal.jobs;
    return reply_problem_with(request, PROBLEM_TOO_MANY,
                              &(struct problem_facts){.limited = true, .maximum = jobs, .quota = "jobs"},
                              "This %s has %u unfinished jobs, which is its limit. Wait until one ends, or cancel one.",
                              request->requester.principal.keyless ? "client" : "key", jobs);
}

static enum MHD_Result deny(struct request *request, const char *text, const struct fault *fault)
{
    const bool has_key = *request->requester.principal.name;
    atomic_fetch_add(&request->service->access_refused, 1);
    return send_problem(request, has_key ? PROBLEM_FORBIDDEN : PROBLEM_KEY_NEEDED, text,
                        &(struct problem_facts){.fault = fault});
}

enum MHD_Result reply_denied(struct request *request, const char *keyless, const char *keyed)
{
    return deny(request, *request->requester.principal.name ? keyed : keyless, NULL);
}

enum MHD_Result reply_denied_fault(struct request *request, const struct fault *fault)
{
    return deny(request, fault->text, fault);
}

enum MHD_Result reply_strange(struct request *request)
{
    atomic_fetch_add(&request->service->access_refused, 1);
    return request->headers.keys > 1
               ? reply_problem(request, PROBLEM_BAD_REQUEST,
                               "A request must have only one key, in Authorization or in X-API-Key.")
               : reply_problem(request, PROBLEM_KEY_UNKNOWN,
                               "This key is not valid, or not valid any more. Send a valid key, or none.");
}

/* ---- Routes ---- */

const char *route_media_type(const struct route *route, size_t i)
{
    if (!route->formats)
        return i ? NULL : route->media_type;
    const char *name = route->formats(i);
    return name ? format_find(name)->media_type : NULL;
}

unsigned route_verbs(const struct route *route)
{
    return 1U << route->verb | (route->board ? 1U << VERB_POST : 0);
}

void route_allow(unsigned verbs, struct bytes *out)
{
    static const char *const methods[] = {
        [VERB_READ] = "GET, HEAD, ", [VERB_POST] = "POST, ", [VERB_DELETE] = "DELETE, "};
    for (size_t verb = 0; verb < sizeof methods / sizeof methods[0]; verb++)
        if (verbs & 1u << verb)
            bytes_text(out, methods[verb]);
    bytes_text(out, "OPTIONS");
}
