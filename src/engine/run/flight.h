/* flight.h - single flight: equal questions share one search, and its answer goes to a cache. A flight ends when its
 * answer is complete or when its last waiter has left. */
#ifndef ENGINE_RUN_FLIGHT_H
#define ENGINE_RUN_FLIGHT_H

#include "engine/ask/answer.h"
#include "engine/ask/principal.h"
#include "engine/ask/question.h"
#include "engine/run/pending.h"
#include "engine/run/pool.h"
#include "engine/run/work.h"

struct flights;

/* Its results, and the status of `pending`, may be read once it has been woken. */
struct waiter {
    struct pending pending;
    struct flights *home;
    struct flight *flight; /* NULL: no longer waiting. The flights' lock guards it and, until then, all below */
    struct waiter *next;
    struct fault fault;         /* if the status is not NQ_OK: more about it */
    struct progress progress;   /* of the search, when the waiter left it */
    struct cost cost;           /* of the search until then, whoever else waits for it */
    uint64_t idled;             /* nanoseconds that the search had no thread, since it began */
    struct answer *answer;      /* a reference, if the status is NQ_OK */
    struct principal principal; /* gets NQ_DENIED if it cannot afford the work */
    uint64_t asked; /* clock_now() when it was asked; progress.took_off: when a thread took it up, 0: none did */
    struct on_timeout *on_timeout; /* owned; NULL: the waiter is cancelled with NQ_TIMEOUT */
};

static inline struct waiter *waiter_of(struct pending *pending)
{
    return (struct waiter *)pending;
}

/* Called once before a waiter is cancelled with NQ_TIMEOUT, on the cancelling thread, without any lock. It may put
 * another waiter on the flight, which then does not end. The waiter gets the status that it returns. */
struct on_timeout {
    enum nq_status (*stay)(struct on_timeout *on_timeout);
    void (*free)(struct on_timeout *on_timeout);
    bool at_once; /* the time is up as soon as the work is open */
    atomic_bool used;
};

/* How somebody asks. */
struct asking {
    uint64_t seen;                 /* flights_peek() has found no answer: the cache is searched again only if an answer
                                      has come since. 0: nobody has looked */
    bool brief;                    /* its work may begin on the thread that asks */
    bool admitted;                 /* the pool's queue must take it, for it is bounded elsewhere */
    struct on_timeout *on_timeout; /* the waiter takes it over, unless there is none; may be NULL */
    pending_wake *wake;
    void *who;
};

/* Cancels all waiters with NQ_CLOSED, stops every search and accepts no waiter from now on. */
void flights_close(struct flights *flights);

/* The cached answer (a new reference), and *seen = 0; or NULL, and in *seen what flights_ask() wants to know of it. */
struct answer *flights_peek(struct flights *flights, const char *key, uint64_t *seen);

/* The seeded hash of the cache, for tables whose keys strangers choose, too. */
uint64_t flights_hash(const struct flights *flights, const char *key);

/* Puts a complete answer into the cache. */
void flights_keep(struct flights *flights, const char *key, struct answer *answer);

/* Progress of the search for a waiter's answer; false if it has not begun, or is over. */
bool flights_progress(struct flights *flights, const struct waiter *waiter, struct progress *progress);

struct flight_stats {
    uint64_t started, cancelled, refused, misses;
    size_t running;
    double lengthy_seconds; /* of one core that lengthy works under way still take, about */
    struct cache_stats cache;
};
struct flight_stats flights_stats(struct flights *flights);

/* Opens the work of a flight; runs on a pool thread. NQ_OK, or why there will be no answer, with a fault if there is
 * more to say than the status does. */
typedef enum nq_status (*flight_opener)(void *context, const struct question *question, const atomic_bool *stop,
                                        struct fault *fault, struct work **work);

/* tasks: the most tasks of one flight. */
struct flights *flights_new(struct pool *pool, size_t cache_bytes, unsigned tasks, flight_opener open, void *context);
void flights_free(struct flights *flights); /* after flights_close and pool_stop */

/* Waits for the answer; a new flight keeps a reference to the question. asking->wake comes exactly once, perhaps before
 * this returns, unless NULL is returned (out of memory). The waiter holds one reference for the caller: end it with
 * pending_close(). */
struct waiter *flights_ask(struct flights *flights, struct shared_question *question, const struct asking *asking);

/* Lets a thread of the pool carry a task out. False: the pool is stopping. */
bool flights_run(struct flights *flights, struct pool_task *task);

#ifdef CHECKS
/* Asserts that every flight that can be joined has waiters, which are on no other one, that no two are of one question;
 * and the same of the cache. */
void flights_check(struct flights *flights);
#endif

#endif
