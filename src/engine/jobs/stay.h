/* stay.h - what becomes of a count when the wait of its client is over: a job, and only one, whoever comes first. */
#ifndef ENGINE_JOBS_STAY_H
#define ENGINE_JOBS_STAY_H

#include "engine/jobs/jobs.h"
#include "engine/run/flight.h"

/* For a waiter to take over. at_once: its time is up as soon as the work is open. NULL: out of
 * memory. */
struct on_timeout *stay_new(struct jobs *jobs, struct shared_question *question, bool at_once);

/* Begins the job, if it is not begun: NQ_AGAIN, or why there is none. */
enum nq_status stay_begin(struct on_timeout *on_timeout);

/* The id of a job that is begun. */
const char *stay_job(const struct on_timeout *on_timeout);

#endif
