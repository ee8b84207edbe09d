/* run_work.h - carries out works of the engine without flights or a pool, on as many threads as they have tasks. */
#ifndef TESTS_UNIT_SUPPORT_RUN_WORK_H
#define TESTS_UNIT_SUPPORT_RUN_WORK_H

#include "engine/run/work.h"
#include "support/questions.h"

OWNER(answer_unref, struct answer *)

/* work_count, and what is to be prepared. */
enum nq_status open_count_work(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                               struct fault *fault, struct work **work);

/* The same where it must succeed, and give no reason why not. */
struct work *open_count(const struct question *question, const struct tools *tools, const atomic_bool *stop);

struct progress work_progress(struct work *work);

/* Nothing is kept, and nothing takes too long. */
struct tools tools_of(const struct kernel *kernel, unsigned threads);

/* Every task on a thread of its own, all at once, in slices with this deadline. What the first task came to that did
 * not end well, or NQ_OK. */
enum nq_status work_through(struct work *work, uint64_t deadline, const atomic_bool *stop);

/* The answer of a work whose tasks are done; closes it. */
struct answer *work_finish(struct work *work);

/* Closes a work without an answer. */
static inline void work_close(struct work *work)
{
    work->class->close(work);
}
OWNER(work_close, struct work *)

/* All of it, from a work that was opened to its answer; closes it. */
struct answer *work_off(struct work *work);

/* An answer as JSON; takes over the reference. The caller releases. */
json_t *answer_json(struct answer *answer);

#endif
