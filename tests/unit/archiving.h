/* archiving.h - a ledger on a store in memory, which may outlive what a test does with it. */
#ifndef UNIT_ARCHIVING_H
#define UNIT_ARCHIVING_H

#include "asking.h"
#include "engine/ledger.h"

/* Whoever asks waits for the answer. */
#define FOREVER ((struct patience){0})

struct archive {
    struct store *store;
    struct ledger *ledger;
};
void archive_begin(struct archive *archive);
/* On another store, which may be shared. */
void archive_begin_at(struct archive *archive, const char *spec);
void archive_end(struct archive *archive);

/* Waits until all that was put so far is stored. */
void archive_settle(struct archive *archive);

/* How many facts of a kind it has. */
unsigned archive_facts(struct archive *archive, enum store_kind kind);

#endif
