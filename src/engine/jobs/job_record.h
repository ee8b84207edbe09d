/* job_record.h - the part of a job that outlives the process, how it changes, and its text in the journal. Every server
 * may change it; two copies are joined in any order, and again, with the same result. So no change is lost and none
 * needs a number: what may have been written or not is written again. It knows neither flights nor other jobs. */
#ifndef ENGINE_JOBS_JOB_RECORD_H
#define ENGINE_JOBS_JOB_RECORD_H

#include "base/process.h"
#include "engine/jobs/job_state.h"
#include "engine/jobs/owners.h"

enum { JOB_RELEASE_SIZE = BUILD_ID_MAX + 1 };

struct job_record {
    char id[JOB_ID_SIZE];
    char release[JOB_RELEASE_SIZE]; /* the build that has written it, or counted its result; "": not known */
    char *key, *path;
    char trace[TRACE_ID_SIZE];
    enum job_state state;      /* JOB_RUNNING: not over, whether a thread counts it or not */
    struct owners owners;      /* a job without any, that is not done and has not failed, is cancelled */
    uint64_t begun;            /* the moment of its run: see moment_after(). Of two runs the later one holds */
    int64_t created, finished; /* seconds since 1970, for clients */
    struct fault fault;
    struct answer *result; /* while JOB_DONE */
    struct progress last;  /* progress when it ended */
};

/* Makes the record of a new job, without an id and without owners. False: out of memory, and there is nothing to close.
 */
bool job_record_open(struct job_record *record, const char *key, const char *path);
void job_record_close(struct job_record *record);

/* An owner comes: a failed or cancelled job begins again, for this one alone. Leaves, as by owners_leave(): a job that
 * is not over and that the last one leaves is cancelled. Unless NQ_OK nothing is changed. */
enum nq_status job_record_enter(struct job_record *record, const char *owner);
enum nq_status job_record_leave(struct job_record *record, const char *owner);

/* Takes over what another copy knows: owners; the later run; its end, of which a result is final, and a failure is for
 * its run. Then the other one has whatever this one had instead, for job_record_close(). NQ_OK; NQ_NOMEM: it is to
 * be tried again. owners_only: no end. */
enum nq_status job_record_join(struct job_record *record, struct job_record *other, bool owners_only);

/* From now on it is this build's. */
void job_record_claim(struct job_record *record);

/* Another build has counted its result, which was an answer then, but is none to whoever asks this build. */
bool job_record_is_foreign(const struct job_record *record);

void job_record_end(struct job_record *record, enum job_state state);

/* Appends it as JSON: equal records have the same text. */
void job_record_write(const struct job_record *record, struct bytes *text);

/* NQ_OK; NQ_INVALID: it, or the id, makes no sense, at least not to this release; NQ_NOMEM. Unless NQ_OK there is
 * nothing to close. */
enum nq_status job_record_read(struct job_record *record, const char *id, const void *text, size_t size);

#endif
