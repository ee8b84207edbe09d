/* route_job.c - GET and DELETE /jobs/{id}, and GET /jobs/{id}/events: looking at a job, giving it up, listening to it.
 */
#include "http/job_json.h"
#include "http/request.h"

static enum MHD_Result no_such_job(struct request *request)
{
    return reply_problem(request, PROBLEM_NOT_FOUND, "There is no such job; jobs that are over are kept for a week.");
}

static enum MHD_Result show(struct request *request)
{
    struct server *server = request_server(request);
    struct job_view view;
    struct bytes body = {0};
    const enum nq_status status = engine_look(server_engine(server), request_segment(request), &view);
    if (status == NQ_NONE)
        return no_such_job(request);
    if (status != NQ_OK)
        return reply_status(request, status);
    job_write(&body, &view, server_prefix(server));
    job_view_free(&view);
    return reply_bytes(request, 200, &body, false);
}

/* Replies in such a way, once it is known what other servers have made of the job. */
static enum MHD_Result seek(struct request *request, bool anyway, enum MHD_Result (*reply)(struct request *request))
{
    if (engine_seek(server_engine(request->server), request->segment, anyway))
        return reply_recorded(request, reply);
    return reply(request);
}

static enum MHD_Result look(struct request *request, struct value *values)
{
    (void)values;
    return seek(request, false, show);
}

/* A process that is killed must not revive what was given up. */
static enum MHD_Result give(struct request *request)
{
    const struct asker *asker = &request->asker;
    const enum nq_status status = engine_cancel_job(server_engine(request->server), request->segment, asker->name);
    switch (status) {
    case NQ_OK: return reply_recorded(request, show);
    case NQ_NONE: return no_such_job(request);
    case NQ_DENIED: return reply_denied(request, "", "This key has no share in the job.");
    default: return reply_status(request, status);
    }
}

/* Whose share it is may have been told to another server just now. */
static enum MHD_Result give_up(struct request *request, struct value *values)
{
    (void)values;
    if (request->asker.limited && !*request->asker.name)
        return reply_denied(request, "Giving up a job takes a key that has a share in it.", "");
    return seek(request, true, give);
}

static enum MHD_Result tell(struct request *request)
{
    return reply_events(request, request_segment(request));
}

static enum MHD_Result hear(struct request *request, struct value *values)
{
    (void)values;
    return seek(request, false, tell);
}

const struct route route_job = {
    .path = "/jobs/{id}",
    .summary = "How far a job has come, and its result",
    .media_type = "application/json",
    .handle = look,
};

const struct route route_job_delete = {
    .path = "/jobs/{id}",
    .verb = VERB_DELETE,
    .summary = "Gives one share in a job back; it ends with the last",
    .media_type = "application/json",
    .handle = give_up,
};

const struct route route_job_events = {
    .path = "/jobs/{id}/events",
    .summary = "Progress and end of a job as server-sent events",
    .media_type = "text/event-stream",
    .handle = hear,
};
