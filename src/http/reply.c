/* reply.c - turns answers, streams and problems into replies. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "http/accept.h"
#include "http/canonical.h"
#include "http/response.h"

struct server *request_server(const struct request *request)
{
    return request->server;
}

const char *request_segment(const struct request *request)
{
    return request->segment;
}

const struct bytes *request_body(const struct request *request)
{
    return &request->body;
}

void *request_taken(const struct request *request)
{
    return request->taken;
}

bool request_hold(struct request *request, size_t bytes)
{
    const bool held = server_hold(request->server, bytes);
    request->held += held ? bytes : 0;
    return held;
}

const struct format *request_format(const struct request *request)
{
    return format_find(request->route->formats(request->representation));
}

/* ---- Problems ---- */

/* How much of something one client may have at once, and that none is left (draft-ietf-httpapi-ratelimit). */
static void tell_rate(struct request *request, struct MHD_Response *response)
{
    char text[48];
    (void)snprintf(text, sizeof text, "\"%s\";q=%u", request->quota, request->quota_most);
    response_header(request, response, "RateLimit-Policy", text);
    (void)snprintf(text, sizeof text, "\"%s\";r=0;t=1", request->quota);
    response_header(request, response, "RateLimit", text);
}

static enum MHD_Result send_problem(struct request *request, enum problem problem, const char *detail,
                                    const struct complaints *complaints)
{
    const struct problem_row *row = problem_row(problem);
    struct bytes body = {0};
    problem_write(&body, problem, detail, complaints);
    struct MHD_Response *response = response_of_bytes(request, &body);
    response_header(request, response, "Content-Type", "application/problem+json");
    response_cacheable(request, response, false);
    if (row->retry_after)
        response_header(request, response, "Retry-After", row->retry_after);
    if (row->challenge)
        response_header(request, response, "WWW-Authenticate", row->challenge);
    if (request->quota)
        tell_rate(request, response);
    if (problem == PROBLEM_METHOD_NOT_ALLOWED)
        response_allow(request, response);
    request->close |= row->close;
    return response_send(request, row->status, response);
}

enum MHD_Result reply_problem(struct request *request, enum problem problem, const char *detail, ...)
{
    char text[256];
    va_list args;
    va_start(args, detail);
    (void)vsnprintf(text, sizeof text, detail, args);
    va_end(args);
    return send_problem(request, problem, text, NULL);
}

enum MHD_Result reply_no_solution(struct request *request, uint32_t n)
{
    return reply_problem(request, PROBLEM_NO_SOLUTION, "No %u queens fit on a board of %u x %u without attack.", n, n,
                         n);
}

enum MHD_Result reply_complaints(struct request *request, const struct complaints *complaints)
{
    struct bytes detail = {0};
    for (size_t i = 0; i < complaints->count; i++)
        bytes_format(&detail, "%s%s %s", i ? "; " : "", complaints->list[i].parameter, complaints->list[i].reason);
    bytes_char(&detail, '.');
    bytes_char(&detail, '\0');
    enum problem problem = complaints->invalid ? PROBLEM_INVALID_PARAMETER : PROBLEM_BEYOND_LIMIT;
    enum MHD_Result result =
        detail.failed ? response_no_memory(request) : send_problem(request, problem, detail.data, complaints);
    bytes_free(&detail);
    return result;
}

enum MHD_Result reply_status(struct request *request, enum nq_status status)
{
    static const char *const details[] = {
        [NQ_LIMIT] = "The request goes beyond a limit of this service.",
        [NQ_NONE] = "No such placement exists.",
        [NQ_NOMEM] = "There is no memory for this request now.",
        [NQ_BUSY] = "Too many searches, streams or jobs are under way. Try again soon.",
        [NQ_TIMEOUT] = "The answer took longer than this service lets a client wait.",
        [NQ_CANCELLED] = "The connection was closed while the answer was being searched for.",
        [NQ_DENIED] = "This is not for whoever asks.",
        [NQ_CLOSED] = "The service is shutting down. Try again soon, or elsewhere.",
    };
    const char *detail = status < sizeof details / sizeof details[0] ? details[status] : NULL;
    return send_problem(request, problem_of(status), detail ? detail : nq_status_text(status), NULL);
}

enum MHD_Result reply_method_not_allowed(struct request *request)
{
    return send_problem(request, PROBLEM_METHOD_NOT_ALLOWED, "This path does not take this method.", NULL);
}

enum MHD_Result reply_options(struct request *request)
{
    struct MHD_Response *response = response_empty();
    response_allow(request, response);
    response_cacheable(request, response, false);
    return response_send(request, MHD_HTTP_NO_CONTENT, response);
}

/* ---- Canonical form and entity tags ---- */

static void write_etag(struct request *request, uint64_t hash)
{
    request->etag[0] = '"';
    hash_hex(hash, request->etag + 1);
    memcpy(request->etag + ETAG_SIZE - 2, "\"", 2);
}

/* The tag names the body before it exists: release, canonical query, representation and public prefix determine it. */
static void make_etag(struct request *request, const char *key)
{
    const uint64_t hash = hash_text(hash_text(HASH_START, NQ_VERSION), key);
    write_etag(request, hash_text(hash, server_prefix(request->server)));
}

bool request_canonical_as(struct request *request, const char *space, const char *path, const struct param *params,
                          const struct value *values, struct question *question)
{
    if (!canonical_names(question->format->name, space, path, params, values, &request->key, &request->path))
        return false;
    question->key = request->key;
    question->path = request->path;
    question->prefix = server_prefix(request->server);
    request->kernel_used = question_computed(question);
    question->asker = request->asker;
    memcpy(question->trace, request->trace.trace, sizeof question->trace);
    request->drawn = question->fleeting && question->kind != ASK_COST;
    make_etag(request, request->key);
    return true;
}

bool request_canonical(struct request *request, const struct value *values, struct question *question)
{
    const struct route *route = request->route;
    return request_canonical_as(request, route->path, route->path, route->params, values, question);
}

/* Whether If-None-Match names the tag, weakly compared. "*" names whatever there is: that takes a body `at_hand`. */
static bool not_modified(const struct request *request, bool at_hand)
{
    for (unsigned i = 0; i < request->headers.if_none_matches; i++) {
        const char *list = request->headers.if_none_match[i];
        if ((at_hand && strcmp(list, "*") == 0) || strstr(list, request->etag))
            return true;
    }
    return false;
}

/* 304 with a response (taken over) that has the length of the body, which libmicrohttpd tells and does not send. */
static enum MHD_Result send_not_modified(struct request *request, struct MHD_Response *response)
{
    response_cacheable(request, response, true);
    request->bytes = 0;
    return response_send(request, MHD_HTTP_NOT_MODIFIED, response);
}

/* How long the body will be, if that is known before it is made; or MHD_SIZE_UNKNOWN. */
static uint64_t promised(const struct question *question)
{
    if (question->kind != ASK_CONSTRUCT || !question->format->row_bytes)
        return MHD_SIZE_UNKNOWN;
    return question->n ? (question->last - question->first + UINT64_C(1)) * question->format->row_bytes : 0;
}

/* The reply to a HEAD whose body is not there: the same headers, with a length only if that is known before. */
static enum MHD_Result send_bare(struct request *request, const struct question *question)
{
    /* A page may turn out incomplete, a count a job, an estimate too poor: nothing is promised before it is known. */
    const bool lookup = question->way == COUNT_TABLE || question->way == COUNT_ASYMPTOTIC;
    const bool certain = !question->fleeting && (question->kind == ASK_CONSTRUCT || question->format->lines ||
                                                 (question->kind == ASK_COUNT && lookup));
    const uint64_t size = promised(question);
    struct MHD_Response *response = size == MHD_SIZE_UNKNOWN ? response_bare() : response_sized(size);
    response_header(request, response, "Content-Type", question->format->media_type);
    if (question->format->lines)
        response_header(request, response, "X-Accel-Buffering", "no");
    response_cacheable(request, response, certain);
    return response_send(request, MHD_HTTP_OK, response);
}

/* ---- Answers ---- */

static void unref_answer(void *answer)
{
    answer_unref(answer);
}

/* The body with the public prefix laid in before the link. */
static struct MHD_Response *with_prefix(struct request *request, const struct answer *answer, const char *prefix)
{
    struct bytes body = {0};
    bytes_add(&body, answer->bytes, answer->link);
    bytes_text(&body, prefix);
    bytes_add(&body, answer->bytes + answer->link, answer->size - answer->link);
    return response_of_bytes(request, &body);
}

/* A response of an answer, whose reference it takes over. */
static struct MHD_Response *from_answer(struct request *request, struct answer *answer)
{
    const char *prefix = server_prefix(request->server);
    struct MHD_Response *response;
    if (answer->link_length && *prefix) {
        response = with_prefix(request, answer, prefix);
        answer_unref(answer);
        return response;
    }
    request->bytes = answer->size;
    response =
        MHD_create_response_from_buffer_with_free_callback_cls(answer->size, answer->bytes, unref_answer, answer);
    if (!response)
        answer_unref(answer);
    return response;
}

/* The Link header's value; nothing when nothing follows. */
static struct bytes link_of(const struct request *request, const struct answer *answer)
{
    struct bytes link = {0};
    if (!answer->link_length)
        return link;
    bytes_format(&link, "<%s", server_prefix(request->server));
    bytes_add(&link, answer->bytes + answer->link, answer->link_length);
    bytes_format(&link, ">; rel=\"%s\"", answer->relation ? answer->relation : "next");
    return link;
}

/* Sends an answer, whose reference it takes over; or refuses, when slow readers hold too much already. */
enum MHD_Result response_answer(struct request *request, struct answer *answer)
{
    if (!request_hold(request, answer->size)) {
        answer_unref(answer);
        return reply_status(request, NQ_BUSY);
    }
    const char *media_type = answer->media_type;
    const bool keep = answer->complete, leads_on = answer->link_length;
    struct bytes link = link_of(request, answer);
    struct MHD_Response *response = from_answer(request, answer);
    response_header(request, response, "Content-Type", media_type);
    response_cacheable(request, response, keep);
    if (leads_on)
        response_header_of(request, response, "Link", &link);
    return response_send(request, MHD_HTTP_OK, response);
}

bool reply_at_hand(struct request *request, const struct question *question, bool flows, enum MHD_Result *result)
{
    struct answer *answer = flows ? NULL : engine_peek(server_engine(request->server), question);
    if (flows)
        request->cache = "stream";
    if (answer) {
        request->cache = "hit";
        *result = not_modified(request, true) ? send_not_modified(request, from_answer(request, answer))
                                              : response_answer(request, answer);
    } else if (not_modified(request, flows && !question->fleeting)) {
        *result = send_not_modified(request, response_bare());
    } else if (reply_barred(request, question, result)) {
        return true;
    } else if (request->head) {
        *result = send_bare(request, question);
    } else {
        return false;
    }
    return true;
}

enum MHD_Result reply_question(struct request *request, const struct question *question)
{
    enum MHD_Result result;
    return reply_at_hand(request, question, false, &result) ? result : reply_found(request, question);
}

enum MHD_Result reply_bytes(struct request *request, unsigned status, struct bytes *body, bool keep)
{
    if (keep)
        make_etag(request, request->route->path);
    struct MHD_Response *response = response_of_bytes(request, body);
    if (keep && not_modified(request, true))
        return send_not_modified(request, response);
    response_header(request, response, "Content-Type", route_media_type(request->route, request->representation));
    response_cacheable(request, response, keep);
    return response_send(request, status, response);
}

/* ---- The page ---- */

const char *request_language(const struct request *request, const char *const *languages)
{
    const char *best = languages[0];
    int most = 0;
    for (size_t i = 0; languages[i]; i++) {
        struct accept accept = ACCEPT_UNREAD;
        for (unsigned k = 0; k < request->headers.accept_languages; k++)
            accept_language_read(request->headers.accept_language[k], languages[i], &accept);
        if (accept.quality > most) {
            most = accept.quality;
            best = languages[i];
        }
    }
    return best;
}

/* What the page may do: all of it comes from here. Saving a picture takes data: and blob:. */
static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                             "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

enum MHD_Result reply_web(struct request *request, const char *media_type, const char *language, struct bytes *body)
{
    request->spoken = language;
    if (!body->failed)
        write_etag(request, hash_bytes(HASH_START, body->data, body->size));
    struct MHD_Response *response = response_of_bytes(request, body);
    response_header(request, response, "Cache-Control", "no-cache");
    response_header(request, response, "ETag", request->etag);
    response_header(request, response, "Content-Security-Policy", policy);
    response_header(request, response, "Referrer-Policy", "no-referrer");
    if (not_modified(request, true)) {
        request->bytes = 0;
        return response_send(request, MHD_HTTP_NOT_MODIFIED, response);
    }
    response_header(request, response, "Content-Type", media_type);
    if (language)
        response_header(request, response, "Content-Language", language);
    return response_send(request, MHD_HTTP_OK, response);
}

/* ---- Streams ---- */

/* Hands bytes to libmicrohttpd. A stream that is cut must not look complete: it is shorter than its Content-Length; or
 * over HTTP/1.1 the last chunk is missing, and over HTTP/1.0, where closing is the end, the connection is reset. A
 * length that is reached is the end, and libmicrohttpd does not ask again. */
static ssize_t read_stream(void *cls, uint64_t position, char *to, size_t size)
{
    struct request *request = cls;
    size_t got;
    (void)position;
    switch (stream_read(request->stream, to, size, &got)) {
    case NQ_OK:
        request->bytes += got;
        if (request->bytes == request->promised)
            stream_enough(request->stream);
        return (ssize_t)got;
    case NQ_END: peer_fragile(request->peer, false); return response_read(request, MHD_CONTENT_READER_END_OF_STREAM);
    case NQ_AGAIN:
        MHD_suspend_connection(request->connection);
        if (!stream_wait(request->stream))
            MHD_resume_connection(request->connection);
        return 0;
    default: peer_reset_if_fragile(request->peer); return response_read(request, MHD_CONTENT_READER_END_WITH_ERROR);
    }
}

enum MHD_Result reply_stream(struct request *request, const struct question *question)
{
    enum MHD_Result result;
    return reply_at_hand(request, question, true, &result) ? result : reply_flow(request, question);
}

enum MHD_Result reply_flow(struct request *request, const struct question *question)
{
    enum { BLOCK = 128 << 10 };
    request->cache = "stream";
    request->promised = promised(question);
    if (server_draining(request->server))
        return reply_status(request, NQ_CLOSED);
    if (request->http10 && request->promised == MHD_SIZE_UNKNOWN && !peer_resets(request->peer))
        return reply_problem(request, PROBLEM_HTTP_VERSION,
                             "Over HTTP/1.0 and a unix socket nothing shows where a stream is cut. Ask over HTTP/1.1.");
    if (!request_enter(request))
        return reply_too_many(request);
    enum nq_status status =
        engine_stream(server_engine(request->server), question, response_wake, request, &request->stream);
    if (status != NQ_OK)
        return reply_status(request, status);
    if (!peer_watch(request->peer, stream_party(request->stream), 0))
        return reply_status(request, NQ_BUSY);
    struct MHD_Response *response =
        MHD_create_response_from_callback(request->promised, BLOCK, read_stream, request, NULL);
    peer_fragile(request->peer, request->http10);
    response_header(request, response, "Content-Type", question->format->media_type);
    response_header(request, response, "X-Accel-Buffering",
                    "no"); /* or nginx spools the whole stream for a slow client */
    response_cacheable(request, response, !question->fleeting);
    return response_send(request, MHD_HTTP_OK, response);
}
