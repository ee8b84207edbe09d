/* body.c - a body is collected in a buffer that doubles, up to what its head announces or its route accepts. What the
 * buffer has is counted before it grows, so that slow senders together hold no more than --reply-bytes. */
#include "http/reply/body.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "http/reply/response.h"

/* Bytes whose pages are made at once; a small body takes a few faults instead. */
enum { PAGES_STEP = 256 << 10, PAGES_LEAST = 64 << 10 };

/* How many bytes a body of the request's media type may have. False: the route accepts none of that type. */
static bool find_most(const struct request *request, const struct route *route, size_t *most)
{
    struct body_type type;
    *most = BODY_MAX;
    if (!route || !route->body_type)
        return true;
    *most = 0;
    for (size_t i = 0; route->body_type(i, &type); i++) {
        *most = type.most > *most ? type.most : *most;
        if (headers_of_type(&request->headers, type.media_type)) {
            *most = type.most;
            return true;
        }
    }
    return false; /* as many as of any other are read away, so that its client gets the 415 */
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

static enum MHD_Result carried_out(struct request *request)
{
    const struct request_body *body = &request->body;
    const enum nq_status status = body->chore ? chore_status(body->chore) : NQ_NOMEM;
    request_end_task(request);
    request->left = status == NQ_CANCELLED;
    return status == NQ_OK ? body->then(request) : reply_status(request, status);
}

enum MHD_Result reply_chore(struct request *request, const struct chore_order *order,
                            enum MHD_Result (*then)(struct request *request))
{
    struct request_body *body = &request->body;
    struct chore_order asked = *order;
    assert(!body->chore);
    const bool draining = service_draining(request->service);
    if (draining || !request_enter(request)) {
        order->free(order->state);
        return draining ? reply_status(request, NQ_CLOSED) : reply_too_many(request);
    }
    asked.client = request->requester.principal.client;
    asked.wake = request_wake;
    asked.who = request;
    suspension_begin(request, TASK_CHORE, carried_out);
    body->then = then;
    body->chore = engine_begin_chore(request->service->engine, &asked);
    suspension_watch(request, body->chore ? &body->chore->cancellable : NULL, request->service->options.max_wait_s);
    return MHD_YES;
}
