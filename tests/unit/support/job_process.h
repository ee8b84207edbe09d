/* job_process.h - a process with jobs on made-up work; its journal outlives it. */
#ifndef TESTS_UNIT_SUPPORT_JOB_PROCESS_H
#define TESTS_UNIT_SUPPORT_JOB_PROCESS_H

#include "engine/jobs/jobs.h"
#include "support/made_up_flights.h"
#include "support/memory_journal.h"

struct process {
    struct flight_fixture fixture;
    struct memory_journal *kept;
    struct jobs *jobs;
    struct query_parser parser;
    pthread_mutex_t lock; /* guards the news, each as "begun /count?a trace;" */
    char news[20000];
};
void process_begin(struct process *process, struct memory_journal *kept, unsigned threads, size_t queue, size_t most);
/* Closes as the service does. */
void process_end(struct process *process);

/* Whether these are all the news. */
bool process_news_are(struct process *process, const char *news);

/* Begins or joins a job by its key, in a name or without one. */
enum nq_status process_enter_as(struct process *process, const char *key, struct principal principal,
                                char id[static JOB_ID_SIZE]);
enum nq_status process_enter(struct process *process, const char *key, char id[static JOB_ID_SIZE]);

/* A principal that may have so many jobs. */
struct principal principal_named(const char *name, unsigned jobs);

/* A job as it is here, whether that is stored or not; it must exist. */
struct job_view process_look(struct process *process, const char *id);
enum job_state process_state(struct process *process, const char *id);
bool process_sees_end(struct process *process, const char *id);
unsigned process_owners(struct process *process, const char *id);

/* Waits until it is over; text is the result, or why there is none. */
void process_expect(struct process *process, const char *id, enum job_state state, const char *text);

/* Resumes jobs of an earlier process, whose paths must begin with "/count?". reopened lives until the process ends. */
struct reopened {
    atomic_uint opened;
    bool rejects;           /* every question */
    struct jobs *cancel_in; /* cancels a job while it is being resumed */
    const char *cancel;
};
void process_resume(struct process *process, struct reopened *reopened);

/* The record of a job; the caller releases. */
json_t *stored_job(struct memory_journal *kept, const char *id);

/* Waits until the record has these. */
void expect_stored_job(struct memory_journal *kept, const char *id, const char *state, unsigned owners);

#endif
