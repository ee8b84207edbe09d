/* pool.h - threads of low priority that carry out tasks slice by slice, as many at a time as there are places. It knows
 * nothing of what they do. A task is a function and a place in a list; whoever owns it keeps it alive until its last
 * slice has returned false.
 *
 * A task should end its slice in time. One that cannot, in the midst of a long computation, is set aside wherever it
 * looks at its stop flag (base/stop.h): its thread keeps it and waits, and another thread has the place. One that does
 * not even look loses its place when it has used some milliseconds more of a processor, and the system shares the
 * processors between both. So there are more threads than places: TURN_SHARERS + TURN_SHORTER more, started when they
 * are needed.
 *
 * There may be one place more, the extra one, for a client that begins while all others are taken (turns_newcomer()): a
 * question that one slice answers waits for the end of nobody's slice. What takes longer has no more than its first
 * slice there. So a client with small questions waits only for others that begin at the same time. The extra place has
 * a thread of its own, which does not step back: it waits for no processor that others of the pool have. */
#ifndef ENGINE_RUN_POOL_H
#define ENGINE_RUN_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/stop.h"
#include "engine/run/effort.h"
#include "engine/run/turns.h"

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
    struct turn_task turn; /* turn.client is the owner's to set: clients take turns, however many tasks each has */
    bool bounded;          /* came from outside, by pool_try_add */
    bool begun;            /* a thread has taken it up */
    uint64_t idled;        /* nanoseconds that it waited since then; whoever carries it out may take them away */
    /* The pool's. */
    struct pool *_Atomic home; /* where it is; NULL: it has not been added */
    struct pool_task *next;    /* while it rests, or hurries */
    enum { TASK_WAITS, TASK_RESTS, TASK_HURRIES, TASK_IN_HAND } state;
    struct pool_worker *holder; /* in hand: who had it last */
};

struct pool_options {
    unsigned threads; /* tasks that are carried out at a time */
    size_t capacity;  /* tasks from outside that may wait at once, but for one of each client with none that waits */
    bool extra;       /* one place more, see pool.h */
    struct efforts *efforts; /* where their costs go; NULL: nowhere */
};

struct pool_stats {
    unsigned threads, running; /* places, and tasks that are carried out now */
    size_t queued, resting;    /* waiting, be it fresh or set aside */
    size_t bounded, capacity;  /* of those queued that came from outside, and how many fill the queue */
    uint64_t slices;           /* carried out */
    uint64_t worked, waited;   /* nanoseconds: of processors, for them; and how long fresh tasks waited for a thread */
    uint64_t set_aside;        /* times that a task gave way in the midst of a slice, or lost its place */
    uint64_t overrun;          /* times that one had a tenth of a second of a processor without looking around */
};

/* Starts the threads. NULL when out of memory or threads. */
struct pool *pool_new(const struct pool_options *options);

/* Admits a task from outside: false when as many wait as may and its client has a task here, or the pool is stopping.
 */
bool pool_try_add(struct pool *pool, struct pool_task *task);

/* Adds a task of a party that was admitted before, over the bound if need be: such parties and their tasks are bounded
 * elsewhere. False when the pool is stopping. */
bool pool_add(struct pool *pool, struct pool_task *task);

/* Adds a task that ends what its party began: it needs no place, and comes before all others. False when the pool is
 * stopping. */
bool pool_add_hurried(struct pool *pool, struct pool_task *task);

/* Carries out the first slice of a task, of so many nanoseconds, on the calling thread, which is none of the pool's.
 * Whether there is more to do: then it may be added. */
bool pool_begin_here(struct pool *pool, struct pool_task *task, uint64_t nanoseconds);

/* The task has been told to stop: it leaves the queue at once, and some thread carries its last slice out before all
 * others. Any thread; the task must not end meanwhile. */
void pool_hurry(struct pool_task *task);

/* Waits until every task has returned false, then ends the threads. The tasks must have been told to stop.
 * Once, and not after pool_stop_until() has returned true. */
void pool_stop(struct pool *pool);

/* The same, until a moment in clock_now() at the latest. False: a task has not come back from its slice; then the pool
 * cannot be freed, nor anything that the task may touch. */
bool pool_stop_until(struct pool *pool, uint64_t until);
void pool_free(struct pool *pool);

struct pool_stats pool_stats(struct pool *pool);

#ifdef CHECKS
/* Asserts that every task is in one place, every thread has a task or is idle, and the places are those that are taken.
 */
void pool_check(struct pool *pool);
#endif

#endif
