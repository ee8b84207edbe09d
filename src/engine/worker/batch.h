/* batch.h - a batch of units: each is counted, stored and reported. */
#ifndef ENGINE_WORKER_BATCH_H
#define ENGINE_WORKER_BATCH_H

#include "engine/worker/assignments.h"
#include "kernels/kernel.h"
#include "stores/queue.h"

struct batch_tools {
    struct queue *queue;
    struct store *store;
    const struct kernel *kernel;
    const char *id; /* of the worker */
    const atomic_bool *stop;
    atomic_ullong units, nodes, worked; /* done; placements; nanoseconds of threads by the clock */
    atomic_ullong refused;              /* results that another worker had stored first */
};

/* again: another worker may have counted some of the units. NQ_OK, or why it was not finished. Any thread. */
enum nq_status batch_count(struct batch_tools *tools, const struct assignment *assignment,
                           const struct batch_message *message, bool again);

/* After the last batch of a term: results that came after its sum would stay in the store for ever. Deletes them.
 * NQ_OK, or why it must be tried again. */
enum nq_status batch_clean_up(const struct batch_tools *tools, const struct assignment *assignment);

#endif
