/* cancellable.h - a wait for the engine, as the watcher sees it: the watcher holds a reference and can dismiss it. A
 * waiter for a flight, a stream, a barrier and a chore are such waits. */
#ifndef ENGINE_RUN_CANCELLABLE_H
#define ENGINE_RUN_CANCELLABLE_H

#include <stdatomic.h>

#include "base/status.h"

struct cancellable {
    atomic_uint references;
    /* Stops waiting, for a reason: wakes it if it waits, and cancels what only it wants. Any
     * thread, any number of times, while a reference is held. */
    void (*dismiss)(struct cancellable *cancellable, enum nq_status why);
    void (*free)(struct cancellable *cancellable);
};

/* Called once, on any thread, when what was waited for has come; the last thing done with `who`. */
typedef void (*cancellable_wake)(void *who);

static inline void cancellable_ref(struct cancellable *cancellable)
{
    atomic_fetch_add_explicit(&cancellable->references, 1, memory_order_relaxed);
}

static inline void cancellable_unref(struct cancellable *cancellable)
{
    if (atomic_fetch_sub_explicit(&cancellable->references, 1, memory_order_acq_rel) == 1)
        cancellable->free(cancellable);
}

#endif
