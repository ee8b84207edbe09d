/* pool.h - a fixed number of threads, of low priority, that carry out tasks slice by slice. It knows nothing of what
 * they do. A task is a function and a place in a list; whoever owns it keeps it alive until its last slice has returned
 * false. */
#ifndef ENGINE_POOL_H
#define ENGINE_POOL_H

#include <nqueens.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/stop.h"
#include "engine/effort.h"

struct pool;

/* What a slice must heed. */
struct slice {
    uint64_t deadline;   /* in clock_now(): end soon after it */
    struct meter *meter; /* the thread's, to be told what is done; NULL: nobody wants to know */
    bool *rests;         /* see slice_rest(); NULL: nobody wants to know */
};

/* Looks at the clock and at *stop, once a grant of work has been done unseen. NQ_OK: it may go on; NQ_AGAIN:
 * the slice is over; NQ_CANCELLED. */
static inline enum nq_status slice_look(const struct slice *slice, const atomic_bool *stop, uint64_t grant,
                                        uint64_t *unseen)
{
    if (*unseen < grant)
        return NQ_OK;
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    if (clock_now() >= slice->deadline)
        return NQ_AGAIN;
    *unseen = 0;
    return NQ_OK;
}

/* There is nothing to do for now, though there may be some milliseconds later: until then the task rests, which takes
 * neither a thread nor a place in the queue. NQ_AGAIN, for the slice to end with. */
static inline enum nq_status slice_rest(const struct slice *slice)
{
    if (slice->rests)
        *slice->rests = true;
    return NQ_AGAIN;
}

struct pool_task {
    /* Works for one slice. True: put me at the end of my client's queue again, after a rest if the slice was told so.
     * After false the pool never touches the task. */
    bool (*run)(struct pool_task *task, const struct slice *slice);
    uint64_t client;        /* whom it is for, as a hash: clients take turns, however many tasks each has */
    struct pool_task *next; /* the pool's, as is the next one */
    bool bounded;           /* came by pool_try_add */
    uint64_t since;         /* clock_now() when it was put into the queue, or lay down */
};

/* After whom the threads get a processor: after all that serve requests (nice 10), or after everything else there is
 * (SCHED_IDLE): then who wakes up need not wait for them at all. */
enum pool_rank { POOL_NICE, POOL_IDLE };

/* Starts the threads; at most `capacity` tasks that came by pool_try_add wait at once. What they cost goes to efforts,
 * which may be NULL. NULL when out of memory or threads. */
struct pool *pool_new(unsigned threads, size_t capacity, enum pool_rank rank, struct efforts *efforts);

/* Admits a task from outside: false when the queue is full or the pool is stopping. */
bool pool_try_add(struct pool *pool, struct pool_task *task);

/* Adds a task of a party that was admitted before, over the bound if need be: such parties and their tasks are bounded
 * elsewhere. False when the pool is stopping. */
bool pool_add(struct pool *pool, struct pool_task *task);

/* Waits until every task has returned false, then ends the threads. The tasks must have been told to stop. */
void pool_stop(struct pool *pool);

/* The same, until a moment in clock_now() at the latest. False: a task has not come back from its slice; then the pool
 * cannot be freed, nor anything that the task may touch. */
bool pool_stop_until(struct pool *pool, uint64_t until);
void pool_free(struct pool *pool);

struct pool_figures {
    unsigned threads, running;
    size_t queued, resting;
    size_t bounded, capacity; /* of the queued those that came by pool_try_add, and how many of them there may be */
    uint64_t slices;          /* carried out */
    uint64_t worked, waited;  /* nanoseconds: of processors, for them; and how long their tasks waited for a thread */
    uint64_t overrun;         /* slices that took a tenth of a second, by the clock */
};
struct pool_figures pool_figures(struct pool *pool);

#endif
