/* worker.h - a process that counts for servers: it hears what is under way, takes batches of units, stores what they
 * come to, and tells. It knows neither HTTP nor how a unit is counted. */
#ifndef ENGINE_WORKER_H
#define ENGINE_WORKER_H

#include "engine/job.h"
#include "engine/plans.h"
#include "kernels/kernel.h"
#include "stores/queue.h"

struct worker;

struct worker_options {
    struct queue *queue; /* used by it alone; it listens to works */
    struct store *store; /* the servers' */
    unsigned lease_ms;   /* as of the queue */
    const struct kernel *kernel;
    unsigned threads;
    size_t table_bytes;                  /* tables of counts, all together */
    const struct job_reopener *reopener; /* reads what is to be counted; its question is only looked at */
    void (*tell)(void *who, const char *event, const char *text); /* for a log; any thread */
    void *who;
};

/* Starts the threads. NULL: out of memory or threads. */
struct worker *worker_new(const struct worker_options *options);

/* Takes no more batches, and waits for those it has, until a moment in clock_now(); what is not counted then goes back.
 * False: a thread has not come back, and nothing can be freed. */
bool worker_stop(struct worker *worker, uint64_t until);
void worker_free(struct worker *worker);

struct worker_figures {
    bool connected;
    unsigned threads, busy;  /* busy: with a batch */
    uint64_t batches, units; /* done */
    uint64_t redelivered;    /* batches that another one had before */
    uint64_t returned;       /* that were given back */
    uint64_t refused;        /* results that somebody else had stored first */
    uint64_t nodes, worked;  /* placements, and nanoseconds of its threads by the clock */
    struct plans_figures plans;
};
struct worker_figures worker_figures(struct worker *worker);

#endif
