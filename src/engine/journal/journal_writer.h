/* journal_writer.h - the journal's thread, the only one that uses the store. */
#ifndef ENGINE_JOURNAL_JOURNAL_WRITER_H
#define ENGINE_JOURNAL_JOURNAL_WRITER_H

#include "engine/journal/journal_state.h"

/* The start function of the thread; its argument is the journal. */
void *journal_run(void *journal);

/* Under the lock: removes the first entries. */
void journal_release(struct journal *journal, size_t count);

#endif
