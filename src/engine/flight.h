/* flight.h - single flight: equal questions share one search, and its answer goes to a cache. A flight ends when its
 * answer is there or when the last party waiting for it has left. */
#ifndef ENGINE_FLIGHT_H
#define ENGINE_FLIGHT_H

#include "engine/answer.h"
#include "engine/cache.h"
#include "engine/party.h"
#include "engine/pool.h"
#include "engine/question.h"
#include "engine/work.h"

struct flights; /* those under way, and the cache they fill */

/* Opens the work of a flight; runs on a pool thread. NQ_OK, or why there will be no answer, in a sentence if there is
 * more to say than the status does. */
typedef enum nq_status (*flight_opener)(void *context, const struct question *question, const atomic_bool *stop,
                                        char why[static WORK_WHY_MAX], struct work **work);

/* Every flight takes off in the first pool; one that is found to be lengthy goes on in the other one. lanes: how many
 * tasks a flight may have at most. */
struct flights *flights_new(struct pool *pool, struct pool *lengthy, size_t cache_bytes, unsigned lanes,
                            flight_opener open, void *context);
void flights_free(struct flights *flights); /* after flights_close, and pool_stop of the first pool and the other */

/* Dismisses everyone with NQ_CLOSED, stops every search and lets nobody in any more. */
void flights_close(struct flights *flights);

/* A waiting party. What it got may be read once it has been woken. */
struct ticket {
    struct party party;
    struct flights *home;
    struct flight *flight; /* NULL: no longer waiting. The flights' lock guards it and, until then, all below */
    struct ticket *next;
    enum nq_status status;
    char why[WORK_WHY_MAX];   /* when it is not NQ_OK: more about it, or "" */
    struct progress progress; /* how far the search had come */
    struct cost cost;         /* what it had cost so far, whoever else waits for it */
    struct answer *answer;    /* a reference, when status is NQ_OK */
    struct asker asker;       /* a work that they cannot afford is none for them: NQ_DENIED */
    uint64_t asked; /* clock_now() when it was asked; progress.took_off: when a thread took it up, 0: none did */
    party_wake wake;
    void *who;
    struct outlast *outlast; /* what to do when its time is up, NULL: tell it so. The ticket's to free */
};

/* Called before a ticket is dismissed with NQ_TIMEOUT, on the dismissing thread, without any lock, once: may put
 * another party on the flight, which then does not end. The ticket gets the status that this returns. */
struct outlast {
    enum nq_status (*stay)(struct outlast *outlast);
    void (*free)(struct outlast *outlast);
    bool at_once; /* the time is up as soon as the work is open */
    atomic_bool used;
};

/* The cached answer (a new reference) or NULL. */
struct answer *flights_peek(struct flights *flights, const char *key);

/* Waits for the answer. wake(who) comes exactly once, perhaps before this returns, unless NULL is returned (out of
 * memory). The ticket holds one reference for the caller: end it with party_unref. outlast, which the ticket takes over
 * unless NULL is returned, may be NULL. admitted: the pool's queue must take it, for it is bounded elsewhere. */
struct ticket *flights_ask(struct flights *flights, const struct question *question, struct outlast *outlast,
                           bool admitted, party_wake wake, void *who);

/* How far the search for a ticket's answer has come; false when it has not begun, or is over. */
bool flights_progress(struct flights *flights, const struct ticket *ticket, struct progress *progress);

struct flight_figures {
    uint64_t started, cancelled, refused, hits, misses;
    size_t running;
    struct cache_figures cache;
};
struct flight_figures flights_figures(struct flights *flights);

#endif
