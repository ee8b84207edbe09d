/* job_record.h - the part of a job that outlives the process, how it changes, and its text in the journal. It knows
 * neither flights nor other jobs. */
#ifndef ENGINE_JOBS_JOB_RECORD_H
#define ENGINE_JOBS_JOB_RECORD_H

#include "base/process.h"
#include "engine/jobs/job_state.h"
#include "engine/jobs/subscriptions.h"

/* A process that has changed a record; of its changes, which it numbers, the record contains those up to `changes`. */
struct job_writer {
    char process[JOB_ID_SIZE];
    uint64_t changes;
};

/* If more processes than this write at the same time and the broker fails, a subscription may be counted twice. */
enum { JOB_WRITERS = 32 };

enum { JOB_RELEASE_SIZE = BUILD_ID_MAX + 1 };

struct job_record {
    char id[JOB_ID_SIZE];
    char release[JOB_RELEASE_SIZE]; /* the build that has written it, or counted its result; "": not known */
    char *key, *path;
    char trace[TRACE_ID_SIZE];
    enum job_state state; /* JOB_RUNNING: not over, whether a thread counts it or not */
    struct subscriptions subscriptions;
    uint64_t version;                       /* greater than of every earlier record; 0: never written */
    struct job_writer writers[JOB_WRITERS]; /* the last one first; an empty name ends them */
    int64_t created, finished;              /* seconds since 1970, for clients */
    struct fault fault;
    struct answer *result; /* while JOB_DONE */
    struct progress last;  /* progress when it ended */
};

/* Makes the record of a new job, without an id and without subscriptions. False: out of memory, and there is nothing to
 * close. */
bool job_record_open(struct job_record *record, const char *key, const char *path);
void job_record_close(struct job_record *record);

/* Adds a subscription; a failed or cancelled job begins again. Removes one, as subscriptions_remove() does; removing
 * the last one cancels a job that is not over. Unless NQ_OK nothing is changed. */
enum nq_status job_record_subscribe(struct job_record *record, const char *name, bool own);
enum nq_status job_record_unsubscribe(struct job_record *record, const char *name);

/* From now on it is this build's. */
void job_record_claim(struct job_record *record);

/* Another build has counted its result, which was an answer then, but is none to whoever asks this build. */
bool job_record_is_foreign(const struct job_record *record);

void job_record_end(struct job_record *record, enum job_state state);

/* The number of the process's last change that the record contains; 0: none. */
uint64_t job_record_changes(const struct job_record *record, const char *process);

/* Makes it the next version, written by a process, with that process's changes up to the number. */
void job_record_sign(struct job_record *record, const char *process, uint64_t changes);

/* Appends it as JSON. */
void job_record_write(const struct job_record *record, struct bytes *text);

/* NQ_OK; NQ_INVALID: it, or the id, makes no sense, at least not to this release; NQ_NOMEM. Unless NQ_OK there is
 * nothing to close. */
enum nq_status job_record_read(struct job_record *record, const char *id, const void *text, size_t size);

#endif
