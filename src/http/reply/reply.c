/* reply.c - how a request is replied: with an answer that is complete, as it is or as a gzip copy; after a wait for an
 * answer, or for a job to be recorded; with a stream, which ends when the client stops reading; with the events of a
 * job. A copy comes from the cache, or a thread of the pool makes it while the request is suspended: when it cannot be
 * made, the answer is sent as it is. */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/process.h"
#include "engine/ask/count_query.h"
#include "engine/ask/question.h"
#include "http/ask/verify_body.h"
#include "http/reply/job_json.h"
#include "http/reply/page.h"
#include "http/reply/request.h"
#include "http/reply/response.h"
#include "http/wire/headers.h"

/* ---- Bodies of requests ---- */

/* A body is collected in a buffer that doubles, up to what its head announces or its route accepts. What the buffer has
 * is counted before it grows, so that slow senders together hold no more than --reply-bytes. */

/* Bytes whose pages are made at once; a small body takes a few faults instead. */
enum { PAGES_STEP = 256 << 10, PAGES_LEAST = 64 << 10 };

/* How many bytes a body of the request's media type may have. False: the route accepts none of that type. */
static bool find_most(const struct request *request, const struct route *route, size_t *most)
{
    *most = BODY_MAX;
    if (!route || !route->board)
        return true;
    const struct verify_form *of_type = verify_form_of(&request->headers);
    *most = of_type ? of_type->most : 0;
    for (const struct verify_form *form = verify_forms; form->media_type && !of_type; form++)
        *most = form->most > *most ? form->most : *most;
    return of_type; /* as many as of any other are read away, so that its client gets the 415 */
}

void body_begin(struct request *request, const struct route *route)
{
    struct request_body *body = &request->body;
    const struct headers *headers = &request->headers;
    const size_t allowed = request->service->options.max_body_bytes;
    const bool known = find_most(request, route, &body->most);
    body->status = NQ_OK;
    body->kept = known && request->method->verb == VERB_POST;
    body->most = body->most < allowed ? body->most : allowed;
    body->room = body->most;
    body->made = PAGES_LEAST;
    if (headers->lengths && headers->content_length) {
        const uint64_t announced = strtoull(headers->content_length, NULL, 10);
        body->room = announced < body->most ? (size_t)announced : body->most;
    }
}

/* Has the kernel make the next pages of the buffer, which are counted already. Otherwise the thread that serves
 * everybody takes a fault for each page when it copies into it. Measured in turns on a busy machine: 7 MB took that
 * thread 8.5 ms instead of 10.6, and 2 MB 2.97 ms instead of 3.09 (medians). Best effort. */
static void make_pages(struct request_body *body)
{
    enum { PAGE = 4 << 10 };
    const size_t step = body->made + PAGES_STEP, end = step < body->capacity ? step : body->capacity;
    char *first = body->data + body->made + (PAGE - (uintptr_t)(body->data + body->made) % PAGE) % PAGE;
    char *last = body->data + end - (uintptr_t)(body->data + end) % PAGE;
#ifdef MADV_POPULATE_WRITE /* Linux 5.14 */
    if (first < last)
        (void)madvise(first, (size_t)(last - first), MADV_POPULATE_WRITE);
#else
    (void)first, (void)last;
#endif
    body->made = end;
}

/* The bytes are not wanted. */
static void drop(struct request *request, enum nq_status status)
{
    struct request_body *body = &request->body;
    free(body->data);
    request_release(request, body->capacity);
    body->data = NULL;
    body->capacity = 0;
    body->kept = false;
    body->status = status;
}

/* Makes room for body->size bytes. */
static bool grow(struct request *request)
{
    enum { LEAST = 1 << 10 };
    struct request_body *body = &request->body;
    size_t capacity = body->capacity ? 2 * body->capacity : LEAST;
    while (capacity < body->size)
        capacity *= 2; /* most is far from SIZE_MAX / 2 */
    if (capacity > body->room && body->size <= body->room)
        capacity = body->room;
    if (!request_hold(request, capacity - body->capacity)) {
        drop(request, NQ_BUSY);
        return false;
    }
    char *data = realloc(body->data, capacity);
    if (!data) {
        request_release(request, capacity - body->capacity);
        drop(request, NQ_NOMEM);
        return false;
    }
    body->data = data;
    body->capacity = capacity;
    return true;
}

void body_add(struct request *request, const char *piece, size_t size)
{
    struct request_body *body = &request->body;
    body->size += size;
    if (body->kept && body->size > body->most)
        drop(request, NQ_OK);
    if (!body->kept || (body->size > body->capacity && !grow(request)))
        return;
    if (body->size > body->made)
        make_pages(body);
    memcpy(body->data + body->size - size, piece, size);
}

char *body_take(struct request *request, size_t *size, size_t *held)
{
    struct request_body *body = &request->body;
    char *data = body->data;
    assert(request->held >= body->capacity);
    *size = data ? body->size : 0;
    *held = body->capacity;
    request->held -= body->capacity;
    body->data = NULL;
    body->capacity = 0;
    return data;
}

/* ---- Reading ---- */

/* What to do next, once. */
static request_then take_then(struct request *request)
{
    const request_then then = request->then;
    request->then = NULL;
    return then;
}

/* The chore stays: what it has read is the request's as long as this lasts. */
static enum MHD_Result carried_out(struct request *request)
{
    const request_then then = take_then(request);
    struct pending *chore = request->body.chore = request_take(request);
    const enum nq_status status = chore ? pending_status(chore) : NQ_NOMEM;
    return status == NQ_OK ? then(request, NULL) : reply_status(request, status);
}

enum MHD_Result reply_chore(struct request *request, const struct chore_order *order, request_then then)
{
    struct chore_order asked = *order;
    assert(!request->body.chore);
    const bool stopped = service_phase(request->service) == PHASE_STOPPED;
    if (stopped || !request_enter(request)) {
        order->free(order->state);
        return stopped ? reply_status(request, NQ_CLOSED) : reply_too_many(request);
    }
    asked.client = request->requester.principal.client;
    asked.wake = request_wake;
    asked.who = request;
    suspension_begin(request, AT_BODY);
    request->then = then;
    struct chore *chore = engine_begin_chore(request->service->engine, &asked);
    suspension_watch(request, chore ? &chore->pending : NULL, request->service->options.max_wait_s);
    return MHD_YES;
}

/* ---- Canonical form and entity tags ---- */

static void write_etag(struct request *request, uint64_t hash)
{
    request->reply.etag[0] = '"';
    hash_hex(hash, request->reply.etag + 1);
    memcpy(request->reply.etag + ETAG_SIZE - 2, "\"", 2);
}

/* The tag is known before the body is: build and key determine both. */
static void make_etag(struct request *request, const char *key)
{
    write_etag(request, hash_text(hash_text(HASH_START, build_id), key));
    request->reply.prefixed = true;
}

/* Whether an answer has links, which begin with the public prefix. Not a count, whose key jobs keep. */
static bool has_links(enum question_kind kind)
{
    return kind == ASK_SOLVE || kind == ASK_TRACE || kind == ASK_PUZZLE || kind == ASK_COST;
}

/* Clients share an answer by its key, so that of one with links says how they begin. */
static bool add_prefix(struct request *request)
{
    struct bytes key = {0};
    if (!*request->prefix || !has_links(request->question.kind))
        return true;
    bytes_format(&key, "%s %s", request->prefix, request->key);
    free(request->key);
    return (request->key = bytes_take(&key));
}

bool request_canonical_as(struct request *request, const char *space, const char *path, const struct param *params,
                          const struct value *values)
{
    struct question *question = &request->question;
    const struct canonical names = {
        .format = question->format->name, .space = space, .path = path, .params = params, .values = values};
    if (!canonical_names(&names, &request->key, &request->path) || !add_prefix(request))
        return false;
    question->unlinked = strlen(request->path) > request->service->options.max_target_bytes + CANONICAL_ROOM;
    question->key = request->key;
    question->path = request->path;
    question->prefix = request->prefix;
    question->principal = request->requester.principal;
    memcpy(question->trace, request->trace.trace, sizeof question->trace);
    request->reply.located = (question->uncacheable && question->kind != ASK_COST) || request_sends_board(request);
    make_etag(request, request->key);
    return true;
}

bool request_canonical(struct request *request, const struct value *values)
{
    const struct route *route = request->route;
    return request_canonical_as(request, route->asks.path, route->asks.path, route->asks.params, values);
}

/* ---- Content codings ---- */

/* The quality of a coding, in thousandths; `unnamed` if no field names it. */
static int coding_quality(const struct request *request, const char *coding, int unnamed)
{
    const struct accept accept = accept_all(&request->headers.accept_encoding, coding, accept_encoding_read);
    return accept.precision ? accept.quality : unnamed;
}

/* The gzip copy comes only if it is asked for, and the body itself is not preferred to it. */
static bool prefers_gzip(struct request *request)
{
    request->reply.coded = true;
    if (request->headers.accept_encoding.count == 0)
        return false;
    const int gzip = coding_quality(request, "gzip", 0);
    return gzip > 0 && gzip >= coding_quality(request, "identity", 0);
}

/* Whether a body of this type may be sent as gzip and the client prefers that. The reply then depends on
 * Accept-Encoding. */
/* Not: pictures of points, which are compressed already; events, which come one by one; numbers of large boards, which
 * have a known length. */
static bool answer_gzip_wanted(struct request *request, const char *media_type)
{
    return request->port == PORT_PUBLIC && strcmp(media_type, "image/png") != 0 &&
           strcmp(media_type, "text/event-stream") != 0 && strcmp(media_type, "application/octet-stream") != 0 &&
           prefers_gzip(request);
}

/* Another release of zlib may make another copy. */
static void tag_gzip(struct request *request)
{
    const uint64_t hash = hash_text(hash_text(HASH_START, request->reply.etag), gzip_version());
    request->reply.gzip = true;
    write_etag(request, hash);
}

/* The response has a gzip copy, and its tag. */
static void answer_as_gzip(struct request *request, struct MHD_Response *response)
{
    tag_gzip(request);
    response_header(request, response, "Content-Encoding", "gzip");
}

/* Whether If-None-Match has the tag, also with the suffix that Apache's mod_deflate adds inside its quotes. */
static bool names_tag(const struct request *request, const char *tag)
{
    const struct field_list *fields = &request->headers.if_none_match;
    if (request->method->verb != VERB_READ)
        return false; /* the tag is that of a GET */
    char deflated[ETAG_SIZE + sizeof "-gzip"];
    (void)snprintf(deflated, sizeof deflated, "%.*s-gzip\"", (int)strlen(tag) - 1, tag);
    for (unsigned i = 0; i < fields->count; i++)
        if (strcmp(fields->at[i], tag) == 0 ||
            (*tag == '"' && (strstr(fields->at[i], tag) || strstr(fields->at[i], deflated))))
            return true;
    return false;
}

/* Whether If-None-Match has the tag, weakly compared, or "*", which stands for any body that is `at_hand`. gzip: or the
 * tag of the gzip copy, which then becomes that of the reply. */
static bool answer_not_modified(struct request *request, bool at_hand, bool gzip)
{
    const bool any = at_hand && names_tag(request, "*"), plain = names_tag(request, request->reply.etag);
    if (!gzip || request->headers.if_none_match.count == 0)
        return any || plain;
    char etag[ETAG_SIZE];
    memcpy(etag, request->reply.etag, sizeof etag);
    tag_gzip(request);
    if (any || names_tag(request, request->reply.etag))
        return true;
    request->reply.gzip = false;
    memcpy(request->reply.etag, etag, sizeof etag);
    return plain;
}

/* Sends 304 with a response (taken over) that has the length of the body, which libmicrohttpd sends without the body.
 */
static enum MHD_Result answer_send_not_modified(struct request *request, struct MHD_Response *response)
{
    response_cacheable(request, response, true);
    request->reply.bytes = 0;
    return response_send(request, MHD_HTTP_NOT_MODIFIED, response);
}

/* The length of an answer's body if it is known before the body is made; or MHD_SIZE_UNKNOWN. */
static uint64_t answer_size(const struct question *question)
{
    if (question->kind != ASK_CONSTRUCT || !question->format->row_bytes)
        return MHD_SIZE_UNKNOWN;
    return question->n
               ? (question->construct.last - question->construct.first + UINT64_C(1)) * question->format->row_bytes
               : 0;
}

static void unref_answer(void *answer)
{
    answer_unref(answer);
}

/* A response of an answer, whose reference it takes over. NULL: out of memory. */
static struct MHD_Response *answer_response(struct request *request, struct answer *answer)
{
    request->reply.bytes = answer->size;
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback_cls(answer->size, answer->bytes, unref_answer, answer);
    if (!response)
        answer_unref(answer);
    return response;
}

/* The value of Link; empty: nothing follows. */
static struct bytes link_of(const struct request *request, const struct answer *answer)
{
    struct bytes link = {0};
    if (!answer->link_length)
        return link;
    bytes_format(&link, "<%s", request->prefix);
    bytes_add(&link, answer->bytes + answer->link, answer->link_length);
    bytes_format(&link, ">; rel=\"%s\"", answer->relation ? answer->relation : "next");
    return link;
}

/* Sends an answer, or its gzip copy if that is not NULL; takes over both references. Replies 503 if slow readers hold
 * too much memory. */
static enum MHD_Result answer_send(struct request *request, struct answer *answer, struct answer *copy)
{
    if (!request_hold(request, copy ? copy->size : answer->size)) {
        answer_unref(answer);
        answer_unref(copy);
        return reply_status(request, NQ_BUSY);
    }
    const char *media_type = answer->media_type;
    const bool keep = answer->complete, linked = answer->link_length;
    struct bytes link = link_of(request, answer);
    struct MHD_Response *response = answer_response(request, copy ? copy : answer);
    response_header(request, response, "Content-Type", media_type);
    if (copy) {
        answer_as_gzip(request, response);
        answer_unref(answer);
    }
    response_cacheable(request, response, keep);
    if (linked)
        response_header_of(request, response, "Link", &link);
    return response_send(request, MHD_HTTP_OK, response);
}

/* ---- Files ---- */

/* The copy that suits the client, and its tag. */
static struct MHD_Response *response_of_file(struct request *request, const struct embedded *file)
{
    request->reply.gzip = prefers_gzip(request) && file->gzip_begin;
    const char *begin = request->reply.gzip ? file->gzip_begin : file->begin,
               *end = request->reply.gzip ? file->gzip_end : file->end;
    const size_t size = request->reply.bytes = (size_t)(end - begin);
    write_etag(request, hash_bytes(HASH_START, begin, size));
    return MHD_create_response_from_buffer(size, (void *)begin, MHD_RESPMEM_PERSISTENT);
}

/* Sends it, or replies that the client has it. */
static enum MHD_Result send_file(struct request *request, struct MHD_Response *response, const char *media_type)
{
    if (answer_not_modified(request, true, false)) {
        request->reply.bytes = 0;
        return response_send(request, MHD_HTTP_NOT_MODIFIED, response);
    }
    response_header(request, response, "Content-Type", media_type);
    if (request->reply.gzip)
        response_header(request, response, "Content-Encoding", "gzip");
    return response_send(request, MHD_HTTP_OK, response);
}

enum MHD_Result reply_file(struct request *request, const struct embedded *file)
{
    struct MHD_Response *response = response_of_file(request, file);
    response_cacheable(request, response, true);
    return send_file(request, response, route_media_type(request->route, request->representation));
}

/* ---- The page ---- */

/* response: of the file, whose tag is known. */
static enum MHD_Result send_web(struct request *request, const struct web_file *as, struct MHD_Response *response)
{
    request->reply.spoken = as->language;
    response_header(request, response, "Cache-Control", as->cache);
    response_header(request, response, "ETag", request->reply.etag);
    if (as->policy)
        response_header(request, response, "Content-Security-Policy", as->policy);
    response_header(request, response, "Referrer-Policy", "no-referrer");
    if (as->language)
        response_header(request, response, "Content-Language", as->language);
    return send_file(request, response, as->media_type);
}

enum MHD_Result reply_web(struct request *request, const struct web_file *as, const struct embedded *file)
{
    return send_web(request, as, response_of_file(request, file));
}

enum MHD_Result reply_web_page(struct request *request, const struct web_file *as, struct bytes *head,
                               const struct embedded *rest)
{
    struct bytes whole = {0};
    request->reply.gzip = prefers_gzip(request);
    bool made = !head->failed;
    if (made && request->reply.gzip) {
        made = page_gzip(&whole, head, rest);
    } else if (made) {
        bytes_add(&whole, head->data, head->size);
        bytes_add(&whole, rest->begin, (size_t)(rest->end - rest->begin));
    }
    bytes_free(head);
    if (!made || whole.failed) {
        bytes_free(&whole);
        return reply_status(request, NQ_NOMEM);
    }
    request->reply.bytes = whole.size;
    request->reply.prefixed = true;
    write_etag(request, hash_bytes(HASH_START, whole.data, whole.size));
    return send_web(request, as, response_of_bytes(request, &whole));
}

/* ---- Copies ---- */

/* Bodies below this are sent as they are: they and their headers fit into one packet. */
enum { GZIP_LEAST = 1000 };

/* A copy that a thread of the pool makes. */
struct copy {
    struct engine *engine;
    char *key;                    /* NULL: it is not kept */
    struct answer *answer, *made; /* references; made: NULL: it could not be */
};

/* Looks for the copy of an answer. *key: of it, to be freed with free(); NULL: it is not kept, because incomplete
 * answers may differ, or for want of memory. */
static struct answer *kept_copy(const struct request *request, const struct answer *answer, char **key)
{
    struct bytes text = {0};
    uint64_t seen;
    if (answer->complete)
        bytes_format(&text, "gzip %s", request->key);
    *key = answer->complete ? bytes_take(&text) : NULL;
    return *key ? engine_peek(request->service->engine, *key, &seen) : NULL;
}

/* Another client may have got the same copy meanwhile. */
static void copy_make(void *state, const atomic_bool *stop)
{
    struct copy *copy = state;
    uint64_t seen;
    copy->made = copy->key ? engine_peek(copy->engine, copy->key, &seen) : NULL;
    if (copy->made)
        return;
    copy->made = gzip_answer(copy->answer, stop);
    if (copy->made && copy->key)
        engine_keep(copy->engine, copy->key, copy->made);
}

static void copy_free(void *state)
{
    struct copy *copy = state;
    answer_unref(copy->answer);
    answer_unref(copy->made);
    free(copy->key);
    free(copy);
}

/* The copy is there, or cannot be made. */
static enum MHD_Result compressed(struct request *request)
{
    struct pending *chore = request_take(request);
    struct answer *answer = request->plain, *copy = NULL;
    request->plain = NULL;
    request_release(request, GZIP_STATE);
    if (chore) {
        const struct copy *of = chore_of(chore)->order.state;
        copy = pending_status(chore) == NQ_OK && of->made ? answer_ref(of->made) : NULL;
        pending_close(chore);
    }
    return answer_send(request, answer, copy);
}

/* Takes over the answer's reference, and the key. */
static enum MHD_Result make_copy(struct request *request, struct answer *answer, char *key)
{
    struct engine *engine = request->service->engine;
    struct copy *copy = malloc(sizeof *copy);
    if (!copy || service_phase(request->service) == PHASE_STOPPED || !request_enter(request) ||
        !request_hold(request, GZIP_STATE)) {
        free(copy);
        free(key);
        return answer_send(request, answer, NULL);
    }
    *copy = (struct copy){.engine = engine, .key = key, .answer = answer_ref(answer)};
    request->plain = answer;
    suspension_begin(request, AT_COPY);
    const struct chore_order order = {.run = copy_make,
                                      .free = copy_free,
                                      .state = copy,
                                      .client = request->requester.principal.client,
                                      .wake = request_wake,
                                      .who = request};
    struct chore *chore = engine_begin_chore(engine, &order);
    suspension_watch(request, chore ? &chore->pending : NULL, request->service->options.max_wait_s);
    return MHD_YES;
}

enum MHD_Result reply_answer(struct request *request, struct answer *answer)
{
    if (!answer_gzip_wanted(request, answer->media_type) || answer->size < GZIP_LEAST)
        return answer_send(request, answer, NULL);
    char *key;
    struct answer *copy = kept_copy(request, answer, &key);
    if (!copy)
        return make_copy(request, answer, key);
    free(key);
    return answer_send(request, answer, copy);
}

/* A response with the gzip copy of an answer, for a 304: with its length, if the copy is in the cache. NULL: out of
 * memory. */
static struct MHD_Response *compressed_response(struct request *request, struct answer *answer)
{
    char *key;
    struct answer *copy = kept_copy(request, answer, &key);
    free(key);
    answer_unref(answer);
    return copy ? answer_response(request, copy) : response_bare(MHD_SIZE_UNKNOWN);
}

/* ---- Waiting ---- */

/* Seconds for the store to record a job: a disk may hang. */
enum { RECORD_S = 5 };

/* Seconds to wait for an answer if the client states none, then it becomes a job: openapi.yaml and docs/api.md name
 * them. */
enum { WAIT_DEFAULT_S = 10 };

/* ---- Until a job is recorded ---- */

static void record(struct request *request, enum at at)
{
    suspension_begin(request, at);
    suspension_watch(request, engine_settle(request->service->engine, request_wake, request), RECORD_S);
}

enum MHD_Result reply_recorded(struct request *request, request_then then)
{
    record(request, AT_RECORD);
    request->then = then;
    return MHD_YES;
}

/* Replies with an answer, whose reference it takes over, or calls request->then. */
static enum MHD_Result take(struct request *request, struct answer *answer)
{
    assert(answer);
    const request_then then = take_then(request);
    if (!then)
        return reply_answer(request, answer);
    const enum MHD_Result result = then(request, answer);
    answer_unref(answer);
    return result;
}

/* Replies with the job that was begun: 202, or 200 when it is done. A route that waits for answers replies with the
 * result then. */
static enum MHD_Result send_job(struct request *request)
{
    const char *prefix = request->prefix;
    struct job_view view;
    struct bytes body = {0}, location = {0};
    enum nq_status status = engine_look(request->service->engine, request->job, request->unrecorded, &view);
    if (status != NQ_OK)
        return reply_status(request,
                            status == NQ_NONE ? NQ_BUSY : status); /* it ended, and newer jobs have displaced it */
    const bool done = view.state == JOB_DONE;
    if (done && request->route->prefer) {
        struct answer *answer = answer_ref(view.result);
        job_view_free(&view);
        return take(request, answer);
    }
    job_write(&body, &view, prefix);
    job_view_free(&view);
    bytes_format(&location, "%s/jobs/%s", prefix, request->job);
    struct MHD_Response *response = response_of_bytes(request, &body);
    response_header(request, response, "Content-Type", "application/json");
    response_header_of(request, response, "Location", &location);
    response_cacheable(request, response, false);
    if (!done)
        response_header(request, response, "Retry-After", "1");
    if (request->headers.respond_async && request->route->prefer)
        response_header(request, response, "Preference-Applied", "respond-async");
    return response_send(request, done ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED, response);
}

static enum MHD_Result reply_recorded_job(struct request *request)
{
    record(request, AT_JOB);
    return MHD_YES;
}

static enum MHD_Result recorded(struct request *request)
{
    const bool job = request->at == AT_JOB;
    const enum nq_status status = request->pending ? pending_status(request->pending) : NQ_NOMEM;
    request_give_up(request);
    request->unrecorded = status != NQ_OK;
    if (status == NQ_NOMEM)
        return reply_status(request, NQ_NOMEM); /* the job continues, but may not outlive the process */
    return job ? send_job(request) : take_then(request)(request, NULL);
}

/* ---- Until an answer is there ---- */

static const char *const keyless_job = "A job needs an API key, and so does an answer that is not ready while the "
                                       "client waits. Send a key as Authorization: Bearer KEY.";
static const char *const keyed_job = "This key does not allow jobs.";

/* Whether the client prefers a job to waiting. */
static bool prefers_job(const struct request *request, const struct question *question)
{
    return headers_ask_for_job(&request->headers) && question_computed(question);
}

static enum MHD_Result reply_no_job(struct request *request)
{
    return reply_denied(request, keyless_job, keyed_job);
}

/* Whether a request asks for a job that is never begun for its client: then that is the reply. */
static bool wait_barred(struct request *request, const struct question *question, enum MHD_Result *result)
{
    if (!principal_barred(&request->requester.principal) || !prefers_job(request, question))
        return false;
    *result = reply_no_job(request);
    return true;
}

/* Seconds to wait for an answer: what the client prefers, up to the maximum. A client that may have no jobs waits as
 * long as possible. */
static unsigned seconds_to_wait(const struct request *request, const struct question *question)
{
    const unsigned most = request->service->options.max_wait_s;
    if (request->wants_job || !question_computed(question))
        return most;
    const unsigned preset = principal_barred(&request->requester.principal) ? most : WAIT_DEFAULT_S;
    const unsigned wanted = request->headers.wait >= 0 ? (unsigned)request->headers.wait : preset;
    return wanted < most ? wanted : most;
}

/* Replies to what is no answer. */
static enum MHD_Result reply_unanswered(struct request *request, enum nq_status status, const struct waiter *waiter)
{
    if (status == NQ_AGAIN) /* a job that the reply names must outlive the process */
        return reply_recorded_job(request);
    if (status == NQ_DENIED)
        return waiter->fault.text[0] ? reply_denied_fault(request, &waiter->fault) : reply_no_job(request);
    if (status == NQ_QUOTA)
        return reply_too_many_jobs(request);
    if (waiter->fault.text[0])
        return reply_fault(request, problem_of(status), &waiter->fault);
    return reply_status(request, status);
}

static enum MHD_Result answered(struct request *request)
{
    const bool job = request->wants_job && !request->then, goes_on = request->goes_on;
    struct pending *pending = request_take(request);
    enum MHD_Result result;
    request->goes_on = false;
    if (!pending)
        return reply_status(request, NQ_NOMEM);
    struct waiter *waiter = waiter_of(pending);
    const enum nq_status status = pending_status(pending);
    if (status == NQ_OK && !job) {
        result = take(request, answer_ref(waiter->answer));
    } else if (status == NQ_LIMIT && waiter->fault.text[0] && goes_on) {
        request->fault = &waiter->fault;
        result = take_then(request)(request, NULL);
        request->fault = NULL;
    } else if (status == NQ_OK) { /* the answer was there at once, and a job was asked for */
        result = reply_unanswered(request, engine_begin_job(waiter, request->job), waiter);
    } else {
        if (status == NQ_AGAIN)
            memcpy(request->job, engine_job_of(waiter), sizeof request->job);
        result = reply_unanswered(request, status, waiter);
    }
    pending_close(pending);
    return result;
}

/* job: an answer is not enough. */
static enum MHD_Result wait_for_answer(struct request *request, const struct question *question, bool job)
{
    struct engine *engine = request->service->engine;
    if (service_phase(request->service) == PHASE_STOPPED)
        return reply_status(request, NQ_CLOSED);
    if (job && principal_barred(&request->requester.principal))
        return reply_no_job(request);
    const uint64_t seen = request->seen;
    request->seen = 0; /* of this question only */
    request->cache = "miss";
    if (job && engine_job_done(engine, question, request->job))
        return reply_recorded_job(request); /* no flight is needed to find that out */
    if (!request_enter(request))
        return reply_too_many(request);
    suspension_begin(request, AT_ANSWER);
    request->wants_job = job;
    struct waiter *waiter = job ? engine_ask_job(engine, question, seen, request_wake, request)
                                : engine_ask(engine, question, seen, request_wake, request);
    suspension_watch(request, waiter ? &waiter->pending : NULL, seconds_to_wait(request, question));
    return MHD_YES;
}

enum MHD_Result reply_job(struct request *request)
{
    request->then = NULL;
    return wait_for_answer(request, &request->question, true);
}

enum MHD_Result reply_found(struct request *request, const struct question *question, request_then then)
{
    request->then = then;
    return wait_for_answer(request, question, prefers_job(request, question));
}

enum MHD_Result reply_found_or_refused(struct request *request, const struct question *question, request_then then)
{
    request->goes_on = true;
    return reply_found(request, question, then);
}

enum MHD_Result reply_after(struct request *request, const struct question *question, request_then then)
{
    struct answer *answer = engine_peek(request->service->engine, question->key, &request->seen);
    if (!answer)
        return reply_found(request, question, then);
    request->then = then;
    return take(request, answer);
}

/* ---- Questions ---- */

/* Replies to a HEAD without making the body: the header fields of GET, with a length only if it is known. gzip: it is a
 * compressed stream. Whether an answer is long enough to be compressed is not known: the tag is that of the plain one,
 * which any client may send. */
static enum MHD_Result send_bare(struct request *request, const struct question *question, bool gzip)
{
    /* A page may turn out incomplete, a long count a job, an estimate too poor: these may not be cached before they
     * exist. */
    const bool count =
        question_quick(question) && !(question_computed(question) && headers_ask_for_job(&request->headers));
    const bool certain =
        !question->uncacheable && (question->kind == ASK_CONSTRUCT || question->format->lines || count);
    struct MHD_Response *response = response_bare(answer_size(question));
    response_header(request, response, "Content-Type", question->format->media_type);
    if (question->format->lines)
        response_header(request, response, "X-Accel-Buffering", "no");
    if (gzip)
        answer_as_gzip(request, response);
    response_cacheable(request, response, certain);
    return response_send(request, MHD_HTTP_OK, response);
}

/* Replies with an answer (taken over), or that the client has it. */
static enum MHD_Result send_at_hand(struct request *request, struct answer *answer, bool gzip)
{
    if (!answer_not_modified(request, true, gzip && answer->size >= GZIP_LEAST))
        return reply_answer(request, answer);
    return answer_send_not_modified(request, request->reply.gzip ? compressed_response(request, answer)
                                                                 : answer_response(request, answer));
}

bool reply_at_hand(struct request *request, enum MHD_Result *result)
{
    const struct question *question = &request->question;
    const bool flows = question_flows(question);
    struct answer *answer = flows ? NULL : engine_peek(request->service->engine, question->key, &request->seen);
    if (flows)
        request->cache = "stream";
    const bool gzip = answer_gzip_wanted(request, question->format->media_type);
    request->reply.weak = flows;
    if (answer) {
        request->cache = "hit";
        *result = send_at_hand(request, answer, gzip);
    } else if (answer_not_modified(request, flows && !question->uncacheable, gzip)) {
        *result = answer_send_not_modified(request, response_bare(MHD_SIZE_UNKNOWN));
    } else if (wait_barred(request, question, result)) {
        return true;
    } else if (request->head) {
        *result = send_bare(request, question, flows && gzip);
    } else {
        return false;
    }
    return true;
}

enum MHD_Result reply_bytes(struct request *request, unsigned status, struct bytes *body)
{
    struct MHD_Response *response = response_of_bytes(request, body);
    response_header(request, response, "Content-Type", route_media_type(request->route, request->representation));
    response_cacheable(request, response, false);
    return response_send(request, status, response);
}

/* Frees the body. NULL: out of memory. */
static struct answer *answer_of(struct request *request, struct bytes *body)
{
    struct answer *answer = answer_new(body, route_media_type(request->route, request->representation));
    bytes_free(body);
    return answer;
}

enum MHD_Result reply_body(struct request *request, struct bytes *body)
{
    struct answer *answer = answer_of(request, body);
    if (!answer)
        return reply_status(request, NQ_NOMEM);
    answer->complete = false;
    return reply_answer(request, answer);
}

enum MHD_Result reply_constant(struct request *request, const struct value *values,
                               void (*write)(const struct value *values, struct bytes *body))
{
    struct engine *engine = request->service->engine;
    struct question *question = request_question(request);
    uint64_t seen;
    question->format = format_find("json");
    if (!request_canonical(request, values))
        return reply_status(request, NQ_NOMEM);
    struct answer *answer = engine_peek(engine, question->key, &seen);
    if (!answer) {
        struct bytes body = {0};
        write(values, &body);
        answer = answer_of(request, &body);
        if (!answer)
            return reply_status(request, NQ_NOMEM);
        engine_keep(engine, question->key, answer);
    }
    return send_at_hand(request, answer, answer_gzip_wanted(request, answer->media_type));
}

/* ---- Streams ---- */

/* A libmicrohttpd content reader. A stream that is cut must not look complete: it is shorter than its Content-Length;
 * or over HTTP/1.1 the last chunk is missing, and over HTTP/1.0, where closing is the end, the connection is reset.
 * Once the length is reached, libmicrohttpd does not call this again. */
static ssize_t read_stream(void *cls, uint64_t position, char *to, size_t size)
{
    struct request *request = cls;
    struct stream *stream = stream_of(request->pending);
    size_t got;
    (void)position;
    switch (stream_read(stream, to, size, &got)) {
    case NQ_OK:
        request->reply.bytes += got;
        if (request->reply.bytes == request->size)
            stream_enough(stream);
        return (ssize_t)got;
    case NQ_END:
        connection_set_fragile(request->connection, false);
        return response_read(request, MHD_CONTENT_READER_END_OF_STREAM);
    case NQ_AGAIN:
        MHD_suspend_connection(request->mhd);
        if (!stream_wait(stream))
            MHD_resume_connection(request->mhd);
        return 0;
    default:
        connection_reset_if_fragile(request->connection);
        return response_read(request, MHD_CONTENT_READER_END_WITH_ERROR);
    }
}

/* The stream is open, or never will be. */
static enum MHD_Result flow(struct request *request)
{
    enum { BLOCK = 128 << 10 };
    const struct question *question = &request->question;
    const enum nq_status status = stream_opened(stream_of(request->pending));
    assert(status != NQ_AGAIN); /* only its end wakes who waits for the opening */
    if (status != NQ_OK) {
        request_give_up(request);
        return reply_status(request, status);
    }
    struct MHD_Response *response = MHD_create_response_from_callback(request->size, BLOCK, read_stream, request, NULL);
    connection_set_fragile(request->connection, request->http10);
    response_header(request, response, "Content-Type", question->format->media_type);
    response_header(request, response, "X-Accel-Buffering",
                    "no"); /* or nginx spools the whole stream for a slow client */
    if (question->compressed)
        answer_as_gzip(request, response);
    response_cacheable(request, response, !question->uncacheable);
    return response_send(request, MHD_HTTP_OK, response);
}

static enum MHD_Result reply_flow(struct request *request)
{
    struct question *question = &request->question;
    const uint64_t size = answer_size(question);
    struct stream *stream;
    request->cache = "stream";
    request->reply.weak = true;
    question->compressed = answer_gzip_wanted(request, question->format->media_type);
    if (service_phase(request->service) == PHASE_STOPPED)
        return reply_status(request, NQ_CLOSED);
    if (request->http10 && size == MHD_SIZE_UNKNOWN && !connection_can_reset(request->connection))
        return reply_problem(
            request, PROBLEM_HTTP_VERSION,
            "Over HTTP/1.0 on a unix socket a client cannot detect that a stream was cut. Use HTTP/1.1.");
    if (!request_enter(request))
        return reply_too_many(request);
    const enum nq_status status = engine_stream(request->service->engine, question, request_wake, request, &stream);
    if (status != NQ_OK)
        return reply_status(request, status);
    suspension_begin(request, AT_STREAM);
    request->size = size;
    if (!stream_wait_opened(stream))
        request_wake(request);
    suspension_watch(request, stream_pending(stream), 0);
    return MHD_YES;
}

/* ---- Questions, and what they need first ---- */

/* A job that is done has the count of an index only. Asked for again, the index is in the cache, or is made of what the
 * store has: no job is begun for that, the client waits as long as it may. */
static enum MHD_Result supplied(struct request *request, struct answer *answer)
{
    if (!question_supply(&request->question, answer)) {
        if (request->again)
            return reply_status(request, NQ_TIMEOUT);
        request->again = true;
        request->headers.respond_async = false;
        request->headers.wait = INT_MAX;
    }
    return reply_new(request);
}

enum MHD_Result reply_new(struct request *request)
{
    struct question *question = &request->question;
    struct shared_question *first;
    const enum nq_status status = question_first(question, &first);
    if (status == NQ_NONE)
        return question_flows(question) ? reply_flow(request) : reply_found(request, question, NULL);
    if (status != NQ_OK)
        return reply_status(request, status);
    const enum MHD_Result result = reply_after(request, &first->question, supplied);
    question_unref(first);
    return result;
}

enum MHD_Result reply_question(struct request *request)
{
    enum MHD_Result result;
    return reply_at_hand(request, &result) ? result : reply_new(request);
}

enum MHD_Result reply_values(struct request *request, const struct value *values)
{
    return request_canonical(request, values) ? reply_question(request) : reply_status(request, NQ_NOMEM);
}

/* ---- Events ---- */

static ssize_t read_events(void *cls, uint64_t position, char *to, size_t size)
{
    struct request *request = cls;
    struct events *events = events_of(request->pending);
    const ssize_t got = events_read(events, position, to, size);
    if (got > 0)
        request->reply.bytes += (uint64_t)got;
    if (!got) {
        MHD_suspend_connection(request->mhd);
        if (!events_wait(events))
            MHD_resume_connection(request->mhd);
    }
    return response_read(request, got);
}

const char *request_last_event(struct request *request)
{
    request->reply.resumes = true;
    return request->headers.last_event_id;
}

enum MHD_Result reply_no_more_events(struct request *request)
{
    struct MHD_Response *response = response_empty();
    response_cacheable(request, response, false);
    return response_send(request, MHD_HTTP_NO_CONTENT, response);
}

enum MHD_Result reply_events(struct request *request, const char *id)
{
    enum { BLOCK = 4 << 10 };
    const char *last = request->headers.last_event_id;
    struct job_view view;
    if (service_phase(request->service) == PHASE_STOPPED)
        return reply_status(request, NQ_CLOSED);
    const enum nq_status status = engine_look(request->service->engine, id, false, &view);
    if (status == NQ_NONE)
        return reply_no_such_job(request, id);
    if (status != NQ_OK)
        return reply_status(request, status);
    const bool over = job_state_over(view.state); /* or it was, and has been begun again */
    job_view_free(&view);
    if (over && events_complete(last)) /* a browser reconnects until it gets this */
        return reply_no_more_events(request);
    struct MHD_Response *response;
    if (request->head) {
        response = response_bare(MHD_SIZE_UNKNOWN);
    } else if (!request_enter(request)) {
        return reply_too_many(request);
    } else {
        struct events *events;
        const enum nq_status opened = events_open(request->service->hub, id, last, request_wake, request, &events);
        if (opened != NQ_OK)
            return reply_status(request, opened);
        events_set_prefix(events, request->prefix);
        request->at = AT_EVENTS;
        request->pending = events_pending(events);
        if (!connection_watch(request->connection, request->pending, 0))
            return reply_status(request, NQ_BUSY);
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_events, request, NULL);
    }
    response_header(request, response, "Content-Type", "text/event-stream");
    response_header(request, response, "X-Accel-Buffering", "no");
    response_cacheable(request, response, false);
    return response_send(request, MHD_HTTP_OK, response);
}

/* ---- After a wait ---- */

enum MHD_Result reply_resumed(struct request *request)
{
    switch (request->at) {
    case AT_ANSWER: return answered(request);
    case AT_COPY: return compressed(request);
    case AT_RECORD:
    case AT_JOB: return recorded(request);
    case AT_BODY: return carried_out(request);
    case AT_STREAM: return flow(request);
    case AT_EVENTS: /* has a reply, which libmicrohttpd goes on to read */
    case AT_NOTHING: break;
    }
    assert(false);
    return MHD_NO;
}
