/* party.h - somebody who waits for the engine, as the watcher sees them: it can keep them alive, and tell them off. */
#ifndef ENGINE_PARTY_H
#define ENGINE_PARTY_H

#include <nqueens.h>
#include <stdatomic.h>

struct party {
    atomic_uint references;
    /* Stops waiting, for a reason: the party is woken if it was waiting, and what only it wanted is cancelled. Any
     * thread, any number of times, while a reference is held. */
    void (*dismiss)(struct party *party, enum nq_status why);
    void (*free)(struct party *party);
};

/* Called once, on any thread, when what was waited for has come; the last thing done with `who`. */
typedef void (*party_wake)(void *who);

static inline void party_ref(struct party *party)
{
    atomic_fetch_add_explicit(&party->references, 1, memory_order_relaxed);
}

static inline void party_unref(struct party *party)
{
    if (atomic_fetch_sub_explicit(&party->references, 1, memory_order_acq_rel) == 1)
        party->free(party);
}

#endif
