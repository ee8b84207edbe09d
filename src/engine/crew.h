/* crew.h - a count that several servers may be asked for, seen by one of them: which of them sees to it, and, where
 * workers carry it out, which batches are under way, what has come back, and whether it can be believed. It does not
 * know how a unit is counted. One thread of the engine's does all that is said to the broker and heard from it. */
#ifndef ENGINE_CREW_H
#define ENGINE_CREW_H

#include "engine/job.h"
#include "engine/ledger.h"
#include "engine/slips.h"

struct crews;

struct crews_options {
    struct queue *queue;       /* which must outlive them, and is used by them alone; it listens to all topics */
    struct ledger *ledger;     /* where workers' results go, too */
    double audit;              /* the share of units that another one counts once more, 0 to 1 */
    double seconds_per_weight; /* of a unit, as long as nothing is known of the workers */
    struct jobs *jobs;         /* that other servers' jobs are told to */
};

/* NULL: out of memory or threads. */
struct crews *crews_new(const struct crews_options *options);

/* Ends the thread; what is under way stays as it is, for whoever comes next. Before the ledger is closed. */
void crews_stop(struct crews *crews);
void crews_free(struct crews *crews); /* after every crew was closed */

/* What a count tells of itself. Units, or pieces of them, have numbers that only it understands. Where take has none
 * and find knows none, workers have no part in it, and nothing else is asked about units. */
struct crew_class {
    /* On the crews' thread, when it was begun. */
    void (*describe)(void *who, struct work_slip *slip); /* texts stay the count's own */
    bool (*take)(void *who, size_t *unit);               /* the next one to be counted; false: none is left */
    double (*weight)(void *who, size_t unit);
    bool (*over)(void *who, size_t unit);                                  /* it has been counted */
    void (*place)(void *who, size_t unit, struct slip_run *run);           /* its term and number there; one unit */
    bool (*find)(void *who, const struct slip_place *place, size_t *unit); /* false: there is no such one */
    void (*adopt)(void *who, size_t unit, uint64_t parts, uint64_t nodes); /* counted by a worker, stored */
    void (*recall)(void *who); /* takes over what the store has and it has not */
    /* On a lane, while no other one is let in. */
    enum nq_status (*begin)(void *who, const atomic_bool *stop); /* lays out what the store has not; crew_begin() */
    /* Takes over what another server has stored by now. NQ_OK: all there is; NQ_NONE: not yet; NQ_AGAIN: the slice is
     * over; or why it failed. */
    enum nq_status (*look)(void *who, const struct slice *slice, const atomic_bool *stop);
};

/* One count's. Looks who sees to it: it may wait some seconds for the broker. query: the question's canonical path.
 * NULL: out of memory. */
struct crew;
struct crew *crew_open(struct crews *crews, const char *query, const struct crew_class *class, void *who);

/* Nothing is called any more. kept: the result was put into the ledger; only when it is stored others hear of the end.
 */
void crew_close(struct crew *crew, bool kept);

/* Another server sees to it now: its result will be in the store. */
bool crew_follows(struct crew *crew);

/* Asked by every lane for every slice. NQ_OK: it may count; NQ_END: all is known, by another server; NQ_AGAIN: not in
 * this slice, for another server, or another lane, is at it; or why it failed. Who follows looks for what the other
 * server stores, and begins itself when that one is gone. */
enum nq_status crew_admit(struct crew *crew, const struct slice *slice, const atomic_bool *stop);

/* It is laid out: units are ready to be handed out, if there are any for workers. */
void crew_begin(struct crew *crew);

/* A unit's result was found in the store: who put it there may be wrong, too. */
void crew_recalled(struct crew *crew, size_t unit, uint64_t parts);

/* Threads of workers that are there. Waits a little when the connection is young, but not beyond *stop. */
unsigned crew_hands(struct crew *crew, const atomic_bool *stop);

/* Whether the server itself is to count with so few means as it has: nobody else is there, though the broker is. */
bool crew_alone(struct crew *crew);

/* A unit for the server itself: one that was handed out in vain, nobody else being there; or one to be counted once
 * more: then *audit is set, and the result goes to crew_audited(). False: there is none. */
bool crew_take(struct crew *crew, size_t *unit, bool *audit);
void crew_audited(struct crew *crew, size_t unit, uint64_t parts);

/* Whether results are still to be checked. */
bool crew_doubts(struct crew *crew);

/* NQ_OK, or why the count must not go on, with a sentence: a result was wrong, or a unit cannot be counted. */
enum nq_status crew_verdict(struct crew *crew, char why[static WORK_WHY_MAX]);

/* How far the other server has come, while this one follows. */
void crew_progress(struct crew *crew, struct progress *progress);

struct crews_figures {
    bool connected;
    unsigned workers, hands;
    size_t led, followed;           /* now */
    uint64_t ready, leased;         /* batches, now */
    uint64_t posted, reposted;      /* batches, and units that had to be handed out again */
    uint64_t units;                 /* counted by workers */
    uint64_t audits, disagreements; /* units counted twice */
};
struct crews_figures crews_figures(struct crews *crews);

#endif
