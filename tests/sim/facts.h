/* facts.h - what the simulation itself asks of the store. */
#ifndef TESTS_SIM_FACTS_H
#define TESTS_SIM_FACTS_H

#include "sim.h"
#include "stores/store.h"

/* Until then it has no room: for new facts (full), or it gives up old ones. */
void facts_fill(uint64_t until);
void facts_evict(void);

/* Units that nobody will remove or take up: how many, and the key of the first one, or "". Not among them are those of
 * a writer that no longer waited, or was killed before it could clean up: who next asks for their count removes them.
 * Nor, when a server was killed, are those of a count without a result: they are what the next one continues. */
size_t facts_left(bool killed, char key[static 200]);

/* A process is killed that wrote units, or a result, whose units it would remove. */
void facts_orphan(int process);

#endif
