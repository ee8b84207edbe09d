/* job_sync.c - a record in the store is only replaced by one made of it, so that no server's change is lost; changes
 * made here that it does not contain are applied to it again. */
#include "engine/jobs/job_sync.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/timed.h"

/* Changes of a job that wait to be stored: beyond that the oldest ones are forgotten. */
enum { CHANGES_MOST = 10000 };

/* Jobs of all servers that are not over: more are not taken over. */
enum { RECEIVED_MOST = 10000 };

/* Records of the store that are read before the table is weeded. */
enum { READ_MOST = 100 };

/* For how long an end that is not stored is kept from clients. */
enum { END_OPEN_MS = 5000 };

/* ---- Changes made here ---- */

/* known: the number of the last change made here that the record contains. */
static enum nq_status apply(struct job_record *record, const struct change *change, uint64_t known)
{
    if (change->failed > known && !job_state_over(record->state))
        job_record_end(record, JOB_FAILED);
    return change->adds ? job_record_subscribe(record, change->name, change->own)
                        : job_record_unsubscribe(record, change->name);
}

/* before: the number of the last change that clients may see until the end is stored. */
static void note_end(struct job *job, uint64_t before)
{
    job->before_end = before;
    job->ended = job->changed;
    job->ended_at = clock_now();
}

static void remember(struct job *job, struct change *change)
{
    lock_assert(&job->home->lock);
    assert(!change->next); /* the list of changes would go on in another one */
    struct change **end = &job->changes;
    if (job->count == CHANGES_MOST)
        job_forget_changes(job, job->changes->number);
    while (*end)
        end = &(*end)->next;
    *end = change;
    job->count++;
    job->changed = change->number = ++job->home->changes;
    job_date(job);
}

static enum nq_status change_job(struct job *job, const char *name, bool adds, bool own)
{
    struct change *change = malloc(sizeof *change);
    if (!change)
        return NQ_NOMEM;
    const bool over = job_over(job);
    *change = (struct change){.adds = adds, .own = own, .failed = job->record.state == JOB_FAILED ? job->failed : 0};
    strncpy(change->name, name, sizeof change->name - 1);
    const enum nq_status status = job_keep(job) ? apply(&job->record, change, 0) : NQ_NOMEM;
    if (status != NQ_OK) {
        free(change);
        return status;
    }
    remember(job, change);
    if (!over && job_over(job))
        note_end(job, job->changed); /* with it the last subscription is gone, which is seen at once */
    return NQ_OK;
}

enum nq_status job_subscribe(struct job *job, const char *name, bool own)
{
    return change_job(job, name, true, own);
}

enum nq_status job_unsubscribe(struct job *job, const char *name)
{
    return change_job(job, name, false, false);
}

void job_end(struct job *job, enum job_state state)
{
    lock_assert(&job->home->lock);
    assert(job_state_over(state) && !job_over(job));
    assert((state == JOB_DONE) == (job->record.result != NULL));
    job_record_end(&job->record, state);
    job_record_claim(&job->record);
    job_date(job);
    const uint64_t before = job->changed;
    job->changed = ++job->home->changes;
    if (state == JOB_FAILED)
        job->failed = job->changed;
    note_end(job, before);
    (void)job_keep(job);
}

/* ---- Records of the store ---- */

/* A record that does not know how the job ended here gets that end. */
static void keep_end(struct job_record *own, struct job_record *other)
{
    struct answer *result = other->result;
    other->result = own->result;
    own->result = result;
    memcpy(other->release, own->release, sizeof other->release);
    other->state = own->state;
    other->finished = own->finished;
    other->last = own->last;
    other->fault = own->fault;
}

/* All but the strings, which a thread that starts the job may be reading. */
static void exchange(struct job_record *own, struct job_record *other)
{
    struct job_record former = *own;
    *own = *other;
    own->key = former.key;
    own->path = former.path;
    former.key = other->key;
    former.path = other->path;
    *other = former;
}

/* Under the lock: takes over another record, with the changes made here since. A result stays. NQ_NONE: it is not
 * newer, or of another question with the same id; NQ_NOMEM: nothing is changed. */
static enum nq_status merge(struct job *job, struct job_record *other)
{
    lock_assert(&job->home->lock);
    const uint64_t known = job_record_changes(other, job->home->origin);
    if (other->version <= job->record.version || strcmp(other->key, job->record.key) != 0)
        return NQ_NONE;
    for (const struct change *change = job->changes; change; change = change->next)
        if (change->number > known && apply(other, change, known) == NQ_NOMEM)
            return NQ_NOMEM;
    if (job->failed <= known || job->record.state != JOB_FAILED)
        job->failed = 0;
    if (job->record.state == JOB_DONE ? other->state != JOB_DONE
                                      : job->failed && (!job_state_over(other->state) || other->state == JOB_FAILED))
        keep_end(&job->record, other);
    if (job->record.state == JOB_CANCELLED && other->state == JOB_CANCELLED && !other->last.units)
        other->last = job->record.last; /* it was cancelled here */
    exchange(&job->record, other);
    job->shown &= job_over(job);
    job_forget_changes(job, known);
    job_date(job);
    return NQ_OK;
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

/* Under the lock: whether another build's result is not the end of a job, as this one counts, or has counted, too. */
static bool keeps_counting(const struct job *job, const struct job_record *other)
{
    return job_record_is_foreign(other) && !job->foreign && !job_record_is_foreign(&job->record);
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
    if (job && keeps_counting(job, &other->record)) {
        status = NQ_OK;
    } else if (job) {
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

/* The job's next record, unless the store's contains all changes made here (NQ_NONE). */
static enum nq_status propose(struct jobs *jobs, const char *id, uint64_t known, struct bytes *next)
{
    lock_take(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    const bool news = job && known < job->changed;
    if (job)
        job->offered = job->changed; /* or the store has it already */
    if (news) {
        struct job_record record = job->record;
        if (!job->foreign && !job_record_is_foreign(&record)) /* otherwise it stays what it is for every server here */
            job_record_claim(&record);
        job_record_sign(&record, jobs->origin, job->changed);
        job_record_write(&record, next);
    }
    lock_release(&jobs->lock);
    return news ? NQ_OK : NQ_NONE;
}

static enum nq_status amend(void *context, const char *id, const void *value, size_t size, struct bytes *next)
{
    struct jobs *jobs = context;
    struct job *other = NULL;
    enum nq_status status = value ? read_job(jobs, id, value, size, &other) : NQ_OK;
    const uint64_t known = other ? job_record_changes(&other->record, jobs->origin) : 0;
    if (other)
        status = receive(jobs, other, false); /* the job may have been forgotten */
    return status == NQ_NOMEM ? status : propose(jobs, id, known, next);
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
    return job->changed == job->ended && job->stored >= job->before_end && journal_lasts(job->home->journal);
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
