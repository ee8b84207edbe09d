/* ledger.h - what is known for good, on its way to the store and back. Whoever writes never waits: facts lie in memory
 * until the ledger's own thread has stored them, and while the store is broken they stay there, so that nothing is lost
 * but by the end of the process. That thread reads, too: a disk that hangs holds nobody else for long. It knows nothing
 * of what the facts say. */
#ifndef ENGINE_LEDGER_H
#define ENGINE_LEDGER_H

#include <stdatomic.h>

#include "base/bytes.h"
#include "stores/store.h"

struct ledger;

/* Called on the ledger's thread when the store breaks (true) and when it works again. One that is elsewhere is looked
 * after from the beginning and while nobody uses it, too. */
typedef void (*ledger_trouble)(void *who, bool broken);

/* Starts the thread. The store, which must outlive the ledger, is used by it alone. most: bytes that may wait in
 * memory. NULL when out of memory or threads. */
struct ledger *ledger_new(struct store *store, size_t most, ledger_trouble trouble, void *who);

/* Writes what still waits, if the store lets it, tells everyone who waits, and ends the thread: nothing is stored any
 * more. False: the store did not take it within some seconds; then neither ledger nor store can be freed. */
bool ledger_close(struct ledger *ledger);
void ledger_free(struct ledger *ledger); /* after ledger_close; the store stays open */

/* Keeps a fact. Copies. NQ_OK; NQ_LIMIT (too much waits already) or NQ_NOMEM: it is not kept. */
enum nq_status ledger_keep(struct ledger *ledger, enum store_kind kind, const char *key, const void *value,
                           size_t size);

/* Changes a fact, when its turn comes, to what `change` then says on the ledger's thread: see store_amend(). It may be
 * asked again after it was written, if the store was broken just then. The same outcomes. */
enum nq_status ledger_amend(struct ledger *ledger, enum store_kind kind, const char *key, store_change *change,
                            void *context);

/* The same with a text: whether it is kept. */
bool ledger_put(struct ledger *ledger, enum store_kind kind, const char *key, const char *value);

/* Forgets every fact whose key begins so; what is put afterwards stays. */
void ledger_drop(struct ledger *ledger, enum store_kind kind, const char *prefix);

/* Calls notify once, when all that was put so far is stored (NQ_OK), could not be for want of memory (NQ_NOMEM, though
 * that is tried again), the store is found broken or silent (NQ_BROKEN) or the ledger ends (NQ_CLOSED): at once, or on
 * the ledger's thread. False: out of memory, it is not called. */
typedef void (*ledger_notice)(void *who, enum nq_status status);
bool ledger_notify(struct ledger *ledger, ledger_notice notify, void *who);

/* What follows reads what was put so far, and what was changed if the store is whole. It gives up soon after *stop is
 * set, and when there is no answer within the time: at once if the store has been silent for that long already. stop
 * NULL: waits for ever. */
struct patience {
    const atomic_bool *stop;
    unsigned milliseconds;
};

/* Appends a fact's value: NQ_OK, NQ_NONE, NQ_BROKEN, NQ_NOMEM, NQ_TIMEOUT, NQ_CANCELLED. */
enum nq_status ledger_get(struct ledger *ledger, enum store_kind kind, const char *key, struct patience patience,
                          struct bytes *value);

/* Tells of every fact whose key begins so. The same, but for NQ_NONE; NQ_BROKEN: the store could not be read, and only
 * facts that still wait were told of, one that was put twice both times, in order. */
typedef void (*ledger_reader)(void *context, const char *key, const void *value, size_t size);
enum nq_status ledger_each(struct ledger *ledger, enum store_kind kind, const char *prefix, struct patience patience,
                           ledger_reader read, void *context);

struct ledger_figures {
    bool broken;                /* or it has not answered for some seconds */
    size_t waiting;             /* facts */
    uint64_t written;           /* facts */
    uint64_t lost;              /* facts that found no room to wait */
    uint64_t batches, write_ns; /* writes to the store, of whatever outcome, and how long they took */
    uint64_t failures;          /* writes and reads that it did not take */
    struct store_figures store; /* as of the last use */
};
struct ledger_figures ledger_figures(struct ledger *ledger);

/* Whether others share the store, and it can be asked now. */
bool ledger_is_shared(struct ledger *ledger);

/* Whether the store is broken or silent, and why: a sentence without a full stop. Does not wait for it. */
bool ledger_ails(struct ledger *ledger, char why[static STORE_ERROR_MAX]);

#endif
