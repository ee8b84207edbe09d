/* chore.h - a piece of work that is no question: it has no key, no answer and no cache. A function and its state are
 * carried out once, on a thread of the pool; who asked is woken when that is done, or given up.
 *
 * While it runs the state belongs to the chore, whoever else has gone: who asked may only touch it once its status is
 * NQ_OK. It is freed with the last reference, of which one is the pool's. A chore that is cancelled wakes at once,
 * and its function returns at its next look at `stop`, if it has begun at all. */
#ifndef ENGINE_RUN_CHORE_H
#define ENGINE_RUN_CHORE_H

#include "engine/run/pending.h"
#include "engine/run/pool.h"

struct chores;

/* What is to be done. */
struct chore_order {
    void (*run)(void *state, const atomic_bool *stop); /* looks at *stop by stop_wanted() */
    void (*free)(void *state);                         /* on any thread */
    void *state;
    uint64_t client; /* whose turn it takes */
    pending_wake *wake;
    void *who;
};

/* Its status: NQ_OK: it was carried out. NQ_AGAIN: it is not over. NQ_BUSY: too many wait for a thread. Otherwise why
 * it was cancelled. */
struct chore {
    struct pending pending;
    struct chore_order order;
    struct pool_task task;
    struct chores *home;
    struct chore *next, **at; /* in the list of those that are not over; at: NULL when off it. Under its lock */
    atomic_bool stop;
};

static inline struct chore *chore_of(struct pending *pending)
{
    return (struct chore *)pending;
}

/* NULL: out of memory. */
struct chores *chores_new(struct pool *pool);

/* Cancels all chores with NQ_CLOSED, and every later one. The pool must be stopped before chores_free(). NULL:
 * nothing. */
void chores_close(struct chores *chores);
void chores_free(struct chores *chores);

/* Begins a chore: wake(who) comes exactly once, perhaps before this returns. End it with pending_close(). NULL: out
 * of memory; then the state has been freed, and nobody is woken. */
struct chore *chore_begin(struct chores *chores, const struct chore_order *order);

#ifdef CHECKS
void chores_check(struct chores *chores);
#endif

#endif
