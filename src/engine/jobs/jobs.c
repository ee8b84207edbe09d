/* jobs.c - all jobs in memory, their records on the way to the store and back, and what clients do with them: each job
 * from its start, or its resumption, to its answer.
 *
 * One lock guards the table; flights, which have their own, are called without it. Changes are given to the journal
 * under it, so that they are stored in order. A record in the store is only replaced by one that it was joined with, so
 * that no server's change is lost. */
#include "engine/jobs/jobs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/timed.h"
#include "engine/ask/digest.h"
#include "engine/jobs/job_record.h"

struct job {
    struct jobs *home;
    struct job *next;         /* older */
    struct job *chain;        /* next in the same bucket */
    struct job_record record; /* the last one known from the store, joined with what changed here */
    uint64_t changed;         /* number of changes made here */
    uint64_t offered, stored; /* how many of them were given to the store; how many the store has */
    uint64_t ended, ended_at; /* the one that ended it, 0: it did not end here; clock_now() then */
    uint64_t expires;         /* clock_now(), so that a date that is set forgets no job and keeps none for ever */
    int64_t dated;            /* the record's `finished` that `expires` was made of */
    bool starting;            /* it has no waiter yet, but will have */
    bool to_resume;           /* it is to be started: it ran in another process, or was begun again too early */
    bool foreign;             /* only servers of a later release can read its question; no flight will start here */
    struct waiter *waiter;    /* while it has a flight */
    bool woken;
    bool unkept;      /* its last change was not given to the journal: out of memory */
    bool lost;        /* it was, but the journal or the store has no room for it */
    bool shown;       /* a client has seen that it is over: that cannot be withdrawn */
    uint64_t began;   /* clock_now(), in this process */
    struct cost cost; /* in this process, when it ended */
};

/* Some thousands of jobs at most are kept or under way: a chain has a few. */
enum { JOB_BUCKETS = 2048 };

struct jobs {
    struct flights *flights;
    struct journal *journal;
    size_t most;
    struct lock lock;
    struct job *list;                /* the youngest first */
    struct job *bucket[JOB_BUCKETS]; /* the same, by their ids; by a seeded hash: questions decide ids */
    struct job_stats stats;          /* but active, kept and most */
    job_notify notify;
    void *who;
    bool closed;                               /* the flights are; the next process resumes the jobs */
    const struct query_parser *_Atomic parser; /* NULL until jobs_resume() */
    atomic_bool read;                          /* jobs_resume() has read all of the store */
};

static inline bool job_over(const struct job *job)
{
    return job_state_over(job->record.state);
}

/* A cancelled job is over before its flight has ended. */
static inline bool job_active(const struct job *job)
{
    return !job_over(job) || job->starting || job->waiter;
}

/* ---- News ---- */

/* News, copied under the lock and sent without it. All zero: none. */
struct notice {
    struct job_news news;
    char *path; /* NULL: nothing to send, or out of memory */
};

static void notice_take(struct notice *notice, const struct job *job, const char *what)
{
    notice->news = (struct job_news){.what = what,
                                     .over = strcmp(what, job_state_name(job->record.state)) == 0,
                                     .nanoseconds = clock_now() - job->began,
                                     .cost = job->cost};
    memcpy(notice->news.id, job->record.id, sizeof notice->news.id);
    memcpy(notice->news.trace, job->record.trace, sizeof notice->news.trace);
    memcpy(notice->news.why, job->record.fault.text, sizeof notice->news.why);
    notice->news.path = notice->path = job->home->notify ? strdup(job->record.path) : NULL;
}

static void notice_send(struct notice *notice, const struct jobs *jobs)
{
    if (notice->path)
        jobs->notify(jobs->who, &notice->news);
    free(notice->path);
}

/* ---- One job ---- */

/* One that ended in the future counts as ended now: some clock was wrong. */
static void job_date(struct job *job)
{
    if (job->dated == job->record.finished)
        return; /* a clock that was set meanwhile must not change anything */
    const int64_t now = time(NULL);
    const int64_t finished = job->record.finished > now ? now : job->record.finished;
    job->dated = job->record.finished;
    job->expires =
        finished <= now - JOB_KEPT_S ? 0 : clock_now() + (uint64_t)(finished + JOB_KEPT_S - now) * CLOCK_SECOND;
}

/* Makes a job of a record, which it takes over. NULL: out of memory, and the record is closed. */
static struct job *job_new(struct jobs *jobs, struct job_record *record)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job) {
        job_record_close(record);
        return NULL;
    }
    job->home = jobs;
    job->record = *record;
    job->began = clock_now();
    job_date(job);
    return job;
}

static void job_free(struct job *job)
{
    job_record_close(&job->record);
    free(job);
}

/* Under the lock: the waiter of a job that is over, to be given to job_dismiss() without it; NULL: there is none. */
static struct waiter *job_unwanted(struct job *job)
{
    struct waiter *waiter = job_over(job) ? job->waiter : NULL;
    if (waiter)
        pending_ref(&waiter->pending);
    return waiter;
}

static void job_dismiss(struct waiter *waiter)
{
    if (!waiter)
        return;
    pending_cancel(&waiter->pending, NQ_CANCELLED);
    pending_unref(&waiter->pending);
}

/* ---- All ---- */

static struct job **bucket_of(struct jobs *jobs, const char *id)
{
    return &jobs->bucket[flights_hash(jobs->flights, id) % JOB_BUCKETS];
}

static void list(struct jobs *jobs, struct job *job, bool by_date)
{
    lock_assert(&jobs->lock);
    struct job **at = &jobs->list;
    while (by_date && *at && (*at)->record.created > job->record.created)
        at = &(*at)->next;
    job->next = *at;
    *at = job;
}

/* into the table; or as the youngest */
static void jobs_link(struct jobs *jobs, struct job *job, bool by_date)
{
    struct job **bucket = bucket_of(jobs, job->record.id);
    list(jobs, job, by_date);
    job->chain = *bucket;
    *bucket = job;
}

/* Under the lock: it is to start again, as the youngest. */
static void job_renew(struct job *job)
{
    lock_assert(&job->home->lock);
    assert(!job->waiter && !job->starting); /* its former flight has ended: a second one would count the same */
    struct job **at = &job->home->list;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    list(job->home, job, false);
    job->woken = job->shown = job->foreign = false;
    job->starting = true;
    job->began = clock_now();
    job->cost = (struct cost){0};
}

/* Under the lock. */
static struct job *jobs_find(struct jobs *jobs, const char *id)
{
    struct job *job = *bucket_of(jobs, id);
    while (job && strcmp(job->record.id, id) != 0)
        job = job->chain;
    return job;
}

/* not one whose result is another build's */
static struct job *jobs_find_key(const struct jobs *jobs, const char *key)
{
    struct job *job = jobs->list;
    while (job && (strcmp(job->record.key, key) != 0 || job_record_is_foreign(&job->record)))
        job = job->next;
    return job;
}

static size_t jobs_count_active(const struct jobs *jobs)
{
    size_t count = 0;
    for (const struct job *job = jobs->list; job; job = job->next)
        count += job_active(job);
    return count;
}

/* Forgets the job that stands there. */
static void forget(struct jobs *jobs, struct job **at)
{
    struct job *job = *at;
    assert(!job_active(job)); /* a thread may be starting it */
    *at = job->next;
    struct job **chain = bucket_of(jobs, job->record.id);
    while (*chain != job)
        chain = &(*chain)->chain;
    *chain = job->chain;
    journal_delete(jobs->journal, STORE_JOB, job->record.id);
    job_free(job);
}

/* Where the one stands that ended first, the last of several, and is not active; NULL: nowhere. */
static struct job **first_ended(struct jobs *jobs)
{
    struct job **first = NULL;
    for (struct job **at = &jobs->list; *at; at = &(*at)->next)
        if (!job_active(*at) && (!first || (*at)->expires <= (*first)->expires))
            first = at;
    return first;
}

/* Forgets jobs that ended too long ago, and those that ended first if there are too many. Passes over the list once,
 * and once more for each that is too many. */
static void jobs_weed(struct jobs *jobs)
{
    const uint64_t now = clock_now();
    size_t kept = 0;
    for (struct job **at = &jobs->list; *at;) {
        if (!job_active(*at) && now >= (*at)->expires) {
            forget(jobs, at);
            continue;
        }
        kept += job_over(*at);
        at = &(*at)->next;
    }
    for (struct job **first; kept > JOBS_KEPT && (first = first_ended(jobs)); kept--)
        forget(jobs, first);
}

#ifdef CHECKS
static void job_check(const struct job *job)
{
    const struct job_record *record = &job->record;
    assert(strlen(record->id) == JOB_ID_SIZE - 1 && record->key && record->path);
    assert(record->state <= JOB_CANCELLED);
    assert((record->state == JOB_DONE) == (record->result != NULL));
    assert(!record->result || atomic_load(&record->result->references) >= 1);
    assert(job->dated == record->finished); /* otherwise it is kept for ever, or too short a time */
    assert(job->stored <= job->offered && job->offered <= job->changed);
    assert(job->ended <= job->changed);
    assert(!job->to_resume || (job->starting && !job->waiter));
    assert(!job->waiter || (!job->starting && atomic_load(&job->waiter->pending.references) >= 1));
    assert(!job->foreign || (!job->starting && !job->waiter));
    assert(!job->shown || job_over(job));
    owners_check(&record->owners);
}

/* Under the lock: of one job, and that buckets and list have the same ones. */
static void check_table(struct jobs *jobs)
{
    size_t listed = 0, chained = 0;
    for (const struct job *job = jobs->list; job; job = job->next, listed++) {
        assert(job->home == jobs);
        assert(jobs_find(jobs, job->record.id) == job); /* in its bucket, and the only one of its id there */
        job_check(job);
    }
    for (size_t i = 0; i < JOB_BUCKETS; i++)
        for (const struct job *job = jobs->bucket[i]; job; job = job->chain, chained++)
            assert(chained < listed);
    assert(chained == listed);
}
#endif

/* ---- To the store and back ---- */

/* Gives the job's last change to the journal. False: out of memory. When nothing more may wait for the store the job
 * goes on, but no other process will resume it. */
static bool job_keep(struct job *job);

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

/* An owner comes or leaves, and that is stored. NQ_NOMEM: nothing is changed. Otherwise as job_record_enter() and
 * job_record_leave(). */
static enum nq_status job_enter(struct job *job, const char *owner)
{
    return change(job, owner, job_record_enter);
}

static enum nq_status job_leave(struct job *job, const char *owner)
{
    return change(job, owner, job_record_leave);
}

/* Ends it by what happened here, and stores that. */
static void job_end(struct job *job, enum job_state state)
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
    enum nq_status status = NQ_OK;
    lock_take(&jobs->lock);
    struct job *job = jobs_find(jobs, other->record.id);
    const bool added = !job && may_be_new && (job_over(other) || jobs_count_active(jobs) < RECEIVED_MOST);
    if (job) {
        status = merge(job, &other->record);
        unwanted = status == NQ_OK ? follow(job) : NULL;
    } else if (added) {
        other->starting = other->to_resume = !job_over(other);
        jobs_link(jobs, other, true);
    }
    lock_release(&jobs->lock);
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
    lock_take(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    if (job) {
        job->lost = status != NQ_OK;
        job->stored = job->lost ? job->stored : job->offered;
    }
    lock_release(&jobs->lock);
}

static bool job_keep(struct job *job)
{
    struct jobs *jobs = job->home;
    lock_assert(&jobs->lock); /* what is stored comes in the order of changes */
    const enum nq_status status = journal_amend(jobs->journal, STORE_JOB, job->record.id, amend, on_stored, jobs);
    job->unkept = status == NQ_NOMEM;
    job->lost |= status == NQ_LIMIT;
    return !job->unkept;
}

/* Whether the store has every change made here; and whether it is still expected to get them. */
static bool job_stored(const struct job *job)
{
    return job->stored >= job->changed && journal_lasts(job->home->journal);
}

/* Whether the store has all that is shown of a job whose end is open. */
static bool job_start_stored(const struct job *job)
{
    const uint64_t shown =
        job->ended - (job->record.state != JOB_CANCELLED); /* that the last one left is seen at once */
    return job->changed == job->ended && job->stored >= shown && journal_lasts(job->home->journal);
}

static bool job_awaits_store(const struct job *job)
{
    return job->stored < job->changed && !job->unkept && !job->lost;
}

/* Whether it is over and no client may know yet, as it would not be over after a kill of the process. A store that is
 * broken or too slow is not waited for. */
static bool job_end_is_open(const struct job *job)
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

/* Merges a record into the table, as a new job if there is none; not if it makes no sense or memory is out. */
static void receive_record(struct jobs *jobs, const char *id, const void *text, size_t size)
{
    (void)receive_text(jobs, id, text, size);
    weed(jobs);
}

/* Removes a record that makes no sense, unless the job is here: then the next change replaces it. */
static void drop_record(struct jobs *jobs, const char *id)
{
    lock_take(&jobs->lock);
    if (!jobs_find(jobs, id))
        journal_delete(jobs->journal, STORE_JOB, id);
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

/* Merges all records of the store. NQ_NOMEM: some are not merged. Otherwise what journal_each() returns. */
static enum nq_status read_records(struct jobs *jobs, struct deadline deadline)
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
        receive_record(context, id, value, size);
    return NQ_NONE;
}

/* Merges the record that a shared store has of a job, later and on the journal's thread. False: it is not shared, or
 * cannot be asked now. */
static bool ask_store(struct jobs *jobs, const char *id)
{
    return journal_is_shared(jobs->journal) &&
           journal_amend(jobs->journal, STORE_JOB, id, look_at, NULL, jobs) == NQ_OK;
}

/* Starts all jobs that are marked `to_resume`, if there is a parser. NQ_OK or NQ_NOMEM. Without the lock. */
static enum nq_status jobs_start_resumed(struct jobs *jobs);

/* Does so on a thread of the flights' pool. */
struct later {
    struct pool_task task;
    struct jobs *jobs;
};

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

static bool start_now(struct pool_task *task, const struct slice *slice)
{
    struct jobs *jobs = ((struct later *)task)->jobs;
    (void)slice;
    free(task);
    (void)jobs_start_resumed(jobs);
    return false;
}

/* A job that was begun again may have ended its former flight on the journal's thread, which must not start one. What
 * cannot be started now is when another record comes, or by the next process. */
static void start_later(struct jobs *jobs)
{
    struct later *later = calloc(1, sizeof *later);
    if (!later)
        return;
    *later = (struct later){.task = {.run = start_now}, .jobs = jobs};
    if (!flights_run(jobs->flights, &later->task))
        free(later);
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
    if (status == NQ_OK)
        notice_take(&notice, job, "resumed");
    else if (status != NQ_NOMEM && !job->foreign)
        notice_take(&notice, job, job_state_name(job->record.state));
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
    jobs_weed(jobs); /* a client may ask for nothing but jobs that are done */
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
    enum nq_status status = NQ_NONE;
    lock_take(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    if (job) {
        const bool open = !job_over(job);
        status = job_leave(job, owner);
        if (status == NQ_DENIED && !open)
            status = NQ_OK; /* who came when it was over does not own it, and there is nothing to end */
        if (open && job_over(job)) {
            jobs->stats.cancelled++;
            job->record.last = progress;
        }
        waiter = job_unwanted(job);
    }
    lock_release(&jobs->lock);
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
    const enum nq_status read = read_records(jobs, deadline);
    if (read == NQ_OK)
        atomic_store(&jobs->read, true);
    return read != NQ_NOMEM && jobs_start_resumed(jobs) != NQ_OK ? NQ_NOMEM : read;
}

void jobs_receive(struct jobs *jobs, const char *id, const void *text, size_t size)
{
    if (!atomic_load(&jobs->parser))
        return; /* jobs_resume() reads it from the store */
    receive_record(jobs, id, text, size);
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
    const bool asked = (anyway || !known) && ask_store(jobs, id);
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
    lock_destroy(&jobs->lock);
    free(jobs);
}

#ifdef CHECKS
void jobs_check(struct jobs *jobs)
{
    if (!lock_take_to_check(&jobs->lock))
        return;
    check_table(jobs);
    lock_release(&jobs->lock);
}
#endif
