/* flight_waiters.h - the flights under way and their waiters, for flight.c, which carries the searches out. One lock
 * guards the list of flights and the waiters on them; it is never held while anything is searched, woken or handed to a
 * pool. The thread that takes a waiter off its flight, under the lock, is the one that wakes it. */
#ifndef ENGINE_RUN_FLIGHT_WAITERS_H
#define ENGINE_RUN_FLIGHT_WAITERS_H

#include "base/lock.h"
#include "engine/ask/question.h"
#include "engine/run/pool.h"
#include "engine/run/waiter.h"

struct flight_task {
    struct pool_task pooled;
    struct flight *flight;
};

struct flight {
    struct flights *home;
    struct flight *next;
    struct waiter *waiters;
    bool listed;             /* can be joined */
    atomic_bool admitted;    /* a waiter is bounded elsewhere than in the queue of a pool */
    atomic_bool conditional; /* a waiter may leave as soon as the work is open: see flight_screen() */
    struct shared_question *shared;
    const struct question *question; /* in that */
    struct work *_Atomic work;       /* opened by task 0, before the others start */
    struct pool *pool;               /* where it goes on */
    bool spread;                     /* the other tasks have started, if there are any */
    struct fault fault;          /* no work could be opened: more about that. Task 0's, then of whoever completes it */
    atomic_ullong took_off;      /* clock_now(), 0 before */
    atomic_ullong nodes, worked; /* cost of all tasks so far */
    atomic_bool stop;
    atomic_int failure;     /* the first enum nq_status but NQ_OK of a task */
    atomic_uint flying;     /* tasks that have not ended, and threads that use the flight without the lock: see pin() */
    struct flight_task end; /* completes it, where the thread that leaves last should not: see unpin() */
    struct flight_task tasks[];
};

struct flights {
    struct lock lock;
    struct cache *cache;
    atomic_ullong answered; /* answers that went to the cache, plus 1: counted before their flights are unlisted */
    struct flight *list;
    struct flight_stats stats;
    bool closed;
    struct pool *pool, *lengthy;
    atomic_ullong brief_at; /* clock_now(), from which on work may begin on a thread that asks */
    unsigned tasks;
    enum nq_status (*open)(void *context, const struct question *question, const atomic_bool *stop, struct fault *fault,
                           struct work **work);
    void *context;
};

/* A waiter with two references: the caller's, and that of the flight or of the wake. NULL: out of memory. */
struct waiter *waiter_new(struct flights *flights, const struct principal *principal, const struct asking *asking);

/* Under the lock: answers a waiter from the cache, or puts it on the flight of an equal question. NQ_OK: it does not
 * wait, and the caller wakes it; NQ_AGAIN: it waits; NQ_NONE: there is no such flight. seen: see flights_ask(). */
enum nq_status flight_join(struct flights *flights, struct waiter *waiter, const struct question *question,
                           uint64_t seen);

/* Under the lock: lists a new flight, with its first waiter. */
void flight_list(struct flight *flight, struct waiter *waiter);

/* Whether a waiter may leave as soon as the work is open. */
bool waiter_conditional(const struct waiter *waiter);

/* The work is open: dismisses the waiter if its principal cannot afford the work, or if it waits for nothing more. */
void waiter_screen(struct waiter *waiter);

/* The same for all waiters on a flight. */
void flight_screen(struct flight *flight);

/* Wakes waiters that are on no flight any more, and gives up the flight's references to them. */
void waiters_wake(struct waiter *waiters);

/* A task has failed: the flight has no answer. */
void flight_fail(struct flight *flight, enum nq_status status);

/* A task has ended. The last one completes the flight: frees it, and wakes its waiters. */
void flight_leave(struct flight *flight);

/* A flight that is to stop comes to its end: its tasks leave their queues, or go on if they were set aside. The caller
 * keeps it from completing. */
void flight_hurry(struct flight *flight);

#endif
