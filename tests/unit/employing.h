/* employing.h - a process that has jobs, for their tests: made-up work, a ledger that outlives it, and what it tells.
 */
#ifndef UNIT_EMPLOYING_H
#define UNIT_EMPLOYING_H

#include "archiving.h"
#include "engine/job.h"
#include "flying.h"

struct process {
    struct field field;
    struct archive *archive;
    struct jobs *jobs;
    struct job_reopener reopener;
    pthread_mutex_t lock; /* guards the news that were told, "begun /count?a trace;" */
    char heard[20000];
};
void process_begin(struct process *process, struct archive *archive, unsigned threads, size_t queue, size_t most);
/* Closes as the service does. */
void process_end(struct process *process);

/* Whether that is all the news. */
bool process_has_told(struct process *process, const char *news);

/* Asks for a job by its key, as somebody or nobody in particular; own: for a share of their own. */
enum nq_status process_join_as(struct process *process, const char *key, struct asker asker, bool own,
                               char id[static JOB_ID_SIZE]);
enum nq_status process_join(struct process *process, const char *key, bool own, char id[static JOB_ID_SIZE]);
enum nq_status process_take(struct process *process, const char *key, char id[static JOB_ID_SIZE]);

/* Somebody who may have so many jobs. */
struct asker asker_named(const char *name, unsigned jobs);

/* How a job is, of which it must know. */
struct job_view process_look(struct process *process, const char *id);
enum job_state process_state(struct process *process, const char *id);
bool process_sees_end(struct process *process, const char *id);
unsigned process_shares(struct process *process, const char *id);

/* Waits until it is over, as was expected: text is the result, or why there is none. */
void process_expect(struct process *process, const char *id, enum job_state state, const char *text);

/* How it takes up jobs of an earlier process, which are those with a path that begins with "/count?": until it ends. */
struct reopened {
    atomic_uint opened;
    struct jobs *cancel_in; /* gives a job up while it is being taken up */
    const char *cancel;
};
void process_resume(struct process *process, struct reopened *reopened);

/* The record of a job; the caller releases. */
json_t *archive_job(struct archive *archive, const char *id);

/* Waits until it says so: the record may come a moment after what it tells. */
void archive_expect(struct archive *archive, const char *id, const char *state, unsigned shares);

#endif
