/* jobs.h - counts that go on when nobody waits. A job waits for its flight as any other waiter does, and all who were
 * given its id share it. The journal has it from its beginning, so that it survives the process; servers that share a
 * store share its jobs. */
#ifndef ENGINE_JOBS_JOBS_H
#define ENGINE_JOBS_JOBS_H

#include "engine/jobs/job_state.h"
#include "engine/journal/journal.h"

struct jobs;

/* most: jobs that are not over. notify may be NULL. */
struct jobs *jobs_new(struct flights *flights, struct journal *journal, size_t most, job_notify notify, void *who);
void jobs_free(struct jobs *jobs); /* after flights_close and pool_stop */

/* Resumes the jobs of an earlier process: before the first question, and again, by one thread, whenever that may
 * succeed where it failed before. Keeps the parser, which any thread may call. NQ_NOMEM: some jobs were not resumed,
 * and a process that continues may overwrite them. Otherwise what journal_each() returns. */
enum nq_status jobs_resume(struct jobs *jobs, const struct query_parser *parser, struct deadline deadline);

/* Merges a record that another server has written: a job that runs there runs here, too, and one that is over there is
 * over here. Starts flights. Does nothing before jobs_resume(). */
void jobs_receive(struct jobs *jobs, const char *id, const void *text, size_t size);

/* Asks a store that is shared for its record of a job, and whether something of the job still waits to be stored: both
 * are over when journal_notify() notifies. False: there is nothing to wait for. anyway: asks the store though the job
 * runs or is done here. */
bool jobs_seek(struct jobs *jobs, const char *id, bool anyway);

/* Whether a job that is not here may be in the store all the same, which cannot be read: it is shared, and broken or
 * (unasked) did not answer when it was asked for the job; or jobs_resume() has not read it yet. */
bool jobs_unread(struct jobs *jobs, const char *id, bool unasked);

/* Begins a job for a question, or joins the one there is: the principal owns it from now on, unless it is done. NQ_OK,
 * NQ_BUSY (too many jobs), NQ_QUOTA (the principal has as many as allowed), NQ_DENIED (the principal is allowed none),
 * NQ_NOMEM, NQ_CLOSED. */
enum nq_status jobs_begin(struct jobs *jobs, struct shared_question *shared, char id[static JOB_ID_SIZE]);

/* Whether the job of a question, by its key, is done; then *id is set. */
bool jobs_done(struct jobs *jobs, const char *key, char id[static JOB_ID_SIZE]);

/* An owner leaves, see owners_leave(); the last one ends the job. NQ_OK, also if it has left before, or the job is
 * over; NQ_NONE: there is no such job; NQ_DENIED: all owners are others; NQ_NOMEM: it cannot be recorded, and nothing
 * is changed. */
enum nq_status jobs_cancel(struct jobs *jobs, const char *id, const char *owner);

/* A job as it is now. */
struct job_view {
    char id[JOB_ID_SIZE];
    enum job_state state;
    bool stored; /* all of this but progress outlives the process */
    unsigned owners;
    char *path; /* canonical, below the public prefix */
    struct progress progress;
    double eta_s;              /* seconds to go; negative: not known */
    int64_t created, finished; /* seconds since 1970; finished 0: not yet */
    struct fault fault;        /* JOB_FAILED */
    struct answer *result;     /* JOB_DONE, a reference */
};
/* NQ_OK, NQ_NONE, NQ_NOMEM. End it with job_view_free. A job whose end is not stored yet is shown as running, for five
 * seconds at most and not while the store is broken; anyway: it is shown as it is. */
enum nq_status jobs_look(struct jobs *jobs, const char *id, bool anyway, struct job_view *view);
void job_view_free(struct job_view *view);

struct job_stats jobs_stats(struct jobs *jobs);

#ifdef CHECKS
/* Asserts that no two jobs have the same id, and of each that its state, its changes and their numbers agree. */
void jobs_check(struct jobs *jobs);
#endif

#endif
