/* journal_reads.h - read requests: callers leave them on a list, the journal's thread grants them. */
#ifndef ENGINE_JOURNAL_JOURNAL_READS_H
#define ENGINE_JOURNAL_JOURNAL_READS_H

#include "engine/journal/journal_state.h"

/* On the journal's thread, under the lock, which it leaves while the store works: grants every request whose entries
 * are stored, and while the store is stuck all of them. */
void reads_grant(struct journal *journal);

#endif
