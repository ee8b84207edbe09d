/* job_flight.c - what counts a job: from its beginning, or its being taken up again, to what it comes to. It knows
 * neither who has a share in it nor what other processes say. See job_table.h. */
#include <stdio.h>
#include <string.h>

#include "engine/job_table.h"

/* ---- Landing ---- */

static void explain(struct job *job, const char *why)
{
    (void)snprintf(job->record.why, sizeof job->record.why, "%s", why);
}

/* Under the lock: what a ticket comes to for a job that is open. */
static void conclude(struct job *job, const struct ticket *ticket)
{
    struct job_figures *figures = &job->home->figures;
    if (ticket->status == NQ_OK)
        job->record.result = answer_bare(ticket->answer); /* hundreds may be kept */
    if (job->record.result) {
        job_end(job, JOB_DONE);
        figures->done++;
        return;
    }
    explain(job, ticket->why[0] ? ticket->why : nq_status_text(ticket->status == NQ_OK ? NQ_NOMEM : ticket->status));
    job_end(job, JOB_FAILED);
    figures->failed++;
}

/* The answer has come, or why there is none, and the ticket is known: called by whoever comes second, the wake or
 * flights_ask. The last thing done with the ticket. */
static void settle(struct job *job)
{
    struct jobs *jobs = job->home;
    struct ticket *ticket = job->ticket;
    struct note note = {.path = NULL};
    pthread_mutex_lock(&jobs->lock);
    const bool open = !job_over(job); /* otherwise it was cancelled, or another server said so */
    const bool again = open && ticket->status == NQ_CANCELLED; /* given up, but wanted again before it landed */
    if (job->record.state != JOB_DONE)
        job->record.last = ticket->progress;
    job->cost = ticket->cost;
    job->ticket = NULL;
    jobs->closed |= ticket->status == NQ_CLOSED;
    if (again) {
        job_renew(job);
        job->earlier = true;
    } else if (open && ticket->status != NQ_CLOSED) {
        conclude(job, ticket);
    }
    if (job_over(job)) /* otherwise this process ends, and the next takes it up */
        job_take_down(job, job_state_name(job->record.state), &note);
    pthread_mutex_unlock(&jobs->lock);
    party_unref(&ticket->party);
    jobs_tell(jobs, &note);
    if (again)
        (void)jobs_take_up(jobs);
}

static void wake(void *who)
{
    struct job *job = who;
    pthread_mutex_lock(&job->home->lock);
    job->woken = true;
    const bool second = job->ticket;
    pthread_mutex_unlock(&job->home->lock);
    if (second)
        settle(job);
}

void job_fail(struct job *job)
{
    struct jobs *jobs = job->home;
    struct note note = {.path = NULL};
    pthread_mutex_lock(&jobs->lock);
    job->flying = false;
    if (!job_over(job)) { /* otherwise its last share was given back in between */
        explain(job, nq_status_text(NQ_NOMEM));
        job_end(job, JOB_FAILED);
        jobs->figures.failed++;
        job_take_down(job, job_state_name(job->record.state), &note);
    }
    pthread_mutex_unlock(&jobs->lock);
    jobs_tell(jobs, &note);
}

struct ticket *job_unwanted(struct job *job)
{
    struct ticket *ticket = job_over(job) ? job->ticket : NULL;
    if (ticket)
        party_ref(&ticket->party);
    return ticket;
}

void job_land(struct ticket *ticket)
{
    if (!ticket)
        return;
    ticket->party.dismiss(&ticket->party, NQ_CANCELLED);
    party_unref(&ticket->party);
}

/* ---- Taking off ---- */

void job_renew(struct job *job)
{
    struct job **at = &job->home->list;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    jobs_link(job->home, job);
    job->woken = false;
    job->flying = true;
    job->began = clock_now();
    job->cost = (struct cost){0};
}

enum nq_status job_fly(struct job *job, const struct question *question)
{
    struct jobs *jobs = job->home;
    struct ticket *ticket = flights_ask(jobs->flights, question, NULL, true, wake, job);
    pthread_mutex_lock(&jobs->lock);
    job->ticket = ticket;
    job->flying = !ticket;
    const bool second = ticket && job->woken;
    struct ticket *unwanted = second ? NULL : job_unwanted(job); /* its last share was given back in between */
    pthread_mutex_unlock(&jobs->lock);
    if (second)
        settle(job);
    job_land(unwanted);
    return ticket ? NQ_OK : NQ_NOMEM;
}

/* ---- Taking up again ---- */

/* Under the lock: what its path says is not what it is kept as, or nothing. */
static void give_up(struct job *job)
{
    job->flying = false;
    if (job_over(job)) /* its last share was given back in between */
        return;
    explain(job, "this release does not take the question any more");
    job_end(job, JOB_FAILED);
}

/* Puts a job of an earlier process on its flight again. */
static enum nq_status resume(struct job *job, const struct job_reopener *reopener)
{
    struct jobs *jobs = job->home;
    struct question question;
    struct note note = {.path = NULL};
    pthread_mutex_lock(&jobs->lock);
    const bool mine = job->earlier;
    job->earlier = false;
    pthread_mutex_unlock(&jobs->lock);
    if (!mine)
        return NQ_OK; /* another thread is at it */
    enum nq_status status = reopener->reopen(reopener->context, job->record.path, &question);
    if (status == NQ_OK && strcmp(question.key, job->record.key) != 0)
        status = NQ_INVALID;
    pthread_mutex_lock(&jobs->lock);
    jobs->figures.resumed += status == NQ_OK;
    if (status == NQ_INVALID)
        give_up(job);
    if (status != NQ_NOMEM)
        job_take_down(job, status == NQ_OK ? "resumed" : job_state_name(job->record.state), &note);
    pthread_mutex_unlock(&jobs->lock);
    jobs_tell(jobs, &note);
    question.admitted = true;
    if (status == NQ_OK)
        status = job_fly(job, &question);
    reopener->release(&question);
    if (status == NQ_NOMEM) {
        pthread_mutex_lock(&jobs->lock);
        job->earlier = true;
        pthread_mutex_unlock(&jobs->lock);
    }
    return status == NQ_INVALID ? NQ_OK : status;
}

/* The oldest that has not been resumed yet, or NULL. */
static struct job *next_to_resume(struct jobs *jobs)
{
    struct job *oldest = NULL;
    pthread_mutex_lock(&jobs->lock); /* those that fly may end meanwhile */
    for (struct job *job = jobs->list; job; job = job->next)
        if (job->earlier)
            oldest = job;
    pthread_mutex_unlock(&jobs->lock);
    return oldest;
}

enum nq_status jobs_take_up(struct jobs *jobs)
{
    const struct job_reopener *reopener = atomic_load(&jobs->reopener);
    enum nq_status status = NQ_OK;
    for (struct job *job; reopener && status == NQ_OK && (job = next_to_resume(jobs));)
        status = resume(job, reopener);
    return status;
}
