/* coordinator_receive.h - what workers publish: who is there, and what a unit came to. */
#ifndef ENGINE_CLUSTER_COORDINATOR_RECEIVE_H
#define ENGINE_CLUSTER_COORDINATOR_RECEIVE_H

#include "engine/cluster/coordinator_state.h"

/* On the coordinator's thread, without the lock. */
void coordinator_receive(struct coordinator *coordinator, const struct queue_message *message);

#endif
