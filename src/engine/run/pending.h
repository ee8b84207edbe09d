/* pending.h - something that is waited for and can be cancelled: an answer of a flight, a stream's next bytes, the
 * state of a store, a chore, a job's next event. Whoever waits - a request, a job, a benchmark - and the watcher that
 * cancels know this shape only.
 *
 * The reader arms it, and is woken once: by pending_notify() of whoever has something for it. What comes only once, an
 * answer or a chore, is armed when it is made, and ended by pending_end(), whose first call gives it its status. Of the
 * two ways to lose a wake-up neither can happen: the reader looks once more after it has armed (pending_disarm), and
 * both sides take the flag by an atomic exchange, so that one of them alone wakes. */
#ifndef ENGINE_RUN_PENDING_H
#define ENGINE_RUN_PENDING_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/run/effort.h"

struct pending;

/* How the reader is woken: on any thread, the last thing done with `who`. */
typedef void pending_wake(void *who);

/* What a search took that somebody waits for. */
struct spent {
    bool searched;     /* a thread took a search up */
    uint64_t took_off; /* clock_now() when one did so first; 0: not known */
    uint64_t waited;   /* nanoseconds for that */
    uint64_t idled;    /* nanoseconds since then without a thread: others had their turn */
    struct cost cost;  /* of searches, also those that others wait for */
};

struct pending_class {
    /* Stops waiting, for a reason: wakes it if it is armed, and stops what only it wants. Any thread, any number of
     * times, while a reference is held. */
    void (*cancel)(struct pending *pending, enum nq_status why);
    void (*free)(struct pending *pending); /* with the last reference */
    /* What it took so far. NULL: it is no search. */
    void (*spent)(const struct pending *pending, struct spent *spent);
    /* Its reader has done with it, and drops its reference. While it is armed a wake may be on its way. NULL: nothing
     * else is to be done. */
    void (*close)(struct pending *pending);
};

struct pending {
    const struct pending_class *class;
    atomic_uint references;
    atomic_int status; /* NQ_AGAIN: it is not over */
    atomic_bool armed; /* wake(who) is to come */
    pending_wake *wake;
    void *who;
};

/* Something that comes once: armed, with one reference for who waits and one for who makes it. */
#define PENDING_ONCE(its_class, its_wake, its_who) \
    { \
        .class = (its_class), .references = 2, .status = NQ_AGAIN, .armed = true, .wake = (its_wake), .who = (its_who) \
    }

static inline enum nq_status pending_status(const struct pending *pending)
{
    return (enum nq_status)atomic_load(&pending->status);
}

static inline void pending_arm(struct pending *pending)
{
    atomic_store(&pending->armed, true);
}

/* True: whoever calls this has to wake the reader, or, being the reader, need not wait. False: the wake-up has come, or
 * is on its way. */
static inline bool pending_disarm(struct pending *pending)
{
    return atomic_exchange(&pending->armed, false);
}

/* There is something for the reader. Without any lock: it may go on at once, and end its reference. */
static inline void pending_notify(struct pending *pending)
{
    if (pending_disarm(pending))
        pending->wake(pending->who);
}

/* Gives it its status, if it has none. True: it has it from this call. */
static inline bool pending_end(struct pending *pending, enum nq_status status)
{
    int again = NQ_AGAIN;
    return atomic_compare_exchange_strong(&pending->status, &again, (int)status);
}

static inline void pending_cancel(struct pending *pending, enum nq_status why)
{
    pending->class->cancel(pending, why);
}

static inline void pending_ref(struct pending *pending)
{
    atomic_fetch_add_explicit(&pending->references, 1, memory_order_relaxed);
}

static inline void pending_unref(struct pending *pending)
{
    if (atomic_fetch_sub_explicit(&pending->references, 1, memory_order_acq_rel) == 1)
        pending->class->free(pending);
}

/* The reader has done with it. */
static inline void pending_close(struct pending *pending)
{
    if (pending->class->close)
        pending->class->close(pending);
    pending_unref(pending);
}

#endif
