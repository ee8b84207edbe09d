/* job_table.h - the table of jobs as its own files see it: job.c (who asks), job_flight.c (what counts) and job_store.c
 * (what is kept, and what other processes make of it). One lock guards it; flights, which have their own, are called
 * without it. The ledger is told under it, so that changes come in order. */
#ifndef ENGINE_JOB_TABLE_H
#define ENGINE_JOB_TABLE_H

#include <pthread.h>

#include "base/clock.h"
#include "engine/job_record.h"

/* A share that was taken or given back here, or a failure, until it is seen in what the store has. */
struct change {
    struct change *next; /* younger */
    uint64_t number;
    enum { CHANGE_TAKE, CHANGE_GIVE, CHANGE_FAIL } what;
    bool own;
    char name[ASKER_NAME_MAX + 1];
};

struct job {
    struct jobs *home;
    struct job *next;         /* older */
    struct job_record record; /* what the store has, as far as is known, with the changes */
    struct change *changes;   /* the oldest first */
    size_t count;             /* of them */
    uint64_t changed, failed; /* numbers: of its last change, and of its failure if that is not known to be stored */
    uint64_t expires;      /* clock_now(), when it is over: a date that jumps forgets no job and keeps none for ever */
    int64_t dated;         /* the record's `finished` that this was told by */
    bool flying;           /* begun, and the ticket is not known yet */
    bool earlier;          /* that was in another process, or before it was given up, and it is to be resumed */
    struct ticket *ticket; /* while its flight lasts */
    bool woken;
    bool unkept;      /* how it is now is not in the ledger, for memory was out */
    uint64_t began;   /* clock_now(), by this process */
    struct cost cost; /* for this process, when it ended */
};

struct jobs {
    struct flights *flights;
    struct ledger *ledger;
    size_t most;
    pthread_mutex_t lock;
    struct job *list;           /* the youngest first */
    struct job_figures figures; /* but queued, running and kept */
    job_teller tell;
    void *who;
    char origin[JOB_ID_SIZE];                    /* this process, in records */
    uint64_t changes;                            /* so many were made */
    bool closed;                                 /* so are the flights: the next process goes on */
    const struct job_reopener *_Atomic reopener; /* NULL until jobs_resume() */
};

static inline bool job_over(const struct job *job)
{
    return job_state_over(job->record.state);
}

/* A job that is cancelled is over before its flight has landed. */
static inline bool job_landed(const struct job *job)
{
    return job_over(job) && !job->flying && !job->ticket;
}

/* ---- job.c ---- */

/* News: taken down under the lock, told without it. */
struct note {
    struct job_news news;
    char id[JOB_ID_SIZE], trace[TRACE_ID_SIZE], why[WORK_WHY_MAX];
    char *path; /* NULL: there is nothing to tell, or memory is out */
};
void job_take_down(const struct job *job, const char *what, struct note *note);
void jobs_tell(const struct jobs *jobs, struct note *note);

/* A job with a record, which it takes over. NULL: out of memory, and the record is closed. */
struct job *job_new(struct jobs *jobs, struct job_record *record);
void job_free(struct job *job);

/* Under the lock. */
struct job *jobs_find(const struct jobs *jobs, const char *id);
size_t jobs_count_active(const struct jobs *jobs); /* those that have not landed */
void jobs_link(struct jobs *jobs, struct job *job);
void jobs_weed(struct jobs *jobs); /* forgets what is over and too old, or one too many */

/* Under the lock, when a job has changed: until when it is kept. */
void job_date(struct job *job);

/* ---- job_flight.c ---- */

/* Puts a job, which is on the list as running, on its flight. NQ_NOMEM: it is not. */
enum nq_status job_fly(struct job *job, const struct question *question);

/* Memory is out for a job that was just begun. */
void job_fail(struct job *job);

/* Under the lock: it is to fly once more, as the youngest. */
void job_renew(struct job *job);

/* Under the lock: the flight that must end, for the job is over, to be told by job_land(); NULL: there is none. */
struct ticket *job_unwanted(struct job *job);
void job_land(struct ticket *ticket);

/* Puts all jobs that are to be resumed on their flights, if it is known how. NQ_OK or NQ_NOMEM. */
enum nq_status jobs_take_up(struct jobs *jobs);

/* ---- job_store.c, under the lock ---- */

/* What has become of a job is to be stored; false when memory is out for that. What finds no room among what waits is
 * not resumed one day; the job itself goes on. */
bool job_keep(struct job *job);

/* One share more, or one less, and it is to be stored; NQ_NOMEM: it is not. Otherwise as job_record_take() and
 * job_record_give(). */
enum nq_status job_take(struct job *job, const char *name, bool own);
enum nq_status job_give(struct job *job, const char *name);

/* It is over by what happened here, and that is to be stored. */
void job_end(struct job *job, enum job_state state);

/* Frees what is left of its changes. */
void job_forget_changes(struct job *job, uint64_t up_to);

#endif
