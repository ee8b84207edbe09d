/* jobs.c - what clients do with jobs, and other servers' news of them; and each job from its start, or its resumption,
 * to its answer. */
#include "engine/jobs/jobs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/ask/digest.h"
#include "engine/jobs/job_sync.h"

/* Starts all jobs that are marked `to_resume`, if there is a parser. NQ_OK or NQ_NOMEM. Without the lock. */
static enum nq_status jobs_start_resumed(struct jobs *jobs);

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

/* Ends a job that could not be started: out of memory. */
static void job_fail(struct job *job)
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

/* Starts the flight of a job that was renewed. NQ_NOMEM: it has none. */
static enum nq_status job_start(struct job *job, struct shared_question *question)
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

static enum nq_status jobs_start_resumed(struct jobs *jobs)
{
    const struct query_parser *parser = atomic_load(&jobs->parser);
    enum nq_status status = NQ_OK;
    for (struct job *job; parser && status == NQ_OK && (job = next_to_resume(jobs));)
        status = resume(job, parser);
    return status;
}

/* ---- Beginning ---- */

/* Whether a principal may have one more job that is not over. */
static enum nq_status admit(const struct jobs *jobs, const struct principal *principal)
{
    unsigned count = 0;
    for (const struct job *job = jobs->list; job && principal->limited; job = job->next)
        count += !job_over(job) && owners_has(&job->record.owners, principal_owner(principal));
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

/* Under the lock: the job of a question, NULL if it is to be a new one; and whether the principal may own it. */
static enum nq_status find_admitted(struct jobs *jobs, const struct question *question, struct job **out, bool *begun)
{
    lock_assert(&jobs->lock);
    const struct principal *principal = &question->principal;
    struct job *job = *out = jobs_find_key(jobs, question->key);
    *begun = !job || job->record.state == JOB_FAILED || job->record.state == JOB_CANCELLED;
    if (job && *begun && job_active(job))
        return NQ_BUSY; /* its flight has not ended yet */
    enum nq_status status = *begun && jobs_count_active(jobs) >= jobs->most ? NQ_BUSY : NQ_OK;
    if (status == NQ_OK && (*begun || !(job_over(job) || owners_has(&job->record.owners, principal_owner(principal)))))
        status = admit(jobs, principal);
    jobs->stats.refused += status == NQ_BUSY || status == NQ_QUOTA;
    return status;
}

/* Under the lock: makes the principal an owner of a job that runs, begins again or is new. */
static enum nq_status enter(struct jobs *jobs, const struct question *question, bool begun, struct job **out)
{
    lock_assert(&jobs->lock);
    if (*out && !begun && job_over(*out))
        return NQ_OK;
    struct job *job = *out ? *out : job_of(jobs, question);
    const enum nq_status status = job ? job_enter(job, principal_owner(&question->principal)) : NQ_NOMEM;
    if (status == NQ_NOMEM && job != *out)
        job_free(job);
    if (status == NQ_NOMEM)
        return status;
    if (!*out)
        jobs_link(jobs, job, false);
    if (begun) {
        job_renew(job);
        memcpy(job->record.trace, question->trace, sizeof job->record.trace);
        jobs->stats.begun++;
    }
    *out = job;
    return NQ_OK;
}

enum nq_status jobs_begin(struct jobs *jobs, struct shared_question *shared, char id[static JOB_ID_SIZE])
{
    const struct question *question = &shared->question;
    struct job *job;
    bool begun;
    struct notice notice = {.path = NULL};
    lock_take(&jobs->lock);
    jobs_weed(jobs);
    enum nq_status status = find_admitted(jobs, question, &job, &begun);
    if (status == NQ_OK)
        status = enter(jobs, question, begun, &job);
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

enum nq_status jobs_cancel(struct jobs *jobs, const char *id, const char *owner)
{
    const struct progress progress = progress_of(jobs, id);
    struct waiter *waiter = NULL;
    struct notice notice = {.path = NULL};
    enum nq_status status = NQ_NONE;
    lock_take(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    if (job) {
        const bool open = !job_over(job);
        status = job_leave(job, owner);
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
                              .owners = owners_count(&record->owners),
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
