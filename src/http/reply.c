/* reply.c - turns answers, streams and problems into responses, with the headers every one of them carries. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "http/canonical.h"
#include "http/events.h"
#include "http/job_json.h"
#include "http/request.h"

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

const struct format *request_format(const struct request *request)
{
    return format_find(request->route->formats(request->representation));
}

static void header(struct MHD_Response *response, const char *name, const char *value)
{
    (void)MHD_add_response_header(response, name, value); /* out of memory: a reply without it is better than none */
}

static void timing(struct bytes *out, const char *what, uint64_t from, uint64_t to)
{
    bytes_text(out, what);
    bytes_duration(out, to > from ? to - from : 0, 6, 3);
}

/* How long what took, and where the answer came from: all that may differ between two replicas. */
static void server_timing(const struct request *request, struct MHD_Response *response)
{
    const struct ticket *ticket = request->ticket;
    const uint64_t now = clock_now();
    struct bytes text = {0};
    bytes_text(&text, "cache;desc=");
    bytes_text(&text, request->cache);
    timing(&text, ", total;dur=", request->began, now);
    if (ticket && ticket->progress.took_off) {
        timing(&text, ", queue;dur=", ticket->asked, ticket->progress.took_off);
        timing(&text, ", search;dur=", ticket->progress.took_off, now);
    }
    if (ticket && request->kernel_used) {
        bytes_text(&text, ", kernel;desc=");
        bytes_text(&text, engine_kernel(server_engine(request->server)));
    }
    bytes_char(&text, '\0');
    if (!text.failed)
        header(response, "Server-Timing", text.data);
    bytes_free(&text);
}

/* Queues a response, which it takes over, with the headers that all have. NULL: out of memory, the connection ends. */
static enum MHD_Result respond(struct request *request, unsigned status, struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    header(response, "X-Request-Id", request->id);
    server_timing(request, response);
    const bool prefer = request->route && request->route->prefer;
    if (request->negotiated || prefer)
        header(response, "Vary", !prefer ? "Accept" : request->negotiated ? "Accept, Prefer" : "Prefer");
    const bool close = request->close || server_draining(request->server);
    if (close && MHD_add_response_header(response, "Connection", "close") != MHD_YES) {
        MHD_destroy_response(response);
        return MHD_NO; /* a connection that must end ends, with or without a reply */
    }
    request->status = status;
    request->stage = STAGE_REPLIED;
    enum MHD_Result queued = MHD_queue_response(request->connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

static struct MHD_Response *empty(void)
{
    static char nothing[1];
    return MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT);
}

/* A response of bytes (taken over). */
static struct MHD_Response *from_bytes(struct request *request, struct bytes *body)
{
    size_t size = body->size;
    char *data = bytes_take(body);
    struct MHD_Response *response = data ? MHD_create_response_from_buffer(size, data, MHD_RESPMEM_MUST_FREE) : NULL;
    if (!response)
        free(data);
    request->bytes = size;
    return response;
}

/* The headers of what may be kept, or of what must not. */
static void cacheable(const struct request *request, struct MHD_Response *response, bool keep)
{
    header(response, "Cache-Control", keep ? "public, max-age=86400" : "no-store");
    if (keep && request->etag[0])
        header(response, "ETag", request->etag);
}

/* The methods that go with a request's path; with no path, those of "*", which are all there are. */
static void allow(const struct request *request, struct MHD_Response *response)
{
    struct bytes methods = {0};
    if (request->route)
        route_allow(request->route, &methods);
    else
        bytes_text(&methods, "GET, HEAD, POST, DELETE, OPTIONS");
    char *text = bytes_take(&methods);
    if (text)
        header(response, "Allow", text);
    free(text);
}

/* ---- Problems ---- */

static enum MHD_Result send_problem(struct request *request, enum problem problem, const char *detail,
                                    const struct complaints *complaints)
{
    const struct problem_row *row = problem_row(problem);
    struct bytes body = {0};
    problem_write(&body, problem, detail, complaints);
    struct MHD_Response *response = from_bytes(request, &body);
    if (!response)
        return MHD_NO;
    header(response, "Content-Type", "application/problem+json");
    cacheable(request, response, false);
    if (row->retry_after)
        header(response, "Retry-After", row->retry_after);
    if (problem == PROBLEM_METHOD_NOT_ALLOWED)
        allow(request, response);
    request->close |= row->close;
    return respond(request, row->status, response);
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

enum MHD_Result reply_complaints(struct request *request, const struct complaints *complaints)
{
    struct bytes detail = {0};
    for (size_t i = 0; i < complaints->count; i++)
        bytes_format(&detail, "%s%s %s", i ? "; " : "", complaints->list[i].parameter, complaints->list[i].reason);
    bytes_char(&detail, '.');
    bytes_char(&detail, '\0');
    enum problem problem = complaints->invalid ? PROBLEM_INVALID_PARAMETER : PROBLEM_BEYOND_LIMIT;
    enum MHD_Result result = detail.failed ? MHD_NO : send_problem(request, problem, detail.data, complaints);
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
    struct MHD_Response *response = empty();
    if (response) {
        allow(request, response);
        cacheable(request, response, false);
    }
    return respond(request, MHD_HTTP_NO_CONTENT, response);
}

/* ---- Canonical form and entity tags ---- */

/* The tag names the body before it exists: release, canonical query, representation and public prefix determine it. */
static void make_etag(struct request *request, const char *key)
{
    uint64_t hash = hash_text(hash_text(HASH_START, NQ_VERSION), key);
    hash = hash_text(hash, server_prefix(request->server));
    request->etag[0] = '"';
    hash_hex(hash, request->etag + 1);
    memcpy(request->etag + ETAG_SIZE - 2, "\"", 2);
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

static ssize_t read_nothing(void *cls, uint64_t position, char *to, size_t size)
{
    (void)cls, (void)position, (void)to, (void)size;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

/* A response without a body whose length nobody knows yet. libmicrohttpd 0.9.75 offers an untrue "Content-Length: 0", a
 * stray last chunk that would spoil the connection, or this: neither, and a close. */
static struct MHD_Response *bare(void)
{
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read_nothing, NULL, NULL);
    if (response)
        (void)MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    return response;
}

/* 304 with a response (taken over) that has the length of the body, which libmicrohttpd tells and does not send. */
static enum MHD_Result send_not_modified(struct request *request, struct MHD_Response *response)
{
    if (response)
        cacheable(request, response, true);
    request->bytes = 0;
    return respond(request, MHD_HTTP_NOT_MODIFIED, response);
}

/* The reply to a HEAD whose body is not there: the same headers, but for a length. */
static enum MHD_Result send_bare(struct request *request, const struct question *question)
{
    /* A page may turn out incomplete, which is not to be kept: nothing is promised before it is known. */
    const bool certain = (question->kind != ASK_SOLVE || question->format->lines) && !question->fleeting;
    struct MHD_Response *response = bare();
    if (response) {
        header(response, "Content-Type", question->format->media_type);
        if (question->format->lines)
            header(response, "X-Accel-Buffering", "no");
        cacheable(request, response, certain);
    }
    return respond(request, MHD_HTTP_OK, response);
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
    return from_bytes(request, &body);
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

/* The Link header, for the caller to free; NULL when nothing follows or memory is out. */
static char *link_of(const struct request *request, const struct answer *answer)
{
    struct bytes link = {0};
    if (!answer->link_length)
        return NULL;
    bytes_format(&link, "<%s", server_prefix(request->server));
    bytes_add(&link, answer->bytes + answer->link, answer->link_length);
    bytes_text(&link, ">; rel=\"next\"");
    return bytes_take(&link);
}

/* Sends an answer, whose reference it takes over; or refuses, when slow readers hold too much already. */
static enum MHD_Result send_answer(struct request *request, struct answer *answer)
{
    if (!server_hold(request->server, answer->size)) {
        answer_unref(answer);
        return reply_status(request, NQ_BUSY);
    }
    request->held = answer->size;
    const char *media_type = answer->media_type;
    const bool keep = answer->complete;
    char *link = link_of(request, answer);
    struct MHD_Response *response = from_answer(request, answer);
    if (response) {
        header(response, "Content-Type", media_type);
        cacheable(request, response, keep);
        if (link)
            header(response, "Link", link);
    }
    free(link);
    return respond(request, MHD_HTTP_OK, response);
}

static void wake(void *who)
{
    struct request *request = who;
    MHD_resume_connection(request->connection);
}

/* ---- Jobs ---- */

/* Where the job is that was begun, and how it is: 202, or 200 when it is done. Who asked for a count then gets it. */
static enum MHD_Result send_job(struct request *request)
{
    struct job_view view;
    struct bytes body = {0}, location = {0};
    enum nq_status status = engine_look(server_engine(request->server), request->job, &view);
    if (status != NQ_OK)
        return reply_status(request, status == NQ_NONE ? NQ_BUSY : status); /* so many were over that it is gone */
    const bool done = view.state == JOB_DONE;
    if (done && request->route->prefer) {
        struct answer *answer = answer_ref(view.result);
        job_view_free(&view);
        return send_answer(request, answer);
    }
    job_write(&body, &view, server_prefix(request->server));
    job_view_free(&view);
    bytes_format(&location, "%s/jobs/%s", server_prefix(request->server), request->job);
    char *where = bytes_take(&location);
    struct MHD_Response *response = where ? from_bytes(request, &body) : NULL;
    if (response) {
        header(response, "Content-Type", "application/json");
        header(response, "Location", where);
        cacheable(request, response, false);
        if (!done)
            header(response, "Retry-After", "1");
        if (request->headers.respond_async && request->route->prefer)
            header(response, "Preference-Applied", "respond-async");
    }
    bytes_free(&body);
    free(where);
    return respond(request, done ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED, response);
}

/* What is told to a client must outlive the process: it waits until the job is recorded, or cannot be. */
static enum MHD_Result wait_for_record(struct request *request)
{
    request->stage = STAGE_RECORDING;
    MHD_suspend_connection(request->connection);
    if (!engine_settled(server_engine(request->server), wake, request))
        MHD_resume_connection(request->connection);
    return MHD_YES;
}

/* Seconds to wait for an answer: as the client prefers, where it may. */
static unsigned patience(const struct request *request, const struct question *question)
{
    enum { PRESET_S = 10 };
    const unsigned most = server_max_wait(request->server);
    if (request->job_wanted || !question_computed(question))
        return most;
    const unsigned wanted = request->headers.wait >= 0 ? (unsigned)request->headers.wait : PRESET_S;
    return wanted < most ? wanted : most;
}

/* Waits: suspended first, then known to the engine, whose wake is its last touch. */
static enum MHD_Result wait_for_answer(struct request *request, const struct question *question)
{
    request->cache = "miss";
    request->stage = STAGE_WAITING;
    MHD_suspend_connection(request->connection);
    struct engine *engine = server_engine(request->server);
    request->ticket = request->job_wanted ? engine_ask_job(engine, question, wake, request)
                                          : engine_ask(engine, question, wake, request);
    if (!request->ticket)
        MHD_resume_connection(request->connection);
    else if (!peer_watch(request->peer, &request->ticket->party, patience(request, question)))
        request->ticket->party.dismiss(&request->ticket->party, NQ_BUSY);
    return MHD_YES;
}

enum MHD_Result reply_job(struct request *request, const struct question *question)
{
    if (server_draining(request->server))
        return reply_status(request, NQ_CLOSED);
    request->job_wanted = true;
    return wait_for_answer(request, question);
}

enum MHD_Result reply_resumed(struct request *request)
{
    struct ticket *ticket = request->ticket;
    if (request->stage == STAGE_RECORDING)
        return send_job(request);
    peer_unwatch(request->peer);
    if (!ticket)
        return reply_status(request, NQ_NOMEM);
    enum nq_status status = ticket->status;
    if (status == NQ_OK && !request->job_wanted)
        return send_answer(request, answer_ref(ticket->answer));
    if (status == NQ_OK) /* it was there at once, and a job is asked for */
        status = engine_begin_job(ticket);
    if (status == NQ_AGAIN) {
        memcpy(request->job, engine_job_of(ticket), sizeof request->job);
        return wait_for_record(request);
    }
    if (ticket->why[0])
        return reply_problem(request, problem_of(status), "%s", ticket->why);
    return reply_status(request, status);
}

enum MHD_Result reply_question(struct request *request, const struct question *question)
{
    struct answer *answer = engine_peek(server_engine(request->server), question);
    if (answer) {
        request->cache = "hit";
        if (!not_modified(request, true))
            return send_answer(request, answer);
        return send_not_modified(request, from_answer(request, answer));
    }
    if (not_modified(request, false))
        return send_not_modified(request, bare());
    if (request->head)
        return send_bare(request, question);
    if (server_draining(request->server))
        return reply_status(request, NQ_CLOSED);
    if ((request->headers.respond_async || request->headers.wait == 0) && question_computed(question))
        return reply_job(request, question);
    return wait_for_answer(request, question);
}

enum MHD_Result reply_bytes(struct request *request, unsigned status, struct bytes *body, bool keep)
{
    if (keep)
        make_etag(request, request->route->path);
    struct MHD_Response *response = from_bytes(request, body);
    if (keep && not_modified(request, true))
        return send_not_modified(request, response);
    if (response) {
        header(response, "Content-Type", route_media_type(request->route, request->representation));
        cacheable(request, response, keep);
    }
    return respond(request, status, response);
}

/* ---- Streams ---- */

/* Hands bytes to libmicrohttpd. A stream that is cut must not look complete: over HTTP/1.1 the last chunk is missing,
 * over HTTP/1.0, where closing is the end, the connection is reset. */
static ssize_t read_stream(void *cls, uint64_t position, char *to, size_t size)
{
    struct request *request = cls;
    size_t got;
    (void)position;
    switch (stream_read(request->stream, to, size, &got)) {
    case NQ_OK: request->bytes += got; return (ssize_t)got;
    case NQ_END: peer_fragile(request->peer, false); return MHD_CONTENT_READER_END_OF_STREAM;
    case NQ_AGAIN:
        MHD_suspend_connection(request->connection);
        if (!stream_wait(request->stream))
            MHD_resume_connection(request->connection);
        return 0;
    default: peer_reset_if_fragile(request->peer); return MHD_CONTENT_READER_END_WITH_ERROR;
    }
}

enum MHD_Result reply_stream(struct request *request, const struct question *question)
{
    enum { BLOCK = 128 << 10 };
    if (not_modified(request, true))
        return send_not_modified(request, bare());
    request->cache = "stream";
    if (request->head)
        return send_bare(request, question);
    if (server_draining(request->server))
        return reply_status(request, NQ_CLOSED);
    enum nq_status status = engine_stream(server_engine(request->server), question, wake, request, &request->stream);
    if (status != NQ_OK)
        return reply_status(request, status);
    if (!peer_watch(request->peer, stream_party(request->stream), 0))
        return reply_status(request, NQ_BUSY);
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, request, NULL);
    if (!response)
        return MHD_NO;
    peer_fragile(request->peer, request->http10);
    header(response, "Content-Type", question->format->media_type);
    header(response, "X-Accel-Buffering", "no"); /* or nginx spools the whole stream for a slow client */
    cacheable(request, response, true);
    return respond(request, MHD_HTTP_OK, response);
}

enum MHD_Result reply_events(struct request *request, const char *id)
{
    enum { BLOCK = 4 << 10 };
    const char *last = request->headers.last_event_id;
    struct job_view view;
    if (server_draining(request->server))
        return reply_status(request, NQ_CLOSED);
    const enum nq_status status = engine_look(server_engine(request->server), id, &view);
    if (status == NQ_NONE)
        return reply_problem(request, PROBLEM_NOT_FOUND, "There is no such job.");
    if (status != NQ_OK)
        return reply_status(request, status);
    const bool over = job_state_over(view.state); /* it may have been begun again */
    job_view_free(&view);
    if (over && events_heard_all(last)) { /* a browser goes on asking until it gets this */
        struct MHD_Response *response = empty();
        if (response)
            cacheable(request, response, false);
        return respond(request, MHD_HTTP_NO_CONTENT, response);
    }
    struct MHD_Response *response;
    if (request->head) {
        response = bare();
    } else {
        request->events = events_open(server_hub(request->server), id, last, request->connection);
        if (!request->events)
            return reply_status(request, NQ_NOMEM);
        if (!peer_watch(request->peer, events_party(request->events), 0))
            return reply_status(request, NQ_BUSY);
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, events_read, request->events, NULL);
    }
    if (response) {
        header(response, "Content-Type", "text/event-stream");
        header(response, "X-Accel-Buffering", "no");
        cacheable(request, response, false);
    }
    return respond(request, MHD_HTTP_OK, response);
}
