/* wait.c - suspends a request until there is an answer, or until jobs are recorded, and continues it then. */
#include "http/reply/wait.h"

#include <assert.h>
#include <string.h>

#include "http/reply/compressed.h"
#include "http/reply/job_json.h"
#include "http/reply/refusal.h"
#include "http/reply/response.h"
#include "http/reply/suspension.h"

/* Seconds for the store to record a job: a disk may hang. */
enum { RECORD_S = 5 };

/* Seconds to wait for an answer if the client states none, then it becomes a job: openapi.yaml and docs/api.md name
 * them. */
enum { WAIT_DEFAULT_S = 10 };

/* ---- Until a job is recorded ---- */

static enum MHD_Result recorded(struct request *request)
{
    const struct record_task task = request->record;
    const enum nq_status status = task.barrier ? engine_settled(task.barrier) : NQ_NOMEM;
    request_end_task(request);
    request->unrecorded = status != NQ_OK;
    if (status == NQ_NOMEM)
        return reply_status(request, NQ_NOMEM); /* the job continues, but may not outlive the process */
    return task.reply(request);
}

enum MHD_Result reply_recorded(struct request *request, enum MHD_Result (*reply)(struct request *request))
{
    suspension_begin(request, TASK_RECORD, recorded);
    request->record.reply = reply;
    request->record.barrier = engine_settle(request->service->engine, request_wake, request);
    suspension_watch(request, request->record.barrier, RECORD_S);
    return MHD_YES;
}

/* Replies with an answer, whose reference it takes over, or calls request->then. */
static enum MHD_Result take(struct request *request, struct answer *answer)
{
    assert(answer);
    const request_then then = request->then;
    if (!then)
        return reply_answer(request, answer);
    request->then = NULL;
    const enum MHD_Result result = then(request, answer);
    answer_unref(answer);
    return result;
}

/* Replies with the job that was begun: 202, or 200 when it is done. A route that waits for answers replies with the
 * result then. */
static enum MHD_Result send_job(struct request *request)
{
    const char *prefix = request->service->options.base_path;
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

bool wait_barred(struct request *request, const struct question *question, enum MHD_Result *result)
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
    if (request->answer.job || !question_computed(question))
        return most;
    const unsigned preset = principal_barred(&request->requester.principal) ? most : WAIT_DEFAULT_S;
    const unsigned wanted = request->headers.wait >= 0 ? (unsigned)request->headers.wait : preset;
    return wanted < most ? wanted : most;
}

/* Replies to what is no answer. */
static enum MHD_Result reply_unanswered(struct request *request, enum nq_status status, const struct waiter *waiter)
{
    if (status == NQ_AGAIN) { /* a job that the reply names must outlive the process */
        memcpy(request->job, engine_job_of(waiter), sizeof request->job);
        return reply_recorded(request, send_job);
    }
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
    const bool job = request->answer.job && !request->then;
    struct waiter *waiter = request_take_waiter(request);
    enum MHD_Result result;
    if (!waiter)
        return reply_status(request, NQ_NOMEM);
    const request_otherwise otherwise = request->otherwise;
    request->otherwise = NULL;
    if (waiter->status == NQ_OK && !job) {
        result = take(request, answer_ref(waiter->answer));
    } else if (waiter->status == NQ_LIMIT && waiter->fault.text[0] && otherwise) {
        request->then = NULL;
        result = otherwise(request, &waiter->fault);
    } else { /* NQ_OK: the answer was there at once, and a job was asked for */
        result = reply_unanswered(request, waiter->status == NQ_OK ? engine_begin_job(waiter) : waiter->status, waiter);
    }
    cancellable_unref(&waiter->cancellable);
    return result;
}

/* job: an answer is not enough. own: the request has a share of its own in it, not the common one. */
static enum MHD_Result wait_for_answer(struct request *request, const struct question *question, bool job, bool own)
{
    struct engine *engine = request->service->engine;
    if (service_draining(request->service))
        return reply_status(request, NQ_CLOSED);
    if (job && principal_barred(&request->requester.principal))
        return reply_no_job(request);
    const uint64_t seen = request->seen;
    request->seen = 0; /* of this question only */
    request->cache = "miss";
    if (job && !own && engine_job_done(engine, question, request->job))
        return reply_recorded(request, send_job); /* no flight is needed to find that out */
    if (!request_enter(request))
        return reply_too_many(request);
    suspension_begin(request, TASK_ANSWER, answered);
    request->answer.job = job;
    struct waiter *waiter = job ? engine_ask_job(engine, question, seen, own, request_wake, request)
                                : engine_ask(engine, question, seen, request_wake, request);
    request->answer.waiter = waiter;
    suspension_watch(request, waiter ? &waiter->cancellable : NULL, seconds_to_wait(request, question));
    return MHD_YES;
}

enum MHD_Result reply_job(struct request *request)
{
    request->then = NULL;
    return wait_for_answer(request, &request->question, true, true);
}

enum MHD_Result reply_found(struct request *request, const struct question *question, request_then then)
{
    request->then = then;
    return wait_for_answer(request, question, prefers_job(request, question), false);
}

enum MHD_Result reply_found_or(struct request *request, const struct question *question, request_then then,
                               request_otherwise otherwise)
{
    request->otherwise = otherwise;
    return reply_found(request, question, then);
}

enum MHD_Result reply_after(struct request *request, const struct question *question, request_then then)
{
    struct answer *answer = engine_peek(request->service->engine, question, &request->seen);
    if (!answer)
        return reply_found(request, question, then);
    request->then = then;
    return take(request, answer);
}
