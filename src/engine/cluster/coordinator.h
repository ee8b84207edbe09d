/* coordinator.h - the counts of one server that workers or other servers may carry out. One thread of its own does
 * everything with the broker, except that a count asks for its key first. It does not know how a unit is counted. */
#ifndef ENGINE_CLUSTER_COORDINATOR_H
#define ENGINE_CLUSTER_COORDINATOR_H

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
    /* On the coordinator's thread, after shared_count_begin(); progress, weight and place on tasks, too. */
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
    /* On one task at a time: takes over what is stored, lays out the rest, and calls shared_count_begin(). Called again
     * when another server has led it in between. */
    enum nq_status (*begin)(void *who, const atomic_bool *stop);
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

/* NULL: out of memory or threads. */
struct coordinator *coordinator_new(const struct coordinator_options *options);

/* Ends the thread; what is under way stays as it is, for another server. Before the journal is closed. */
void coordinator_stop(struct coordinator *coordinator);
void coordinator_free(struct coordinator *coordinator); /* after every shared count was closed */

struct coordinator_stats coordinator_stats(struct coordinator *coordinator);

/* ---- A count that several servers may be asked for ---- */

/* As one of them sees it: which of them leads it, and, where workers carry it out, whether their results can be
 * believed. */

/* Finds out which server leads it: may wait some seconds for the broker. query: the question's canonical path. NULL:
 * out of memory. */
struct shared_count *shared_count_open(struct coordinator *coordinator, const char *query,
                                       const struct shared_count_class *class, void *who);

/* No callback comes after it returns. kept: the result was given to the journal; the work is given up only when it is
 * stored. */
void shared_count_close(struct shared_count *shared, bool kept);

/* Asked by every task for every slice. NQ_OK: it may count; NQ_AGAIN: not in this slice, for another server leads, or
 * another task begins; or why it failed. Who follows only waits until it can lead: a leader that is done has stored its
 * result, and one that died what it had. */
enum nq_status shared_count_admit(struct shared_count *shared, const struct slice *slice, const atomic_bool *stop);

/* It is laid out: units can be handed out, if there are any for workers. */
void shared_count_begin(struct shared_count *shared);

/* Threads of all workers of this release. Waits a little when the connection is young, but not after *stop. */
unsigned shared_count_threads(struct shared_count *shared, const atomic_bool *stop);

/* Whether the server itself must count without tables: there is a broker, but no worker. */
bool shared_count_alone(struct shared_count *shared);

/* A unit that the server itself is to audit: its result goes to shared_count_audited(). False: there is none. */
bool shared_count_take_audit(struct shared_count *shared, size_t *unit);
void shared_count_audited(struct shared_count *shared, size_t unit, nq_wide parts);

/* Whether some audits are not over. */
bool shared_count_doubts(struct shared_count *shared);

/* NQ_OK, or why the count must not go on, with a fault: a result was wrong, or a unit cannot be counted. */
enum nq_status shared_count_verdict(struct shared_count *shared, struct fault *fault);

/* The leader's progress, while this server follows or has not laid it out; then only how long it takes yet. */
void shared_count_progress(struct shared_count *shared, struct progress *progress);

#ifdef CHECKS
/* Asserts that no worker is known twice, that all are counted, and of each shared count that its states agree. */
void coordinator_check(struct coordinator *coordinator);
#endif

#endif
