/* reply_job.c - replies that take time: a request waits for an answer, for a job to be recorded, or for what becomes of
 * one. */
#include <stdlib.h>
#include <string.h>

#include "http/job_json.h"
#include "http/response.h"

/* Seconds for a job to be recorded: its disk may hang. */
enum { RECORD_S = 5 };

void response_wake(void *who)
{
    struct request *request = who;
    MHD_resume_connection(request->connection);
}

/* ---- Until a job is recorded ---- */

static enum MHD_Result recorded(struct request *request)
{
    peer_unwatch(request->peer);
    if (!request->settling || engine_settled(request->settling) == NQ_NOMEM)
        return reply_status(request, NQ_NOMEM); /* what was begun goes on, but is not promised */
    return request->recorded(request);
}

enum MHD_Result reply_recorded(struct request *request, enum MHD_Result (*reply)(struct request *request))
{
    request->stage = STAGE_WAITING;
    request->resumed = recorded;
    request->recorded = reply;
    if (request->settling) /* of a job before this one */
        party_unref(request->settling);
    MHD_suspend_connection(request->connection);
    request->settling = engine_settle(server_engine(request->server), response_wake, request);
    if (!request->settling)
        MHD_resume_connection(request->connection);
    else if (!peer_watch(request->peer, request->settling, RECORD_S))
        request->settling->dismiss(request->settling, NQ_BUSY);
    return MHD_YES;
}

/* Replies with an answer, whose reference it takes over, or goes on with it. */
static enum MHD_Result take(struct request *request, struct answer *answer)
{
    const request_then then = request->then;
    if (!then)
        return response_answer(request, answer);
    request->then = NULL;
    const enum MHD_Result result = then(request, answer);
    answer_unref(answer);
    return result;
}

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
        return take(request, answer);
    }
    job_write(&body, &view, server_prefix(request->server));
    job_view_free(&view);
    bytes_format(&location, "%s/jobs/%s", server_prefix(request->server), request->job);
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

static const char *const keyless_job = "A job takes a key, and so does what takes longer than this client waits.";
static const char *const keyed_job = "This key may have no jobs.";

/* Whether the client would rather have a job than wait. */
static bool prefers_job(const struct request *request, const struct question *question)
{
    return (request->headers.respond_async || request->headers.wait == 0) && question_computed(question);
}

bool reply_barred(struct request *request, const struct question *question, enum MHD_Result *result)
{
    if (!asker_barred(&request->asker) || !(request->job_wanted || prefers_job(request, question)))
        return false;
    *result = reply_denied(request, keyless_job, keyed_job);
    return true;
}

/* Seconds to wait for an answer: as the client prefers, where it may. Who can have no job is not sent away so soon. */
static unsigned patience(const struct request *request, const struct question *question)
{
    enum { PRESET_S = 10 };
    const unsigned most = server_max_wait(request->server);
    if (request->job_wanted || !question_computed(question))
        return most;
    const unsigned preset = asker_barred(&request->asker) ? most : PRESET_S;
    const unsigned wanted = request->headers.wait >= 0 ? (unsigned)request->headers.wait : preset;
    return wanted < most ? wanted : most;
}

/* The answer is there, or why there is none, or the job that goes on looking for it. What is told of that must outlive
 * the process. */
static enum MHD_Result answered(struct request *request)
{
    struct ticket *ticket = request->ticket;
    peer_unwatch(request->peer);
    if (!ticket)
        return reply_status(request, NQ_NOMEM);
    request_spend(request);
    enum nq_status status = ticket->status;
    if (status == NQ_OK && (request->then || !request->job_wanted)) {
        struct answer *answer = answer_ref(ticket->answer);
        party_unref(&ticket->party);
        request->ticket = NULL;
        return take(request, answer);
    }
    if (status == NQ_OK) /* it was there at once, and a job is asked for */
        status = engine_begin_job(ticket);
    if (status == NQ_AGAIN) {
        memcpy(request->job, engine_job_of(ticket), sizeof request->job);
        return reply_recorded(request, send_job);
    }
    if (status == NQ_DENIED)
        return reply_denied(request, ticket->why[0] ? ticket->why : keyless_job,
                            ticket->why[0] ? ticket->why : keyed_job);
    if (status == NQ_QUOTA)
        return reply_too_many_jobs(request);
    if (ticket->why[0])
        return reply_problem(request, problem_of(status), "%s", ticket->why);
    return reply_status(request, status);
}

/* Waits: suspended first, then known to the engine, whose wake is its last touch. */
static enum MHD_Result wait_for_answer(struct request *request, const struct question *question)
{
    struct engine *engine = server_engine(request->server);
    enum MHD_Result result;
    if (server_draining(request->server))
        return reply_status(request, NQ_CLOSED);
    if (reply_barred(request, question, &result))
        return result;
    if (!request_enter(request))
        return reply_too_many(request);
    request->cache = "miss";
    request->stage = STAGE_WAITING;
    request->resumed = answered;
    request->spent.told = false;
    if (request->ticket) /* for an answer that led here by way of a job */
        party_unref(&request->ticket->party);
    MHD_suspend_connection(request->connection);
    request->ticket = request->job_wanted
                          ? engine_ask_job(engine, question, request->method->verb == VERB_POST, response_wake, request)
                          : engine_ask(engine, question, response_wake, request);
    if (!request->ticket)
        MHD_resume_connection(request->connection);
    else if (!peer_watch(request->peer, &request->ticket->party, patience(request, question)))
        request->ticket->party.dismiss(&request->ticket->party, NQ_BUSY);
    return MHD_YES;
}

enum MHD_Result reply_job(struct request *request, const struct question *question)
{
    request->job_wanted = true;
    return wait_for_answer(request, question);
}

enum MHD_Result reply_found(struct request *request, const struct question *question)
{
    request->job_wanted = prefers_job(request, question);
    return wait_for_answer(request, question);
}

enum MHD_Result reply_after(struct request *request, const struct question *question, request_then then)
{
    struct answer *answer = engine_peek(server_engine(request->server), question);
    request->then = then;
    return answer ? take(request, answer) : reply_found(request, question);
}

/* ---- What becomes of a job ---- */

static ssize_t read_events(void *cls, uint64_t position, char *to, size_t size)
{
    struct request *request = cls;
    return response_read(request, events_read(request->events, position, to, size));
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
        struct MHD_Response *response = response_empty();
        response_cacheable(request, response, false);
        return response_send(request, MHD_HTTP_NO_CONTENT, response);
    }
    struct MHD_Response *response;
    if (request->head) {
        response = response_bare();
    } else if (!request_enter(request)) {
        return reply_too_many(request);
    } else {
        const enum nq_status opened =
            events_open(server_hub(request->server), id, last, request->connection, &request->events);
        if (opened != NQ_OK)
            return reply_status(request, opened);
        if (!peer_watch(request->peer, events_party(request->events), 0))
            return reply_status(request, NQ_BUSY);
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_events, request, NULL);
    }
    response_header(request, response, "Content-Type", "text/event-stream");
    response_header(request, response, "X-Accel-Buffering", "no");
    response_cacheable(request, response, false);
    return response_send(request, MHD_HTTP_OK, response);
}
