/* job_record.h - of a job what outlives the process, how it changes, and its text in the ledger. It knows neither
 * flights nor other jobs. */
#ifndef ENGINE_JOB_RECORD_H
#define ENGINE_JOB_RECORD_H

#include "engine/job.h"
#include "engine/shares.h"

/* A process that has changed a record, and up to which of its changes, by number, they are in it. */
struct job_writer {
    char process[JOB_ID_SIZE];
    uint64_t changes;
};

/* So many are remembered: more that write at the same time, with a broker that fails, may count a share twice. */
enum { JOB_WRITERS = 32 };

struct job_record {
    char id[JOB_ID_SIZE];
    char *key, *path;
    char trace[TRACE_ID_SIZE];
    enum job_state state; /* JOB_RUNNING: begun and not over, whether a thread has taken it up or not */
    struct shares shares;
    uint64_t version;                       /* more than that of any earlier one; 0: it is none of a store's */
    struct job_writer writers[JOB_WRITERS]; /* the last one first; behind the first of all there is none */
    int64_t created, finished;              /* dates, to be told */
    char why[WORK_WHY_MAX];
    struct answer *result; /* while JOB_DONE */
    struct progress last;  /* how far it had come when it ended */
};

/* That of a job which begins now, without an id and with no share in it. False: out of memory, and there is nothing to
 * be closed. */
bool job_record_open(struct job_record *record, const char *key, const char *path);
void job_record_close(struct job_record *record);

/* One share more, in a job that begins anew if it had failed or was cancelled; and one less, as shares_return() has it:
 * the last one cancels what is not over. Unless NQ_OK nothing is changed. */
enum nq_status job_record_take(struct job_record *record, const char *name, bool own);
enum nq_status job_record_give(struct job_record *record, const char *name);

/* It is over. */
void job_record_end(struct job_record *record, enum job_state state);

/* Up to which one the changes of a process are in it; 0: none is. */
uint64_t job_record_changes(const struct job_record *record, const char *process);

/* Makes it the next one, which a process writes with its changes up to that number. */
void job_record_sign(struct job_record *record, const char *process, uint64_t changes);

/* Appends it as JSON. */
void job_record_write(const struct job_record *record, struct bytes *text);

/* NQ_OK; NQ_INVALID: it makes no sense, or not to this release; NQ_NOMEM. Unless NQ_OK there is nothing to be closed.
 */
enum nq_status job_record_read(struct job_record *record, const char *id, const void *text, size_t size);

#endif
