/* request.c - begins and ends a request and its task. */
#include "http/reply/request.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* What `next` has, beside the target of its page. */
enum { CURSOR_ROOM = 3 << 10 };
static_assert(TOKEN_TEXT_MAX + CANONICAL_ROOM <= CURSOR_ROOM, "there is room for the longest cursor");

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
    request->prefix = service->options.base_path;
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
    request_give_up(request);
    request_keep(request, NULL, NULL);
    question_drop(&request->question);
    answer_unref(request->plain);
    service_release(request->service, request->held);
    if (request->requester.entered)
        clients_leave(request->service->clients, request->requester.principal.client, USE_SEARCH);
    if (request->body.chore)
        pending_close(request->body.chore);
    free(request->body.data);
    free(request->key);
    free(request->path);
    free(request->columns);
    free(request->target);
    release(&request->service->spare[request->port], request);
}

static void add_spent(struct spent *to, const struct pending *pending)
{
    struct spent spent = {0};
    if (pending->class->spent)
        pending->class->spent(pending, &spent);
    to->searched |= spent.searched;
    to->took_off = to->took_off ? to->took_off : spent.took_off;
    to->waited += spent.waited;
    to->idled += spent.idled;
    to->cost.nodes += spent.cost.nodes;
    to->cost.nanoseconds += spent.cost.nanoseconds;
}

struct pending *request_take(struct request *request)
{
    struct pending *pending = request->pending;
    if (request->at == AT_NOTHING)
        return NULL;
    request->at = AT_NOTHING;
    request->pending = NULL;
    connection_unwatch(request->connection);
    if (!pending)
        return NULL;
    request->left = pending_status(pending) == NQ_CANCELLED;
    add_spent(&request->spent, pending);
    return pending;
}

void request_give_up(struct request *request)
{
    struct pending *pending = request_take(request);
    if (pending)
        pending_close(pending);
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

bool request_sends_board(const struct request *request)
{
    return request->method->verb == VERB_POST && request->route && request->route->board;
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

void suspension_begin(struct request *request, enum at at)
{
    request_give_up(request);
    assert(at != AT_NOTHING);
    request->stage = STAGE_WAITING;
    request->at = at;
    MHD_suspend_connection(request->mhd);
}

void suspension_watch(struct request *request, struct pending *pending, unsigned seconds)
{
    assert(!request->pending);
    request->pending = pending;
    if (!pending)
        request_wake(request);
    else if (!connection_watch(request->connection, pending, seconds))
        pending_cancel(pending, NQ_BUSY);
}
