/* route_job.c - GET and DELETE /jobs/{id}, GET /jobs/{id}/events and GET /jobs/{id}/units. */
#include <string.h>

#include "http/reply/job_json.h"
#include "http/reply/request.h"

static enum MHD_Result show(struct request *request, struct answer *none)
{
    (void)none;
    struct service *service = request->service;
    struct job_view view;
    struct bytes body = {0};
    const enum nq_status status = engine_look(service->engine, request->segment, request->unrecorded, &view);
    if (status == NQ_NONE)
        return reply_no_such_job(request, request->segment);
    if (status != NQ_OK)
        return reply_status(request, status);
    job_write(&body, &view, request->prefix);
    job_view_free(&view);
    return reply_body(request, &body);
}

/* Calls `then` once the state of the job on other servers is known, and its state on this one is stored. */
static enum MHD_Result seek(struct request *request, bool anyway, request_then then)
{
    if (engine_seek(request->service->engine, request->segment, anyway))
        return reply_recorded(request, then);
    return then(request, NULL);
}

static enum MHD_Result look(struct request *request, const struct value *values)
{
    (void)values;
    return seek(request, false, show);
}

/* Replies once that is stored: a process that is killed must not resume a cancelled job. */
static enum MHD_Result cancel(struct request *request, struct answer *none)
{
    (void)none;
    const struct principal *principal = &request->requester.principal;
    const enum nq_status status =
        engine_cancel_job(request->service->engine, request->segment, principal_owner(principal));
    switch ((int)status) {
    case NQ_OK: return reply_recorded(request, show);
    case NQ_NONE: return reply_no_such_job(request, request->segment);
    case NQ_DENIED: return reply_denied(request, "", "This key has no share in the job.");
    default: return reply_status(request, status);
    }
}

/* Looks into the store first: this key may have become an owner on another server a moment ago. */
static enum MHD_Result remove_share(struct request *request, const struct value *values)
{
    (void)values;
    if (request->service->options.access && !*request->requester.principal.name)
        return reply_denied(request, "Cancelling a job needs a key that has a share in it.", "");
    return seek(request, true, cancel);
}

static enum MHD_Result send_events(struct request *request, struct answer *none)
{
    (void)none;
    return reply_events(request, request->segment);
}

static enum MHD_Result events(struct request *request, const struct value *values)
{
    (void)values;
    return seek(request, false, send_events);
}

/* ---- What its units came to ---- */

static void unref_question(void *shared)
{
    question_unref(shared);
}

/* Of a job that is done: what it asked, with one reference. NQ_NONE: there is no such job; NQ_AGAIN: it is not done. */
static enum nq_status question_of_job(struct request *request, struct shared_question **shared)
{
    struct job_view view;
    const enum nq_status status = engine_look(request->service->engine, request->segment, request->unrecorded, &view);
    if (status != NQ_OK)
        return status;
    const enum nq_status parsed = view.state == JOB_DONE ? count_query_parse(view.path, shared) : NQ_AGAIN;
    job_view_free(&view);
    return parsed;
}

static enum MHD_Result send_units(struct request *request, struct answer *answer)
{
    if (answer->size)
        return reply_answer(request, answer_ref(answer));
    return reply_problem(request, PROBLEM_NOT_FOUND,
                         "The store has no list of this job's units. It keeps those of counts that take more than a "
                         "quarter of a second, while there is room. nqueensd units counts them again.");
}

/* The question borrows from the job's, which the request keeps. */
static enum MHD_Result ask_units(struct request *request, struct shared_question *shared)
{
    struct question *question = request_question(request);
    struct bytes key = {0};
    request_keep(request, shared, unref_question);
    bytes_format(&key, "%s %s", request->route->asks.path, shared->question.path);
    request->key = bytes_take(&key);
    if (!request->key)
        return reply_status(request, NQ_NOMEM);
    *question = shared->question;
    question->kind = ASK_UNITS;
    question->format = format_find("text");
    question->uncacheable = true; /* the store may lose it at any time */
    question->key = request->key;
    question->principal = request->requester.principal;
    memcpy(question->trace, request->trace.trace, sizeof question->trace);
    return reply_after(request, question, send_units);
}

static enum MHD_Result list_units(struct request *request, struct answer *none)
{
    (void)none;
    struct shared_question *shared;
    const enum nq_status status = question_of_job(request, &shared);
    switch ((int)status) {
    case NQ_OK: return ask_units(request, shared);
    case NQ_NONE: return reply_no_such_job(request, request->segment);
    case NQ_AGAIN:
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "The list of a job's units can be read when the job is done, and this one is not.");
    default: return reply_status(request, status);
    }
}

static enum MHD_Result units(struct request *request, const struct value *values)
{
    (void)values;
    return seek(request, false, list_units);
}

const struct route route_job = {
    .asks.path = "/jobs/{id}",
    .summary = "The progress and the result of a job",
    .media_type = "application/json",
    .named_origins = true,
    .handle = look,
};

const struct route route_job_delete = {
    .asks.path = "/jobs/{id}",
    .verb = VERB_DELETE,
    .summary = "Returns one share in a job; without shares the job is cancelled",
    .media_type = "application/json",
    .named_origins = true,
    .handle = remove_share,
};

const struct route route_job_events = {
    .asks.path = "/jobs/{id}/events",
    .summary = "Progress and end of a job as server-sent events",
    .media_type = "text/event-stream",
    .named_origins = true,
    .handle = events,
};

const struct route route_job_units = {
    .asks.path = "/jobs/{id}/units",
    .summary = "What each unit of a finished job came to, in thirds",
    .media_type = "text/plain; charset=utf-8",
    .named_origins = true,
    .handle = units,
};
