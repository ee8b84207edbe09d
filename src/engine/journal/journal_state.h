/* journal_state.h - a journal as its own files see it. */
#ifndef ENGINE_JOURNAL_JOURNAL_STATE_H
#define ENGINE_JOURNAL_JOURNAL_STATE_H

#include "base/timed.h"
#include "engine/journal/journal.h"

/* Milliseconds without an answer after which a store counts as silent. */
enum { SILENT_MS = 2000 };

/* A fact to be stored, a prefix to be deleted (drop), or a fact to be changed (change). */
struct entry {
    struct entry *next;
    struct store_fact fact;
    bool drop;
    store_change *change; /* NULL: the fact is stored as it is here */
    journal_stored *stored;
    void *context;
    size_t size; /* of the entry, with its text: key and value */
    char text[];
};

/* notify is called when the first `put` entries are stored. */
struct barrier {
    struct barrier *next;
    uint64_t put;
    journal_barrier notify;
    enum nq_status status;
    void *who;
};

/* A caller reads the fact with a key (single), or all with a prefix. */
struct read_request {
    struct read_request *next;
    uint64_t put; /* entries that the answer must include */
    enum store_kind kind;
    bool single;
    enum {
        READ_LISTED,  /* it is on the list */
        READ_TAKEN,   /* the journal's thread has it */
        READ_GRANTED, /* its caller has it */
        READ_GIVEN_UP /* the journal's thread has it, and frees it */
    } state;
    enum nq_status status;
    struct bytes found; /* of each fact its key, size and value; of a single one the value */
    char key[];
};

enum { JOURNAL_BATCH = 256 }; /* facts that are written together at most */

struct journal {
    struct store *store;
    bool remote;
    uint64_t checked; /* clock_now(), by the thread */
    journal_trouble trouble;
    void *who;
    size_t most;
    pthread_t thread;
    struct lock lock;       /* guards all below; never held while the store works */
    pthread_cond_t news;    /* for the thread */
    pthread_cond_t settled; /* for readers, and for the end */
    struct entry *head, **tail;
    size_t bytes;
    uint64_t put, gone; /* entries ever put, and ever stored: what was put by now is stored when gone >= put */
    struct barrier *barriers;
    struct read_request *requests;
    uint64_t busy_since;            /* clock_now(): the store is at work; 0: it is not */
    size_t singly;                  /* entries to be written one by one */
    bool stuck;                     /* the store did not take the last ones, which are tried again */
    bool closing, ended, abandoned; /* abandoned: it did not end in time */
    uint64_t until;                 /* clock_now(), while it is closing: a store that is stuck is tried that long */
    struct journal_stats stats;
    char why[STORE_ERROR_MAX]; /* it is broken */
};

/* Under the lock: whether one call of the store has taken longer than that. */
static inline bool journal_silent(const struct journal *journal, unsigned milliseconds)
{
    return journal->busy_since && clock_now() - journal->busy_since > milliseconds * CLOCK_MILLISECOND;
}

/* Around a use of the store, by the journal's thread: the first leaves the lock, the second takes it again. */
static inline void journal_begin_use(struct journal *journal)
{
    journal->busy_since = clock_now();
    lock_release(&journal->lock);
}

static inline void journal_end_use(struct journal *journal)
{
    const struct store_stats stats = store_stats(journal->store);
    lock_take(&journal->lock);
    journal->busy_since = 0;
    journal->stats.store = stats;
}

#endif
