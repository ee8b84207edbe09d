/* shared_count.h - a count that several servers may be asked for, as one of them sees it: which of them leads it, and,
 * where workers carry it out, whether their results can be believed. */
#ifndef ENGINE_CLUSTER_SHARED_COUNT_H
#define ENGINE_CLUSTER_SHARED_COUNT_H

#include "engine/cluster/coordinator_types.h"

/* Finds out which server leads it: may wait some seconds for the broker. query: the question's canonical path. NULL:
 * out of memory. */
struct shared_count *shared_count_open(struct coordinator *coordinator, const char *query,
                                       const struct shared_count_class *class, void *who);

/* No callback comes after it returns. kept: the result was given to the journal; the work is given up only when it is
 * stored. */
void shared_count_close(struct shared_count *shared, bool kept);

/* Asked by every task for every slice. NQ_OK: it may count; NQ_END: all is known, by another server; NQ_AGAIN: not in
 * this slice, for another server, or another task, does it; or why it failed. While it follows, it takes over what the
 * leader stores, and leads itself when that one is gone. */
enum nq_status shared_count_admit(struct shared_count *shared, const struct slice *slice, const atomic_bool *stop);

/* It is laid out: units can be handed out, if there are any for workers. */
void shared_count_begin(struct shared_count *shared);

/* A unit's result was found in the store: it may have to be audited. */
void shared_count_recalled(struct shared_count *shared, size_t unit, nq_wide parts);

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

#endif
