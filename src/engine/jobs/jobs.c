/* jobs.c - what clients do with jobs, and other servers' news of them. */
#include "engine/jobs/jobs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/process.h"
#include "engine/ask/digest.h"
#include "engine/jobs/job_run.h"
#include "engine/jobs/job_sync.h"

/* ---- Beginning ---- */

/* Whether a job counts as one of the principal's: it subscribes to it, or, without a name, has begun it here. */
static bool has_job(const struct principal *principal, const struct job *job)
{
    return *principal->name ? subscriptions_has(&job->record.subscriptions, principal->name)
                            : job->client == principal->client;
}

/* Whether a principal may have one more job that is not over. */
static enum nq_status admit(const struct jobs *jobs, const struct principal *principal)
{
    unsigned count = 0;
    for (const struct job *job = jobs->list; job && principal->limited; job = job->next)
        count += !job_over(job) && has_job(principal, job);
    if (principal_barred(principal))
        return NQ_DENIED;
    return principal->limited && count >= principal->jobs ? NQ_QUOTA : NQ_OK;
}

/* A job that is not in the table yet. The key decides its id, so that equal questions have the same job after a restart
 * and on every server. The record of a job of an earlier release keeps the id that it was stored with. NULL: out of
 * memory. */
static struct job *job_of(struct jobs *jobs, const struct question *question)
{
    struct job_record record;
    if (!job_record_open(&record, question->key, question->path))
        return NULL;
    digest_id(build_id, question->key, record.id);
    while (jobs_find(jobs, record.id)) /* it is another one's, which another build may have named */
        digest_id(record.id, question->key, record.id);
    return job_new(jobs, &record);
}

/* Under the lock: the job of a question, NULL if it is to be a new one; and whether the principal may subscribe to it.
 */
static enum nq_status find_admitted(struct jobs *jobs, const struct question *question, struct job **out, bool *begun)
{
    lock_assert(&jobs->lock);
    const struct principal *principal = &question->principal;
    struct job *job = *out = jobs_find_key(jobs, question->key);
    *begun = !job || job->record.state == JOB_FAILED || job->record.state == JOB_CANCELLED;
    if (job && *begun && job_active(job))
        return NQ_BUSY; /* its flight has not ended yet */
    enum nq_status status = *begun && jobs_count_active(jobs) >= jobs->most ? NQ_BUSY : NQ_OK;
    if (status == NQ_OK &&
        (*begun || !(job_over(job) || subscriptions_has(&job->record.subscriptions, principal->name))))
        status = admit(jobs, principal);
    jobs->stats.refused += status == NQ_BUSY || status == NQ_QUOTA;
    return status;
}

/* Under the lock: subscribes to a job that runs, begins again or is new; to one that is done only if asked explicitly.
 */
static enum nq_status subscribe(struct jobs *jobs, const struct question *question, bool own, bool begun,
                                struct job **out)
{
    lock_assert(&jobs->lock);
    if (!begun && !own && job_over(*out))
        return NQ_OK;
    struct job *job = *out ? *out : job_of(jobs, question);
    const enum nq_status status = job ? job_subscribe(job, question->principal.name, own) : NQ_NOMEM;
    if (status != NQ_OK && job != *out)
        job_free(job);
    if (status != NQ_OK)
        return status;
    if (!*out)
        jobs_link(jobs, job, false);
    if (begun) {
        job_renew(job);
        job->client = *question->principal.name ? 0 : question->principal.client;
        memcpy(job->record.trace, question->trace, sizeof job->record.trace);
        jobs->stats.begun++;
    }
    *out = job;
    return NQ_OK;
}

enum nq_status jobs_begin(struct jobs *jobs, struct shared_question *shared, bool own, char id[static JOB_ID_SIZE])
{
    const struct question *question = &shared->question;
    struct job *job;
    bool begun;
    struct notice notice = {.path = NULL};
    lock_take(&jobs->lock);
    jobs_weed(jobs);
    enum nq_status status = find_admitted(jobs, question, &job, &begun);
    if (status == NQ_OK)
        status = subscribe(jobs, question, own, begun, &job);
    begun = begun && status == NQ_OK;
    if (status == NQ_OK)
        memcpy(id, job->record.id, JOB_ID_SIZE);
    if (begun)
        notice_take(&notice, job, "begun");
    lock_release(&jobs->lock);
    notice_send(&notice, jobs);
    if (!begun)
        return status;
    status = job_start(job, shared);
    if (status != NQ_OK)
        job_fail(job);
    return status;
}

bool jobs_done(struct jobs *jobs, const char *key, char id[static JOB_ID_SIZE])
{
    lock_take(&jobs->lock);
    const struct job *job = jobs_find_key(jobs, key);
    const bool done = job && job->record.state == JOB_DONE;
    if (done)
        memcpy(id, job->record.id, JOB_ID_SIZE);
    lock_release(&jobs->lock);
    return done;
}

/* ---- Cancelling ---- */

/* Under the lock: a reference to what the job waits for; NULL: nothing. */
static struct waiter *job_waiter(const struct job *job)
{
    if (job->waiter)
        pending_ref(&job->waiter->pending);
    return job->waiter;
}

/* How far a job is, as of a waiter that may be NULL and is released. False: no thread counts. */
static bool take_progress(struct jobs *jobs, struct waiter *waiter, struct progress *progress)
{
    const bool running = waiter && flights_progress(jobs->flights, waiter, progress);
    if (waiter)
        pending_unref(&waiter->pending);
    return running;
}

/* How far a job is that may be cancelled now. */
static struct progress progress_of(struct jobs *jobs, const char *id)
{
    struct progress progress = {0};
    lock_take(&jobs->lock);
    const struct job *job = jobs_find(jobs, id);
    struct waiter *waiter = job && !job_over(job) ? job_waiter(job) : NULL;
    lock_release(&jobs->lock);
    (void)take_progress(jobs, waiter, &progress);
    return progress;
}

enum nq_status jobs_cancel(struct jobs *jobs, const char *id, const char *name)
{
    const struct progress progress = progress_of(jobs, id);
    struct waiter *waiter = NULL;
    struct notice notice = {.path = NULL};
    enum nq_status status = NQ_NONE;
    lock_take(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    if (job) {
        const bool open = !job_over(job);
        status = job_unsubscribe(job, name);
        if (open && job_over(job)) {
            jobs->stats.cancelled++;
            job->record.last = progress;
        }
        waiter = job_unwanted(job);
        notice_take(&notice, job, NULL);
    }
    lock_release(&jobs->lock);
    notice_send(&notice, jobs);
    job_dismiss(waiter);
    return status == NQ_END ? NQ_OK : status; /* giving back the last one again is no error */
}

/* ---- Looking ---- */

static double eta(const struct progress *progress)
{
    if (progress->seconds > 0)
        return progress->seconds;
    const uint64_t mine = progress->weight_done - progress->weight_restored;
    if (!mine || !progress->took_off)
        return -1;
    const double elapsed = (double)(clock_now() - progress->took_off) / (double)CLOCK_SECOND;
    return elapsed * (double)(progress->weight - progress->weight_done) / (double)mine;
}

/* Under the lock. open: its end is not to be shown. False: out of memory. */
static bool view_job(const struct job *job, bool open, struct job_view *view)
{
    const struct job_record *record = &job->record;
    *view = (struct job_view){.state = open ? JOB_RUNNING : record->state,
                              .stored = open ? job_start_stored(job) : job_stored(job),
                              .subscriptions = subscriptions_count(&record->subscriptions),
                              .path = strdup(record->path),
                              .progress = record->last,
                              .eta_s = open && record->state == JOB_DONE ? 0 : -1,
                              .created = record->created,
                              .finished = open ? 0 : record->finished,
                              .result = record->result && !open ? answer_ref(record->result) : NULL};
    memcpy(view->id, record->id, sizeof view->id);
    if (!open)
        view->fault = record->fault;
    if (!view->path)
        job_view_free(view);
    return view->path;
}

enum nq_status jobs_look(struct jobs *jobs, const char *id, bool anyway, struct job_view *view)
{
    struct waiter *waiter = NULL;
    enum nq_status status = NQ_NONE;
    bool over = false;
    lock_take(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    if (job && job->unkept && !job_keep(job)) {
        status = NQ_NOMEM; /* a client must not see what will not outlive the process */
    } else if (job) {
        const bool open = !anyway && job_end_is_open(job);
        status = view_job(job, open, view) ? NQ_OK : NQ_NOMEM;
        over = job_over(job);
        job->shown |= over && !open;
        waiter = over && !open ? NULL : job_waiter(job);
    }
    lock_release(&jobs->lock);
    struct progress progress;
    const bool running = take_progress(jobs, waiter, &progress);
    if (status == NQ_OK && waiter)
        view->progress = progress;
    if (status == NQ_OK && !over) {
        view->state = running ? JOB_RUNNING : JOB_QUEUED;
        view->eta_s = eta(&view->progress);
    }
    return status;
}

void job_view_free(struct job_view *view)
{
    answer_unref(view->result);
    free(view->path);
}

/* ---- Records of the store ---- */

enum nq_status jobs_resume(struct jobs *jobs, const struct query_parser *parser, struct deadline deadline)
{
    atomic_store(&jobs->parser, parser); /* first: a record received before is in the store */
    const enum nq_status read = job_sync_read(jobs, deadline);
    if (read == NQ_OK)
        atomic_store(&jobs->read, true);
    return read != NQ_NOMEM && jobs_start_resumed(jobs) != NQ_OK ? NQ_NOMEM : read;
}

void jobs_receive(struct jobs *jobs, const char *id, const void *text, size_t size)
{
    if (!atomic_load(&jobs->parser))
        return; /* jobs_resume() reads it from the store */
    job_sync_receive(jobs, id, text, size);
    (void)jobs_start_resumed(jobs);
}

bool jobs_seek(struct jobs *jobs, const char *id, bool anyway)
{
    if (!job_id_is_sound(id))
        return false;
    lock_take(&jobs->lock);
    const struct job *job = jobs_find(jobs, id);
    const bool known = job && (!job_over(job) || job->record.state == JOB_DONE), waits = job && job_awaits_store(job);
    lock_release(&jobs->lock);
    const bool asked = (anyway || !known) && job_sync_ask(jobs, id);
    return asked || waits;
}

/* Whether a store of this process alone, in which jobs outlive it, has not been read: one that is shared is read anew
 * for each job. */
static bool jobs_behind(const struct jobs *jobs)
{
    return !journal_is_remote(jobs->journal) && journal_lasts(jobs->journal) && !atomic_load(&jobs->read);
}

bool jobs_unread(struct jobs *jobs, const char *id, bool unasked)
{
    if (!job_id_is_sound(id))
        return false; /* no job has it */
    if (journal_is_remote(jobs->journal))
        return unasked || journal_stats(jobs->journal).broken;
    return jobs_behind(jobs);
}

/* ---- All jobs ---- */

void jobs_listen(struct jobs *jobs, struct job_listener *listener)
{
    lock_take(&jobs->lock);
    struct job_listener *former = jobs->listener;
    jobs->listener = listener;
    lock_release(&jobs->lock);
    job_listener_unref(former);
}

struct job_stats jobs_stats(struct jobs *jobs)
{
    lock_take(&jobs->lock);
    struct job_stats stats = jobs->stats;
    stats.most = jobs->most;
    stats.unread = jobs_behind(jobs);
    for (const struct job *job = jobs->list; job; job = job->next) {
        stats.active += !job_over(job);
        stats.kept += job_over(job);
    }
    lock_release(&jobs->lock);
    return stats;
}

struct jobs *jobs_new(struct flights *flights, struct journal *journal, size_t most, job_notify notify, void *who)
{
    struct jobs *jobs = calloc(1, sizeof *jobs);
    if (!jobs)
        return NULL;
    *jobs = (struct jobs){.flights = flights, .journal = journal, .most = most, .notify = notify, .who = who};
    process_draw_id(jobs->origin);
    lock_init(&jobs->lock, LOCK_JOBS);
    return jobs;
}

void jobs_free(struct jobs *jobs)
{
    if (!jobs)
        return;
    while (jobs->list) {
        struct job *job = jobs->list;
        jobs->list = job->next;
        job_free(job);
    }
    job_listener_unref(jobs->listener);
    lock_destroy(&jobs->lock);
    free(jobs);
}

#ifdef CHECKS
void jobs_check(struct jobs *jobs)
{
    if (!lock_take_to_check(&jobs->lock))
        return;
    job_table_check(jobs);
    assert(jobs->starter.busy || !jobs->starter.wanted); /* or nobody looks once more */
    assert(!jobs->listener || atomic_load(&jobs->listener->references) >= 1);
    lock_release(&jobs->lock);
}
#endif
