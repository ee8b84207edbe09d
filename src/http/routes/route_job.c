/* route_job.c - GET and DELETE /jobs/{id}, and GET /jobs/{id}/events. */
#include "http/reply/job_json.h"
#include "http/reply/request.h"

static enum MHD_Result show(struct request *request)
{
    struct service *service = request->service;
    struct job_view view;
    struct bytes body = {0};
    const enum nq_status status = engine_look(service->engine, request->segment, request->unrecorded, &view);
    if (status == NQ_NONE)
        return reply_no_such_job(request);
    if (status != NQ_OK)
        return reply_status(request, status);
    job_write(&body, &view, service->options.base_path);
    job_view_free(&view);
    return reply_body(request, &body);
}

/* Calls `reply` once the state of the job on other servers is known, and its state on this one is stored. */
static enum MHD_Result seek(struct request *request, bool anyway, enum MHD_Result (*reply)(struct request *request))
{
    if (engine_seek(request->service->engine, request->segment, anyway))
        return reply_recorded(request, reply);
    return reply(request);
}

static enum MHD_Result look(struct request *request, struct value *values)
{
    (void)values;
    return seek(request, false, show);
}

/* Replies once that is stored: a process that is killed must not resume a cancelled job. */
static enum MHD_Result cancel(struct request *request)
{
    const struct principal *principal = &request->requester.principal;
    const enum nq_status status = engine_cancel_job(request->service->engine, request->segment, principal->name);
    switch ((int)status) {
    case NQ_OK: return reply_recorded(request, show);
    case NQ_NONE: return reply_no_such_job(request);
    case NQ_DENIED: return reply_denied(request, "", "This key has no share in the job.");
    default: return reply_status(request, status);
    }
}

/* Looks into the store first: another server may have added this key's subscription a moment ago. */
static enum MHD_Result remove_share(struct request *request, struct value *values)
{
    (void)values;
    if (request->service->options.access && !*request->requester.principal.name)
        return reply_denied(request, "Cancelling a job needs a key that has a share in it.", "");
    return seek(request, true, cancel);
}

static enum MHD_Result send_events(struct request *request)
{
    return reply_events(request, request->segment);
}

static enum MHD_Result events(struct request *request, struct value *values)
{
    (void)values;
    return seek(request, false, send_events);
}

const struct route route_job = {
    .path = "/jobs/{id}",
    .summary = "The progress and the result of a job",
    .media_type = "application/json",
    .named_origins = true,
    .handle = look,
};

const struct route route_job_delete = {
    .path = "/jobs/{id}",
    .verb = VERB_DELETE,
    .summary = "Returns one share in a job; without shares the job is cancelled",
    .media_type = "application/json",
    .named_origins = true,
    .handle = remove_share,
};

const struct route route_job_events = {
    .path = "/jobs/{id}/events",
    .summary = "Progress and end of a job as server-sent events",
    .media_type = "text/event-stream",
    .named_origins = true,
    .handle = events,
};
