/* coordinator_publish.h - what a server hands out and announces, and takes back when nothing comes of it. */
#ifndef ENGINE_CLUSTER_COORDINATOR_PUBLISH_H
#define ENGINE_CLUSTER_COORDINATOR_PUBLISH_H

#include "engine/cluster/coordinator_state.h"

/* All without the lock, while the shared count is busy. threads: of all workers. */

/* Claims the work, or renews the claim, and announces it. False: another server leads it, or there is no broker. */
bool shared_count_claim(struct shared_count *shared, unsigned threads);

/* Posts batches while too few are ready; and units that another worker is to audit. */
void shared_count_post_more(struct shared_count *shared, unsigned threads);
void shared_count_post_audits(struct shared_count *shared);

/* Withdraws every batch: its units are for other workers, or for the server's tasks, if there are none. */
void shared_count_withdraw(struct shared_count *shared, unsigned threads);

/* Looks into the store for results, and withdraws batches that were lost, if no result has come for too long. */
void shared_count_recover_stalled(struct shared_count *shared, unsigned threads);

/* Reads how many batches are ready and leased. */
void shared_count_measure(struct shared_count *shared);

#endif
