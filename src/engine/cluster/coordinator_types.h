/* coordinator_types.h - what a coordinator is made with, what it calls of a count, and its statistics. */
#ifndef ENGINE_CLUSTER_COORDINATOR_TYPES_H
#define ENGINE_CLUSTER_COORDINATOR_TYPES_H

#include "engine/cluster/messages.h"
#include "engine/journal/journal.h"

struct coordinator;
struct shared_count;

struct coordinator_options {
    struct queue
        *queue; /* which must outlive the coordinator and is used by it alone; it listens to workers and reports */
    struct journal *journal;   /* where workers' results go, too */
    double audit;              /* the fraction of units that are counted twice, 0 to 1 */
    double seconds_per_weight; /* of a unit, as long as no worker has reported */
    unsigned threads;          /* of the server */
    unsigned lease_ms;         /* as of the queue */
    void (*notify)(void *who, const char *event, const char *text); /* for a log; NULL: nobody */
    void *who;
};

/* The callbacks of a count, without any lock of the coordinator's. Units, or pieces of them, have numbers that only the
 * count understands. Where take returns none and find knows none, workers have no part in the count, and no other
 * callback about units is used. */
struct shared_count_class {
    /* On the coordinator's thread, after shared_count_begin(); weight and place on tasks, too. */
    void (*progress)(void *who, struct progress *progress);
    bool (*take)(void *who, size_t *unit); /* the next one to be counted; false: none is left */
    void (*rewind)(void *who);             /* all that are not known are to be counted once more */
    double (*weight)(void *who, size_t unit);
    bool (*over)(void *who, size_t unit); /* it has been counted; any thread */
    const char *(*place)(void *who, size_t unit,
                         struct message_place *place); /* and its term's name, the count's own */
    /* False: there is no such one, or it cannot come to so much. */
    bool (*find)(void *who, const struct message_place *place, nq_wide parts, size_t *unit);
    void (*adopt)(void *who, size_t unit, nq_wide parts, uint64_t nodes); /* counted by a worker, stored */
    /* On one task at a time. */
    enum nq_status (*begin)(void *who,
                            const atomic_bool *stop); /* lays out what the store has not; shared_count_begin() */
    /* Takes over what another server has stored by now. NQ_OK: all there is; NQ_NONE: not yet; NQ_AGAIN: the slice is
     * over; or why it failed. */
    enum nq_status (*look)(void *who, const struct slice *slice, const atomic_bool *stop);
};

struct coordinator_stats {
    bool connected;
    unsigned workers, worker_threads;      /* of this release: others get no work */
    unsigned foreign;                      /* workers of another release, */
    char foreign_release[RELEASE_MAX + 1]; /* of one of them; "": it is not known */
    uint64_t lost;                         /* workers that fell silent */
    size_t led, followed;                  /* now */
    uint64_t ready, leased;                /* batches, now */
    uint64_t posted, reposted;             /* batches; units that had to be handed out again */
    uint64_t units;                        /* counted by workers */
    uint64_t audits, disagreements;        /* units counted twice */
};

#endif
