/* journal.h - facts on their way to the store and back. Who writes never waits: facts lie in memory until the journal's
 * own thread has stored them, and stay there while the store is broken, so that they are lost only with the process.
 * That thread reads, too: a disk that hangs holds no other thread for long. The journal does not know what facts mean.
 */
#ifndef ENGINE_JOURNAL_JOURNAL_H
#define ENGINE_JOURNAL_JOURNAL_H

#include <stdatomic.h>

#include "base/bytes.h"
#include "base/lock.h"
#include "stores/store.h"

struct journal;

/* Called on the journal's thread, under no lock, when the store breaks (why: a sentence without a full stop) and when
 * it works again (NULL). A remote store is checked from the beginning and while nobody uses it, too. */
typedef void (*journal_trouble)(void *who, const char *why);

/* Starts the thread, which alone uses the store; the store must outlive the journal. most: bytes that may wait in
 * memory. NULL when out of memory or threads. */
struct journal *journal_new(struct store *store, size_t most, journal_trouble trouble, void *who);

/* Writes what still waits, answers everybody who waits for it, and ends the thread. A store that does not accept it is
 * tried for five seconds. NQ_OK: all is stored. NQ_BROKEN: what journal_waits() counts is not. NQ_TIMEOUT: it is not,
 * and a call of the store has not returned: neither journal nor store can be freed. */
enum nq_status journal_close(struct journal *journal); /* NULL: NQ_OK */
void journal_free(struct journal *journal);            /* NULL: nothing. After journal_close; the store stays open */

/* Stores a fact. Copies. NQ_OK; NQ_LIMIT (too much waits already) or NQ_NOMEM: it is not stored. */
enum nq_status journal_keep(struct journal *journal, enum store_kind kind, const char *key, const void *value,
                            size_t size);

/* The same with a text: whether it is accepted. */
bool journal_put(struct journal *journal, enum store_kind kind, const char *key, const char *value);

/* Appends to *next, which is empty, what a fact shall be in place of its value (NULL: there is no such fact) and
 * returns NQ_OK; or NQ_NONE: the fact stays as it is; or why it cannot be said. */
typedef enum nq_status journal_change(void *context, const char *key, const void *value, size_t size,
                                      struct bytes *next);

/* Changes a fact, in its turn; same statuses as journal_keep(). No change of another thread or process is lost: what is
 * written replaces exactly what `change` has seen. It is called on the journal's thread, under no lock, and again if
 * the fact was changed in between, or if the store was broken just then. stored, unless it is NULL, is called once on
 * that thread, under no lock, when the store has the fact (NQ_OK) or has no room for it and never will (NQ_LIMIT);
 * before the barriers that wait for it are notified, and not at all if the journal ends first. Both should be quick:
 * while they run, nothing is stored or read, and the store counts as silent. */
typedef void journal_stored(void *context, const char *key, enum nq_status status);
enum nq_status journal_amend(struct journal *journal, enum store_kind kind, const char *key, journal_change *change,
                             journal_stored *stored, void *context);

/* Deletes a fact, and every fact whose key begins so (a prefix as of store_each()); what is put afterwards stays. */
void journal_delete(struct journal *journal, enum store_kind kind, const char *key);
void journal_drop(struct journal *journal, enum store_kind kind, const char *prefix);

/* Calls notify once, under no lock, when all that was put so far is stored (NQ_OK), could not be for want of memory
 * (NQ_NOMEM, though that is tried again), the store is found broken or silent (NQ_BROKEN) or the journal ends
 * (NQ_CLOSED): at once on this thread, or later on the journal's or the one that closes it. False: out of memory, it is
 * not called. */
typedef void (*journal_barrier)(void *who, enum nq_status status);
bool journal_notify(struct journal *journal, journal_barrier notify, void *who);

/* How long a reader waits: until soon after *stop is set, or until there was no answer for that long; no time at all if
 * the store has been silent for that long already. stop NULL: for ever. */
struct deadline {
    const atomic_bool *stop;
    unsigned milliseconds;
};

/* Appends a fact's value as it was put last; while the store is broken, as the store has it, if it can still be read.
 * NQ_OK, NQ_NONE, NQ_BROKEN, NQ_NOMEM, NQ_TIMEOUT, NQ_CANCELLED, NQ_CLOSED. */
enum nq_status journal_get(struct journal *journal, enum store_kind kind, const char *key, struct deadline deadline,
                           struct bytes *value);

/* Calls read, on this thread and under no lock, with every fact whose key begins so. The same statuses but NQ_NONE;
 * unless NQ_OK, it was not called. */
typedef void (*journal_reader)(void *context, const char *key, const void *value, size_t size);
enum nq_status journal_each(struct journal *journal, enum store_kind kind, const char *prefix, struct deadline deadline,
                            journal_reader read, void *context);

struct journal_stats {
    bool broken;                /* or it has not answered for some seconds */
    size_t waiting;             /* facts */
    uint64_t written;           /* facts */
    uint64_t lost;              /* facts that found no room to wait */
    uint64_t batches, write_ns; /* writes to the store, of any outcome, and how long they took */
    uint64_t failures;          /* writes and reads that failed */
    struct store_stats store;   /* as of the last use */
};
struct journal_stats journal_stats(struct journal *journal);

/* Counts the changes that wait, by kind of fact. */
void journal_waits(struct journal *journal, size_t counts[static STORE_KINDS]);

/* Whether what is stored outlives the process. */
bool journal_lasts(const struct journal *journal);

/* Whether other processes may share the store; and whether it also works now. */
bool journal_is_remote(const struct journal *journal);
bool journal_is_shared(struct journal *journal);

/* Whether the store is broken or silent, and why: a sentence without a full stop. Does not wait for it. */
bool journal_fault(struct journal *journal, char why[static STORE_ERROR_MAX]);

#ifdef CHECKS
/* Asserts that entries and bytes are those that wait, and that nobody waits for what was never put. */
void journal_check(struct journal *journal);
#endif

#endif
