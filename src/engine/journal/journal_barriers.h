/* journal_barriers.h - callbacks that wait for facts to be stored. */
#ifndef ENGINE_JOURNAL_JOURNAL_BARRIERS_H
#define ENGINE_JOURNAL_JOURNAL_BARRIERS_H

#include "engine/journal/journal_state.h"

/* Under the lock, which it leaves meanwhile: calls those whose facts are stored; and the others too, with the status
 * `rest`, unless that is NQ_AGAIN. */
void barriers_notify(struct journal *journal, enum nq_status rest);

#endif
