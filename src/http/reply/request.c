/* request.c - begins and ends a request and its task. */
#include "http/reply/request.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* What `next` has, beside the target of its page: a cursor, the limit, a seed that was drawn, the format that Accept
 * chose, and the public prefix. */
enum { CURSOR_ROOM = 3 << 10 };
static_assert(TOKEN_TEXT_MAX + 256 <= CURSOR_ROOM, "there is room for the longest cursor");

static size_t most_of_target(const struct service *service, const char *target)
{
    const bool cursor = strstr(target, "?cursor=") || strstr(target, "&cursor=");
    return service->options.max_target_bytes + (cursor ? CURSOR_ROOM : 0);
}

/* So many stay: about as many as are under way at once while answers come from the cache. */
enum { SPARE_MAX = 64 };

static struct request *allocate(struct spare_requests *spare)
{
    struct request *request = spare->list;
    if (!request)
        return calloc(1, sizeof *request);
    spare->list = request->next;
    spare->count--;
    memset(request, 0, sizeof *request);
    return request;
}

static void release(struct spare_requests *spare, struct request *request)
{
#ifdef CHECKS
    free(request); /* the address sanitizer notices who uses it afterwards */
    (void)spare;
#else
    if (spare->count == SPARE_MAX) {
        free(request);
        return;
    }
    request->next = spare->list;
    spare->list = request;
    spare->count++;
#endif
}

void requests_free_spare(struct spare_requests *spare)
{
    while (spare->list) {
        struct request *request = spare->list;
        spare->list = request->next;
        free(request);
    }
}

struct request *request_new(struct service *service, enum port port, const char *target, struct MHD_Connection *mhd)
{
    struct request *request = allocate(&service->spare[port]);
    if (!request)
        return NULL;
    request->service = service;
    request->port = port;
    request->mhd = mhd;
    request->began = clock_now();
    request->cache = "none";
    request->target_most = most_of_target(service, target);
    request->target = strndup(target, request->target_most + 1);
    request->target_size = strlen(target);
    if (request->target)
        return request;
    release(&service->spare[port], request);
    return NULL;
}

void request_free(struct request *request)
{
    request_end_task(request);
    request_keep(request, NULL, NULL);
    answer_unref(request->plain);
    service_release(request->service, request->held);
    if (request->requester.entered)
        clients_leave(request->service->clients, request->requester.principal.client, USE_SEARCH);
    if (request->body.chore)
        cancellable_unref(&request->body.chore->cancellable);
    free(request->body.data);
    free(request->key);
    free(request->path);
    free(request->columns);
    free(request->target);
    release(&request->service->spare[request->port], request);
}

static void spend(struct spent *spent, const struct cost *cost, uint64_t waited)
{
    spent->searched = true;
    spent->waited += waited;
    spent->cost.nodes += cost->nodes;
    spent->cost.nanoseconds += cost->nanoseconds;
}

struct waiter *request_take_waiter(struct request *request)
{
    assert(request->task == TASK_ANSWER || request->task == TASK_NONE);
    struct waiter *waiter = request->answer.waiter;
    request->task = TASK_NONE;
    connection_unwatch(request->connection);
    if (!waiter)
        return NULL;
    const uint64_t took_off = waiter->progress.took_off, asked = waiter->asked;
    request->left = waiter->status == NQ_CANCELLED;
    if (took_off) { /* perhaps before this request asked: another may share the search */
        spend(&request->spent, &waiter->cost, took_off > asked ? took_off - asked : 0);
        request->spent.idled += waiter->idled;
        if (!request->spent.took_off)
            request->spent.took_off = took_off;
    }
    return waiter;
}

static void end_stream(struct request *request, struct stream *stream)
{
    struct cost cost;
    uint64_t waited;
    if (stream_cost(stream, &cost, &waited))
        spend(&request->spent, &cost, waited);
    stream_close(stream);
}

static void unref(struct cancellable *cancellable)
{
    if (cancellable)
        cancellable_unref(cancellable);
}

void request_end_task(struct request *request)
{
    const enum task task = request->task;
    struct waiter *waiter;
    if (task == TASK_NONE)
        return;
    request->task = TASK_NONE;
    connection_unwatch(request->connection);
    switch (task) {
    case TASK_ANSWER:
        waiter = request_take_waiter(request);
        unref(waiter ? &waiter->cancellable : NULL);
        break;
    case TASK_RECORD: unref(request->record.barrier); break;
    case TASK_STREAM: end_stream(request, request->stream.stream); break;
    case TASK_EVENTS: events_close(request->events); break;
    case TASK_CHORE: /* ends with the request, which uses what it has read */
    case TASK_NONE: break;
    }
}

void request_keep(struct request *request, void *kept, void (*free)(void *kept))
{
    if (request->kept)
        request->kept_free(request->kept);
    request->kept = kept;
    request->kept_free = free;
}

bool request_enter(struct request *request)
{
    struct requester *requester = &request->requester;
    if (!requester->entered)
        requester->entered =
            clients_enter(request->service->clients, requester->principal.client, USE_SEARCH, requester->searches);
    return requester->entered;
}

void request_wake(void *waiting)
{
    struct request *request = waiting;
    MHD_resume_connection(request->mhd);
}

struct question *request_question(struct request *request)
{
    return &request->question;
}

uint32_t *request_columns(struct request *request, uint32_t n)
{
    return request->columns = malloc((n ? n : 1) * sizeof *request->columns);
}

const struct format *request_format(const struct request *request)
{
    return format_find(request->route->formats(request->representation));
}

bool request_hold(struct request *request, size_t bytes)
{
    const bool held = service_hold(request->service, bytes);
    request->held += held ? bytes : 0;
    return held;
}

void request_release(struct request *request, size_t bytes)
{
    assert(request->held >= bytes); /* the sum of all requests would wrap around */
    service_release(request->service, bytes);
    request->held -= bytes;
}

/* ---- Suspension ---- */

void suspension_begin(struct request *request, enum task task, enum MHD_Result (*resumed)(struct request *request))
{
    request_end_task(request);
    assert(request->task == TASK_NONE && task != TASK_NONE);
    request->stage = STAGE_WAITING;
    request->resumed = resumed;
    request->task = task;
    MHD_suspend_connection(request->mhd);
}

void suspension_watch(struct request *request, struct cancellable *cancellable, unsigned seconds)
{
    if (!cancellable)
        request_wake(request);
    else if (!connection_watch(request->connection, cancellable, seconds))
        cancellable->dismiss(cancellable, NQ_BUSY);
}
