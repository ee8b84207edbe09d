/* worker.h - a process that counts for servers: it takes batches of units, and stores and reports results. It knows
 * neither HTTP nor how a unit is counted. */
#ifndef ENGINE_WORKER_WORKER_H
#define ENGINE_WORKER_WORKER_H

#include "base/lock.h"
#include "engine/cluster/messages.h"
#include "engine/units/plans.h"
#include "kernels/kernel.h"
#include "stores/queue.h"

struct worker;

struct worker_options {
    struct queue *queue; /* of QUEUE_COUNTS, used by it alone */
    struct store *store; /* the servers' */
    unsigned lease_ms;   /* as of the queue */
    const struct kernel *kernel;
    unsigned threads;
    size_t table_bytes;                                             /* tables of counts, all together */
    double split_weight;                                            /* as of struct method_means; the servers' */
    void (*notify)(void *who, const char *event, const char *text); /* for a log; any thread */
    void *who;
};

/* Starts the threads. NULL: out of memory or threads. */
struct worker *worker_new(const struct worker_options *options);

/* Takes no more batches, and waits for those it has, until a moment in clock_now(); what is not counted then is
 * returned. False: a thread has not ended, and nothing can be freed. */
bool worker_stop(struct worker *worker, uint64_t until);
void worker_free(struct worker *worker);

struct worker_stats {
    bool connected;            /* and results can be stored, as of a moment ago */
    char why[STORE_ERROR_MAX]; /* they cannot: a sentence without a full stop; "": no reason is known */
    unsigned threads, busy;    /* busy: with a batch */
    uint64_t batches, units;   /* done; units with audits */
    uint64_t audits;
    uint64_t redelivered;   /* batches that another worker had before */
    uint64_t returned;      /* batches that were given back */
    uint64_t nodes, worked; /* placements, and nanoseconds of its threads by the clock */
    struct plans_stats plans;
};
struct worker_stats worker_stats(struct worker *worker);

#ifdef CHECKS
/* Asserts that the busy threads are those with a lease, and checks the assignments. */
void worker_check(struct worker *worker);
#endif

#endif
