/* pool_task.h - a task of a pool, its slices, and the options and statistics of a pool. */
#ifndef ENGINE_RUN_POOL_TASK_H
#define ENGINE_RUN_POOL_TASK_H

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
    /* The pool's. */
    struct pool *_Atomic home; /* where it is; NULL: nowhere */
    struct pool_task *next;    /* while it rests, or hurries */
    enum { TASK_WAITS, TASK_RESTS, TASK_HURRIES, TASK_IN_HAND } state;
    struct pool_worker *holder; /* in hand: who had it last */
};

/* After whom the threads get a processor: after all that serve requests (nice 10), or after everything else there is
 * (SCHED_IDLE): then who wakes up need not wait for them at all. */
enum pool_rank { POOL_NICE, POOL_IDLE };

struct pool_options {
    const char *name; /* of its threads, with numbers, in seven letters at most; NULL: "pool" */
    unsigned threads; /* tasks that are carried out at a time */
    size_t capacity;  /* tasks from outside that may wait at once */
    enum pool_rank rank;
    bool extra;              /* one place more, see pool.h */
    struct efforts *efforts; /* where their costs go; NULL: nowhere */
    bool patient;            /* who does not look at its stop flag keeps its place: for tests that hold one */
};

struct pool_stats {
    unsigned threads, running; /* places, and tasks that are carried out now */
    size_t queued, resting;    /* waiting, be it fresh or set aside */
    size_t bounded, capacity;  /* of those queued that came from outside, and how many of them there may be */
    uint64_t slices;           /* carried out */
    uint64_t worked, waited;   /* nanoseconds: of processors, for them; and how long fresh tasks waited for a thread */
    uint64_t set_aside;        /* times that a task gave way in the midst of a slice, or lost its place */
    uint64_t overrun;          /* times that one had a tenth of a second of a processor without looking around */
};

#endif
