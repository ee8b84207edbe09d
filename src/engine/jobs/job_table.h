/* job_table.h - all jobs in memory. One lock guards them; flights, which have their own, are called without it. Changes
 * are given to the journal under it, so that they are stored in order. */
#ifndef ENGINE_JOBS_JOB_TABLE_H
#define ENGINE_JOBS_JOB_TABLE_H

#include "base/clock.h"
#include "base/lock.h"
#include "engine/jobs/job_record.h"
#include "engine/journal/journal.h"

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
    bool to_resume;           /* job_run.c is to start it: it ran in another process, or was begun again too early */
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

/* Starts jobs that are marked `to_resume`, on a thread of the flights' pool. */
struct jobs_starter {
    struct pool_task task;
    struct jobs *jobs;
    bool busy, wanted; /* the lock of the jobs guards them: it is in the pool; it is to look once more */
};

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
    struct job_listener *listener; /* a reference; NULL: none */
    bool closed;                   /* the flights are; the next process resumes the jobs */
    struct jobs_starter starter;
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

/* Makes a job of a record, which it takes over. NULL: out of memory, and the record is closed. */
struct job *job_new(struct jobs *jobs, struct job_record *record);
void job_free(struct job *job);

/* News, copied under the lock and sent without it. All zero: none. */
struct notice {
    struct job_news news;
    struct job_listener *listener; /* a reference; NULL: none */
    char *path;                    /* NULL: nothing to send, or out of memory */
};
void notice_take(struct notice *notice, const struct job *job, const char *what); /* what NULL: for the listener only */
void notice_send(struct notice *notice, const struct jobs *jobs);

/* Under the lock. */
struct job *jobs_find(struct jobs *jobs, const char *id);
/* not one whose result is another build's */
struct job *jobs_find_key(const struct jobs *jobs, const char *key);
size_t jobs_count_active(const struct jobs *jobs);
void jobs_link(struct jobs *jobs, struct job *job, bool by_date); /* into the table; or as the youngest */

/* Forgets jobs that ended too long ago, and those that ended first if there are too many. Passes over the list once,
 * and once more for each that is too many. */
void jobs_weed(struct jobs *jobs);

/* Under the lock, after a change: until when it is kept. */
void job_date(struct job *job);

/* Under the lock: it is to start again, as the youngest. */
void job_renew(struct job *job);

/* Under the lock: the waiter of a job that is over, to be given to job_dismiss() without it; NULL: there is none. */
struct waiter *job_unwanted(struct job *job);
void job_dismiss(struct waiter *waiter);

#ifdef CHECKS
/* Under the lock: of one job, and that buckets and list have the same ones. */
void job_table_check(struct jobs *jobs);
void job_check(const struct job *job);
#endif

#endif
