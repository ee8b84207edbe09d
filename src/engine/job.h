/* job.h - counts that go on when nobody waits: a job is a party of its own on a flight, shared by all who were told of
 * it. It is kept in the ledger from its beginning, so that it survives the process. */
#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include "engine/flight.h"
#include "engine/ledger.h"

enum { JOB_ID_SIZE = 17, JOBS_KEPT = 1000, JOB_KEPT_S = 7 * 86400 };

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED };
const char *job_state_name(enum job_state state);

/* Nothing more will come of it, unless it is begun again. */
static inline bool job_state_over(enum job_state state)
{
    return state != JOB_QUEUED && state != JOB_RUNNING;
}

struct jobs;

/* What has become of a job, for whoever keeps a log. */
struct job_news {
    const char *id, *path;
    const char *what;  /* "begun", "resumed", or the name of the state in which it is over */
    const char *why;   /* it failed, else "" */
    const char *trace; /* that of who began it, "": none */
    bool over;         /* and this process has spent on it: */
    uint64_t nanoseconds;
    struct cost cost;
};
/* Any thread, without any lock. */
typedef void (*job_teller)(void *who, const struct job_news *news);

/* most: jobs that are not over. tell may be NULL. */
struct jobs *jobs_new(struct flights *flights, struct ledger *ledger, size_t most, job_teller tell, void *who);
void jobs_free(struct jobs *jobs); /* after flights_close and pool_stop */

/* Takes up the jobs of an earlier process. reopen reads the canonical path of one into a question, with strings of its
 * own, and is told when it is not needed any more; NQ_INVALID: it makes no sense now; or NQ_NOMEM. Before anything else
 * is asked; and once more whenever that may help, then at any time, by one thread. NQ_NOMEM: some could not be taken
 * up, and a process that goes on without them may write over them. What ledger_each() comes to otherwise: the store
 * could not be read. */
struct job_reopener {
    enum nq_status (*reopen)(void *context, const char *path, struct question *question);
    void (*release)(struct question *question); /* whatever reopen came to */
    void *context;
};
enum nq_status jobs_resume(struct jobs *jobs, const struct job_reopener *reopener, struct patience patience);

/* What another server has written of a job, on any thread that may ask the flights: one that runs there runs here, too,
 * and one that is over there is over. Before jobs_resume() nothing is heeded. */
void jobs_hear(struct jobs *jobs, const char *id, const void *text, size_t size);

/* Looks into a store that others share for what they have made of a job: it is known here when ledger_notify() has
 * told. False: there is no need, or no use. anyway: though it is known here to go on, or to be done. */
bool jobs_seek(struct jobs *jobs, const char *id, bool anyway);

/* Begins a job for a question, or joins the one there is, for a share in it that jobs_cancel gives back: one's own, or
 * the one that all have together who do not want any (they may come again and again). A job ends when the last share
 * is given back. The share is in the asker's name. NQ_OK, NQ_BUSY (too many), NQ_QUOTA (the asker has as many as they
 * may), NQ_DENIED (they may have none), NQ_NOMEM, NQ_CLOSED. */
enum nq_status jobs_begin(struct jobs *jobs, const struct question *question, bool own, char id[static JOB_ID_SIZE]);

/* Gives one share back that is in a name, or in no name; "" gives back any. NQ_OK; NQ_NONE: there is no such job;
 * NQ_DENIED: the shares in it are others'; NQ_NOMEM: it could not be recorded, and is not given back. */
enum nq_status jobs_cancel(struct jobs *jobs, const char *id, const char *name);

/* A job as it is now. */
struct job_view {
    char id[JOB_ID_SIZE];
    enum job_state state;
    unsigned shares;
    char *path; /* canonical, below the public prefix */
    struct progress progress;
    double eta_s;              /* seconds to go; negative: not known */
    int64_t created, finished; /* seconds since 1970; finished 0: not yet */
    char why[WORK_WHY_MAX];    /* JOB_FAILED */
    struct answer *result;     /* JOB_DONE, a reference */
};
/* NQ_OK, NQ_NONE, NQ_NOMEM. End it with job_view_free. */
enum nq_status jobs_look(struct jobs *jobs, const char *id, struct job_view *view);
void job_view_free(struct job_view *view);

struct job_figures {
    size_t active, kept; /* not over, and over but still to be seen */
    size_t most;         /* not over */
    uint64_t begun, resumed, done, failed, cancelled, refused;
};
struct job_figures jobs_figures(struct jobs *jobs);

#endif
