/* coordinator.h - the counts of one server that workers or other servers may carry out. One thread of its own does
 * everything with the broker, except for the first claim of a count. It does not know how a unit is counted. */
#ifndef ENGINE_CLUSTER_COORDINATOR_H
#define ENGINE_CLUSTER_COORDINATOR_H

#include "base/lock.h"
#include "engine/cluster/shared_count.h"

/* NULL: out of memory or threads. */
struct coordinator *coordinator_new(const struct coordinator_options *options);

/* Ends the thread; what is under way stays as it is, for another server. Before the journal is closed. */
void coordinator_stop(struct coordinator *coordinator);
void coordinator_free(struct coordinator *coordinator); /* after every shared count was closed */

struct coordinator_stats coordinator_stats(struct coordinator *coordinator);

#ifdef CHECKS
/* Asserts that no worker is known twice, that all are counted, and of each shared count that its states agree. */
void coordinator_check(struct coordinator *coordinator);
#endif

#endif
