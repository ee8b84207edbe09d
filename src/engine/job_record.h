/* job_record.h - of a job what outlives the process, and its text in the ledger. It knows neither flights nor other
 * jobs. */
#ifndef ENGINE_JOB_RECORD_H
#define ENGINE_JOB_RECORD_H

#include "engine/job.h"
#include "engine/shares.h"

struct job_record {
    char id[JOB_ID_SIZE];
    char *key, *path;
    char trace[TRACE_ID_SIZE];
    char origin[JOB_ID_SIZE]; /* the process that wrote it; "": nobody knows */
    enum job_state state;     /* JOB_RUNNING: begun and not over, whether a thread has taken it up or not */
    struct shares shares;
    int64_t created, finished; /* dates, to be told */
    char why[WORK_WHY_MAX];
    struct answer *result; /* while JOB_DONE */
    struct progress last;  /* how far it had come when it ended */
};

/* That of a job which begins now, without an id and with no share in it. False: out of memory, and there is nothing to
 * be closed. */
bool job_record_open(struct job_record *record, const char *key, const char *path);
void job_record_close(struct job_record *record);

/* As JSON, for the caller to free. NULL: out of memory. */
char *job_record_write(const struct job_record *record);

/* NQ_OK; NQ_INVALID: it makes no sense, or not to this release; NQ_NOMEM. Unless NQ_OK there is nothing to be closed.
 */
enum nq_status job_record_read(struct job_record *record, const char *id, const void *text, size_t size);

#endif
