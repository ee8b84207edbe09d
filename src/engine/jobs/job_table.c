/* job_table.c - a list by age, and a hash table with chains by id. */
#include "engine/jobs/job_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- News ---- */

void notice_take(struct notice *notice, const struct job *job, const char *what)
{
    notice->news = (struct job_news){.what = what,
                                     .over = what && strcmp(what, job_state_name(job->record.state)) == 0,
                                     .nanoseconds = clock_now() - job->began,
                                     .cost = job->cost};
    memcpy(notice->news.id, job->record.id, sizeof notice->news.id);
    memcpy(notice->news.trace, job->record.trace, sizeof notice->news.trace);
    memcpy(notice->news.why, job->record.fault.text, sizeof notice->news.why);
    notice->news.path = notice->path = what && job->home->notify ? strdup(job->record.path) : NULL;
    notice->listener = job->home->listener;
    if (notice->listener)
        atomic_fetch_add(&notice->listener->references, 1);
}

void notice_send(struct notice *notice, const struct jobs *jobs)
{
    if (notice->path)
        jobs->notify(jobs->who, &notice->news);
    free(notice->path);
    if (notice->listener)
        notice->listener->changed(notice->listener, notice->news.id);
    job_listener_unref(notice->listener);
}

/* ---- One job ---- */

/* One that ended in the future counts as ended now: some clock was wrong. */
void job_date(struct job *job)
{
    if (job->dated == job->record.finished)
        return; /* a clock that was set meanwhile must not change anything */
    const int64_t now = time(NULL);
    const int64_t finished = job->record.finished > now ? now : job->record.finished;
    job->dated = job->record.finished;
    job->expires =
        finished <= now - JOB_KEPT_S ? 0 : clock_now() + (uint64_t)(finished + JOB_KEPT_S - now) * CLOCK_SECOND;
}

struct job *job_new(struct jobs *jobs, struct job_record *record)
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

void job_free(struct job *job)
{
    job_record_close(&job->record);
    free(job);
}

struct waiter *job_unwanted(struct job *job)
{
    struct waiter *waiter = job_over(job) ? job->waiter : NULL;
    if (waiter)
        pending_ref(&waiter->pending);
    return waiter;
}

void job_dismiss(struct waiter *waiter)
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

void jobs_link(struct jobs *jobs, struct job *job, bool by_date)
{
    struct job **bucket = bucket_of(jobs, job->record.id);
    list(jobs, job, by_date);
    job->chain = *bucket;
    *bucket = job;
}

void job_renew(struct job *job)
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

struct job *jobs_find(struct jobs *jobs, const char *id)
{
    struct job *job = *bucket_of(jobs, id);
    while (job && strcmp(job->record.id, id) != 0)
        job = job->chain;
    return job;
}

struct job *jobs_find_key(const struct jobs *jobs, const char *key)
{
    struct job *job = jobs->list;
    while (job && (strcmp(job->record.key, key) != 0 || job_record_is_foreign(&job->record)))
        job = job->next;
    return job;
}

size_t jobs_count_active(const struct jobs *jobs)
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
    journal_drop(jobs->journal, STORE_JOB, job->record.id);
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

void jobs_weed(struct jobs *jobs)
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
void job_check(const struct job *job)
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

void job_table_check(struct jobs *jobs)
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
