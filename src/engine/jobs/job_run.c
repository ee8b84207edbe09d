/* job_run.c - from a job's start, or its resumption, to its answer. It does not know who subscribed to it. */
#include "engine/jobs/job_run.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "engine/jobs/job_sync.h"

/* ---- The end ---- */

/* Under the lock: ends a job that is not over. */
static void fail(struct job *job, const struct fault *fault)
{
    job->record.fault = *fault;
    job_end(job, JOB_FAILED);
    job->home->stats.failed++;
}

/* The same, where no more than a status is known. */
static void fail_by(struct job *job, enum nq_status status)
{
    struct fault fault;
    fault_write(&fault, status == NQ_NOMEM ? FAULT_NO_MEMORY : UNCODED, NULL, "%s", nq_status_text(status));
    fail(job, &fault);
}

/* Under the lock: ends a job that is not over as its waiter did. */
static void conclude(struct job *job, const struct waiter *waiter)
{
    const enum nq_status status = pending_status(&waiter->pending);
    assert(status != NQ_OK || waiter->answer);
    if (status == NQ_OK)
        job->record.result = answer_bare(waiter->answer); /* hundreds may be kept */
    if (job->record.result) {
        job_end(job, JOB_DONE);
        job->home->stats.done++;
        return;
    }
    if (waiter->fault.text[0])
        fail(job, &waiter->fault);
    else
        fail_by(job, status == NQ_OK ? NQ_NOMEM : status);
}

/* On a pool thread: a job that was begun again may have ended its former flight on the journal's thread. */
static bool start_again(struct pool_task *task, const struct slice *slice)
{
    struct jobs *jobs = ((struct jobs_starter *)task)->jobs;
    (void)slice;
    lock_take(&jobs->lock);
    const bool more = jobs->starter.wanted;
    jobs->starter.wanted = false;
    jobs->starter.busy = more;
    lock_release(&jobs->lock);
    if (more)
        (void)jobs_start_resumed(jobs);
    return more;
}

static void start_later(struct jobs *jobs)
{
    struct jobs_starter *starter = &jobs->starter;
    lock_take(&jobs->lock);
    starter->wanted = true;
    const bool add = !starter->busy;
    starter->busy = true;
    lock_release(&jobs->lock);
    if (!add)
        return;
    starter->task.run = start_again;
    starter->jobs = jobs;
    (void)flights_run(jobs->flights, &starter->task); /* false: the next process resumes the job */
}

/* The flight has ended and the waiter is known: called by the later one of wake() and job_start(). Ends the waiter. */
static void settle(struct job *job)
{
    struct jobs *jobs = job->home;
    struct waiter *waiter = job->waiter;
    assert(waiter && job->woken); /* both wake() and job_start() have been here */
    struct notice notice = {.path = NULL};
    const enum nq_status status = pending_status(&waiter->pending);
    lock_take(&jobs->lock);
    const bool open = !job_over(job);                  /* otherwise it was cancelled, or ended by another server */
    const bool again = open && status == NQ_CANCELLED; /* begun again before its flight ended */
    if (open)
        job->record.last = waiter->progress;
    job->cost = waiter->cost;
    job->waiter = NULL;
    jobs->closed |= status == NQ_CLOSED;
    if (again) {
        job_renew(job);
        job->to_resume = true;
    } else if (open && status != NQ_CLOSED) {
        conclude(job, waiter);
    }
    if (job_over(job)) /* otherwise this process ends, and the next one resumes the job */
        notice_take(&notice, job, job_state_name(job->record.state));
    lock_release(&jobs->lock);
    pending_unref(&waiter->pending);
    notice_send(&notice, jobs);
    if (again)
        start_later(jobs);
}

static void wake(void *who)
{
    struct job *job = who;
    lock_take(&job->home->lock);
    job->woken = true;
    const bool second = job->waiter;
    lock_release(&job->home->lock);
    if (second)
        settle(job);
}

void job_fail(struct job *job)
{
    struct jobs *jobs = job->home;
    struct notice notice = {.path = NULL};
    lock_take(&jobs->lock);
    job->starting = false;
    if (!job_over(job)) { /* it was cancelled in between */
        fail_by(job, NQ_NOMEM);
        notice_take(&notice, job, job_state_name(job->record.state));
    }
    lock_release(&jobs->lock);
    notice_send(&notice, jobs);
}

/* ---- The start ---- */

enum nq_status job_start(struct job *job, struct shared_question *question)
{
    struct jobs *jobs = job->home;
    struct waiter *waiter =
        flights_ask(jobs->flights, question, &(struct asking){.admitted = true, .wake = wake, .who = job});
    lock_take(&jobs->lock);
    assert(job->starting && !job->waiter); /* nobody else may free or start it */
    job->waiter = waiter;
    job->starting = !waiter;
    const bool second = waiter && job->woken;
    struct waiter *unwanted = second ? NULL : job_unwanted(job); /* cancelled in between */
    lock_release(&jobs->lock);
    if (second)
        settle(job);
    job_dismiss(unwanted);
    return waiter ? NQ_OK : NQ_NOMEM;
}

/* ---- Resuming ---- */

/* Of two builds of one release that are none themselves nobody knows which is later: either may be. */
static bool is_later(const char *release)
{
    return strverscmp(release, NQ_VERSION) > 0 && strcmp(release, build_id) != 0;
}

/* Under the lock, with a question that this release cannot read: a job of a later release is left to the servers of
 * that one, if there may be any; any other fails. */
static void give_up(struct job *job, const struct fault *retired)
{
    job->foreign = journal_is_remote(job->home->journal) && is_later(job->record.release);
    if (job->foreign)
        job->starting = false;
    else
        fail(job, retired);
}

/* `starting` keeps the job in the table: it belongs to the thread that has taken it from next_to_resume(). */
static enum nq_status resume(struct job *job, const struct query_parser *parser)
{
    struct jobs *jobs = job->home;
    struct shared_question *question;
    struct notice notice = {.path = NULL};
    struct fault retired;
    fault_write(&retired, FAULT_RETIRED, NULL, "this release does not take the question any more");
    enum nq_status status = parser->parse(parser->context, job->record.path, &question);
    if (status == NQ_OK && strcmp(question->question.key, job->record.key) != 0)
        status = NQ_INVALID;
    lock_take(&jobs->lock);
    if (job_over(job)) /* it was cancelled in between, and no flight tells its end */
        status = NQ_NONE;
    else if (status == NQ_INVALID) /* its path cannot be read, or leads to another key than the record has */
        give_up(job, &retired);
    jobs->stats.resumed += status == NQ_OK;
    job->starting &= !job_over(job);
    if (status != NQ_NOMEM)
        notice_take(&notice, job,
                    status == NQ_OK ? "resumed"
                    : job->foreign  ? NULL
                                    : job_state_name(job->record.state));
    lock_release(&jobs->lock);
    notice_send(&notice, jobs);
    if (status == NQ_OK) {
        question->question.admitted = true;
        status = job_start(job, question);
    }
    question_unref(question);
    if (status == NQ_NOMEM) {
        lock_take(&jobs->lock);
        job->to_resume = true;
        lock_release(&jobs->lock);
    }
    return status == NQ_NOMEM ? status : NQ_OK;
}

/* The oldest one, which no other thread will get, or NULL. */
static struct job *next_to_resume(struct jobs *jobs)
{
    struct job *oldest = NULL;
    lock_take(&jobs->lock);
    for (struct job *job = jobs->list; job; job = job->next)
        if (job->to_resume)
            oldest = job;
    if (oldest)
        oldest->to_resume = false;
    lock_release(&jobs->lock);
    return oldest;
}

enum nq_status jobs_start_resumed(struct jobs *jobs)
{
    const struct query_parser *parser = atomic_load(&jobs->parser);
    enum nq_status status = NQ_OK;
    for (struct job *job; parser && status == NQ_OK && (job = next_to_resume(jobs));)
        status = resume(job, parser);
    return status;
}
