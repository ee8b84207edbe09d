/* audits.h - units that are counted twice, by another worker or by the server itself, to check a result. */
#ifndef ENGINE_CLUSTER_AUDITS_H
#define ENGINE_CLUSTER_AUDITS_H

#include "engine/cluster/coordinator_state.h"

/* All without the lock. */

/* A result came from a worker, or "the store": begins an audit of it, if the unit is one of those that are audited. */
void audits_begin(struct shared_count *shared, size_t unit, nq_wide parts, const char *worker);

/* The second result of a unit has come; or a worker has found that the store has another one. */
void audits_check(struct shared_count *shared, size_t unit, nq_wide parts, const char *by);
void audits_disagree(struct shared_count *shared, const struct message_place *place, const char *one,
                     const char *other);

/* A unit that the server itself is to count. False: there is none. */
bool audits_take(struct shared_count *shared, size_t *unit);

/* Whether some are not over. */
bool audits_open(struct shared_count *shared);

/* On the coordinator's thread: frees those that are over, or all. */
void audits_forget(struct shared_count *shared, bool all);

#endif
