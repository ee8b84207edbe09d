/* working.h - carries out works of the engine without flights or a pool, on as many threads as they have lanes. */
#ifndef UNIT_WORKING_H
#define UNIT_WORKING_H

#include "asking.h"
#include "engine/work.h"

/* work_tally, and what is to be prepared. */
enum nq_status open_tally(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                          char why[static WORK_WHY_MAX], struct work **work);

/* Nothing is kept, and nothing takes too long. */
struct tools tools_of(const struct kernel *kernel, unsigned threads);

/* Every lane on a thread of its own, all at once, in slices with this deadline. What the first lane came to that did
 * not end well, or NQ_OK. */
enum nq_status work_through(struct work *work, uint64_t deadline, const atomic_bool *stop);

/* All of it, from a work that was opened to its answer; closes it. */
struct answer *work_off(struct work *work);

/* An answer as JSON; takes over the reference. The caller releases. */
json_t *answer_json(struct answer *answer);

#endif
