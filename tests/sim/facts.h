/* facts.h - what the simulation itself asks of the store. */
#ifndef TESTS_SIM_FACTS_H
#define TESTS_SIM_FACTS_H

#include "sim.h"
#include "stores/store.h"

/* Until then it has no room: for new facts (full), or it gives up old ones. */
void facts_fill(uint64_t until);
void facts_evict(void);

/* How many facts of a kind there are; key: of the first one, or "". */
size_t facts_of(enum store_kind kind, char key[static 200]);

#endif
