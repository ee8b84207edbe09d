/* job_sync.c - a record in the store is only replaced by one that it was joined with, so that no server's change is
 * lost. */
#include "engine/jobs/job_sync.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/timed.h"

/* Jobs of all servers that are not over: more are not taken over. */
enum { RECEIVED_MOST = 10000 };

/* Records of the store that are read before the table is weeded. */
enum { READ_MOST = 100 };

/* For how long an end that is not stored is kept from clients. */
enum { END_OPEN_MS = 5000 };

/* ---- Changes made here ---- */

/* Under the lock: after a change. */
static void note(struct job *job, bool was_over)
{
    job->changed++;
    if (!was_over && job_over(job)) {
        job->ended = job->changed;
        job->ended_at = clock_now();
    }
    job_date(job);
}

static enum nq_status change(struct job *job, const char *owner,
                             enum nq_status (*apply)(struct job_record *record, const char *owner))
{
    lock_assert(&job->home->lock);
    const bool over = job_over(job);
    const enum nq_status status = job_keep(job) ? apply(&job->record, owner) : NQ_NOMEM;
    if (status == NQ_OK)
        note(job, over);
    return status;
}

enum nq_status job_enter(struct job *job, const char *owner)
{
    return change(job, owner, job_record_enter);
}

enum nq_status job_leave(struct job *job, const char *owner)
{
    return change(job, owner, job_record_leave);
}

void job_end(struct job *job, enum job_state state)
{
    lock_assert(&job->home->lock);
    assert(job_state_over(state) && !job_over(job));
    assert((state == JOB_DONE) == (job->record.result != NULL));
    job_record_end(&job->record, state);
    job_record_claim(&job->record);
    note(job, false);
    (void)job_keep(job);
}

/* ---- Records of the store ---- */

/* Under the lock: whether another build's result is not the end of a job, as this one counts, or has counted, too. */
static bool keeps_counting(const struct job *job, const struct job_record *other)
{
    return job_record_is_foreign(other) && !job->foreign && !job_record_is_foreign(&job->record);
}

/* Under the lock: joins it with another record. NQ_NONE: that is of another question with the same id; NQ_NOMEM:
 * nothing is changed. */
static enum nq_status merge(struct job *job, struct job_record *other)
{
    lock_assert(&job->home->lock);
    if (strcmp(other->key, job->record.key) != 0)
        return NQ_NONE;
    const enum nq_status status = job_record_join(&job->record, other, keeps_counting(job, other));
    job->shown &= job_over(job);
    job_date(job);
    return status;
}

/* Under the lock, after a merge: the waiter to dismiss if the job is over now. */
static struct waiter *follow(struct job *job)
{
    if (!job_over(job) && !job->starting && !job->waiter && !job->foreign && !job->home->closed) {
        job_renew(job);
        job->to_resume = true;
    }
    return job_unwanted(job);
}

/* A job of its own; NQ_INVALID when the record makes no sense, or NQ_NOMEM. */
static enum nq_status read_job(struct jobs *jobs, const char *id, const void *text, size_t size, struct job **out)
{
    struct job_record record;
    const enum nq_status status = job_record_read(&record, id, text, size);
    if (status != NQ_OK)
        return status;
    *out = job_new(jobs, &record);
    return *out ? NQ_OK : NQ_NOMEM;
}

/* Takes the other job over: merges it into the one there is, or adds it to the table if it may be new. NQ_NOMEM: did
 * not. */
static enum nq_status receive(struct jobs *jobs, struct job *other, bool may_be_new)
{
    struct waiter *unwanted = NULL;
    struct notice notice = {.path = NULL};
    enum nq_status status = NQ_OK;
    lock_take(&jobs->lock);
    struct job *job = jobs_find(jobs, other->record.id);
    const bool added = !job && may_be_new && (job_over(other) || jobs_count_active(jobs) < RECEIVED_MOST);
    if (job) {
        status = merge(job, &other->record);
        unwanted = status == NQ_OK ? follow(job) : NULL;
        notice_take(&notice, job, NULL);
    } else if (added) {
        other->starting = other->to_resume = !job_over(other);
        jobs_link(jobs, other, true);
    }
    lock_release(&jobs->lock);
    notice_send(&notice, jobs);
    if (!added)
        job_free(other);
    job_dismiss(unwanted);
    return status == NQ_NONE ? NQ_OK : status;
}

/* ---- To the store: on the journal's thread ---- */

/* The job's next record, unless it is the store's, which was joined with it, or nothing has changed here (NQ_NONE). */
static enum nq_status propose(struct jobs *jobs, const char *id, const void *value, size_t size, struct bytes *next)
{
    lock_take(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    const bool news = job && job->stored < job->changed;
    if (job)
        job->offered = job->changed;
    if (news) {
        if (!job->foreign && !job_record_is_foreign(&job->record)) /* otherwise it stays what it is for every server */
            job_record_claim(&job->record);
        job_record_write(&job->record, next);
    }
    lock_release(&jobs->lock);
    return news && !(value && next->size == size && memcmp(next->data, value, size) == 0) ? NQ_OK : NQ_NONE;
}

static enum nq_status amend(void *context, const char *id, const void *value, size_t size, struct bytes *next)
{
    struct jobs *jobs = context;
    struct job *other = NULL;
    enum nq_status status = value ? read_job(jobs, id, value, size, &other) : NQ_OK;
    if (other)
        status = receive(jobs, other, false); /* the job may have been forgotten */
    return status == NQ_NOMEM ? status : propose(jobs, id, value, size, next);
}

static void on_stored(void *context, const char *id, enum nq_status status)
{
    struct jobs *jobs = context;
    struct notice notice = {.path = NULL};
    lock_take(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    if (job) {
        job->lost = status != NQ_OK;
        job->stored = job->lost ? job->stored : job->offered;
        notice_take(&notice, job, NULL);
    }
    lock_release(&jobs->lock);
    notice_send(&notice, jobs);
}

bool job_keep(struct job *job)
{
    struct jobs *jobs = job->home;
    lock_assert(&jobs->lock); /* what is stored comes in the order of changes */
    const enum nq_status status = journal_amend(jobs->journal, STORE_JOB, job->record.id, amend, on_stored, jobs);
    job->unkept = status == NQ_NOMEM;
    job->lost |= status == NQ_LIMIT;
    return !job->unkept;
}

bool job_stored(const struct job *job)
{
    return job->stored >= job->changed && journal_lasts(job->home->journal);
}

bool job_start_stored(const struct job *job)
{
    const uint64_t shown =
        job->ended - (job->record.state != JOB_CANCELLED); /* that the last one left is seen at once */
    return job->changed == job->ended && job->stored >= shown && journal_lasts(job->home->journal);
}

bool job_awaits_store(const struct job *job)
{
    return job->stored < job->changed && !job->unkept && !job->lost;
}

bool job_end_is_open(const struct job *job)
{
    return job_over(job) && !job->shown && job->stored < job->ended && job_awaits_store(job) &&
           !timed_long_ago(job->ended_at, END_OPEN_MS) && !journal_stats(job->home->journal).broken;
}

/* ---- From the store ---- */

static void weed(struct jobs *jobs)
{
    lock_take(&jobs->lock);
    jobs_weed(jobs);
    lock_release(&jobs->lock);
}

static enum nq_status receive_text(struct jobs *jobs, const char *id, const void *text, size_t size)
{
    struct job *job;
    const enum nq_status status = read_job(jobs, id, text, size, &job);
    return status == NQ_OK ? receive(jobs, job, true) : status;
}

void job_sync_receive(struct jobs *jobs, const char *id, const void *text, size_t size)
{
    (void)receive_text(jobs, id, text, size);
    weed(jobs);
}

/* Removes a record that makes no sense, unless the job is here: then the next change replaces it. */
static void drop_record(struct jobs *jobs, const char *id)
{
    lock_take(&jobs->lock);
    if (!jobs_find(jobs, id))
        journal_drop(jobs->journal, STORE_JOB, id);
    lock_release(&jobs->lock);
}

struct reading {
    struct jobs *jobs;
    size_t records;
    enum nq_status status; /* NQ_NOMEM: a record was not merged that may make sense */
};

static void read_one(void *context, const char *id, const void *text, size_t size)
{
    struct reading *reading = context;
    const enum nq_status status = receive_text(reading->jobs, id, text, size);
    if (status == NQ_INVALID && job_id_is_sound(id))
        drop_record(reading->jobs, id);
    if (status == NQ_NOMEM)
        reading->status = status;
    if (++reading->records % READ_MOST == 0)
        weed(reading->jobs);
}

enum nq_status job_sync_read(struct jobs *jobs, struct deadline deadline)
{
    struct reading reading = {.jobs = jobs};
    const enum nq_status read = journal_each(jobs->journal, STORE_JOB, "", deadline, read_one, &reading);
    if (read == NQ_NOMEM || reading.status != NQ_OK)
        return NQ_NOMEM;
    weed(jobs);
    return read;
}

/* On the journal's thread: merges the store's record, which stays. */
static enum nq_status look_at(void *context, const char *id, const void *value, size_t size, struct bytes *next)
{
    (void)next;
    if (value)
        job_sync_receive(context, id, value, size);
    return NQ_NONE;
}

bool job_sync_ask(struct jobs *jobs, const char *id)
{
    return journal_is_shared(jobs->journal) &&
           journal_amend(jobs->journal, STORE_JOB, id, look_at, NULL, jobs) == NQ_OK;
}
