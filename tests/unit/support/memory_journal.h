/* memory_journal.h - a journal on a store in memory, which may outlive what a test does with it. */
#ifndef TESTS_UNIT_SUPPORT_MEMORY_JOURNAL_H
#define TESTS_UNIT_SUPPORT_MEMORY_JOURNAL_H

#include "engine/journal/journal.h"
#include "support/questions.h"

/* Whoever asks waits for the answer. */
#define FOREVER ((struct deadline){0})

struct memory_journal {
    struct store *store;
    struct journal *journal;
};
void memory_journal_begin(struct memory_journal *kept);
/* On a store of another class, which may be shared. */
void memory_journal_begin_on(struct memory_journal *kept, const struct store_class *class);
void memory_journal_end(struct memory_journal *kept);

/* Waits until all that was put so far is stored. */
void memory_journal_settle(struct memory_journal *kept);

/* How many facts of a kind it has. */
unsigned memory_journal_facts(struct memory_journal *kept, enum store_kind kind);

#endif
