/* job_run.h - jobs and their flights. */
#ifndef ENGINE_JOBS_JOB_RUN_H
#define ENGINE_JOBS_JOB_RUN_H

#include "engine/jobs/job_table.h"

/* All without the lock. */

/* Starts the flight of a job that was renewed. NQ_NOMEM: it has none. */
enum nq_status job_start(struct job *job, struct shared_question *question);

/* Ends a job that could not be started: out of memory. */
void job_fail(struct job *job);

/* Starts all jobs that are marked `to_resume`, if there is a parser. NQ_OK or NQ_NOMEM. */
enum nq_status jobs_start_resumed(struct jobs *jobs);

#endif
