/* reply_events.c - replies with the events of a job. */
#include "http/reply/refusal.h"
#include "http/reply/response.h"

static ssize_t read_events(void *cls, uint64_t position, char *to, size_t size)
{
    struct request *request = cls;
    const ssize_t got = events_read(request->events, position, to, size);
    if (got > 0)
        request->reply.bytes += (uint64_t)got;
    return response_read(request, got);
}

enum MHD_Result reply_events(struct request *request, const char *id)
{
    enum { BLOCK = 4 << 10 };
    const char *last = request->headers.last_event_id;
    struct job_view view;
    if (service_draining(request->service))
        return reply_status(request, NQ_CLOSED);
    const enum nq_status status = engine_look(request->service->engine, id, false, &view);
    if (status == NQ_NONE)
        return reply_no_such_job(request);
    if (status != NQ_OK)
        return reply_status(request, status);
    const bool over = job_state_over(view.state); /* or it was, and has been begun again */
    job_view_free(&view);
    if (over && events_complete(last)) { /* a browser reconnects until it gets this */
        struct MHD_Response *response = response_empty();
        response_cacheable(request, response, false);
        return response_send(request, MHD_HTTP_NO_CONTENT, response);
    }
    struct MHD_Response *response;
    if (request->head) {
        response = response_bare(MHD_SIZE_UNKNOWN);
    } else if (!request_enter(request)) {
        return reply_too_many(request);
    } else {
        const enum nq_status opened = events_open(request->service->hub, id, last, request->mhd, &request->events);
        if (opened != NQ_OK)
            return reply_status(request, opened);
        request->task = TASK_EVENTS;
        if (!connection_watch(request->connection, events_cancellable(request->events), 0))
            return reply_status(request, NQ_BUSY);
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_events, request, NULL);
    }
    response_header(request, response, "Content-Type", "text/event-stream");
    response_header(request, response, "X-Accel-Buffering", "no");
    response_cacheable(request, response, false);
    return response_send(request, MHD_HTTP_OK, response);
}
