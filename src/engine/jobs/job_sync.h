/* job_sync.h - a job's changes on their way to the store, and its records on their way back, which other servers may
 * have changed, too. Starts no flight: a job that is found to run is marked `to_resume`. */
#ifndef ENGINE_JOBS_JOB_SYNC_H
#define ENGINE_JOBS_JOB_SYNC_H

#include "engine/jobs/job_table.h"

/* ---- Under the lock ---- */

/* Gives the job's last change to the journal. False: out of memory. When nothing more may wait for the store the job
 * goes on, but no other process will resume it. */
bool job_keep(struct job *job);

/* Whether the store has every change made here; and whether it is still expected to get them. */
bool job_stored(const struct job *job);
bool job_awaits_store(const struct job *job);

/* Whether the store has all that is shown of a job whose end is open. */
bool job_start_stored(const struct job *job);

/* Whether it is over and no client may know yet, as it would not be over after a kill of the process. A store that is
 * broken or too slow is not waited for. */
bool job_end_is_open(const struct job *job);

/* An owner comes or leaves, and that is stored. NQ_NOMEM: nothing is changed. Otherwise as job_record_enter() and
 * job_record_leave(). */
enum nq_status job_enter(struct job *job, const char *owner);
enum nq_status job_leave(struct job *job, const char *owner);

/* Ends it by what happened here, and stores that. */
void job_end(struct job *job, enum job_state state);

/* ---- Without the lock ---- */

/* Merges a record into the table, as a new job if there is none; not if it makes no sense or memory is out. */
void job_sync_receive(struct jobs *jobs, const char *id, const void *text, size_t size);

/* Merges all records of the store. NQ_NOMEM: some are not merged. Otherwise what journal_each() returns. */
enum nq_status job_sync_read(struct jobs *jobs, struct deadline deadline);

/* Merges the record that a shared store has of a job, later and on the journal's thread. False: it is not shared, or
 * cannot be asked now. */
bool job_sync_ask(struct jobs *jobs, const char *id);

#endif
