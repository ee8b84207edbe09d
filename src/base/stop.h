/* stop.h - the flag that stops work whose result is no longer wanted; and where long work can be set aside for other
 * work: at each look at that flag. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/lock.h"

/* Belongs to a thread whose work can be set aside. */
struct stop_aside {
    atomic_bool wanted;                      /* any thread sets it: others wait for a processor */
    void (*step_aside)(struct stop_aside *); /* called by the thread itself: returns when it may go on */
};

/* This thread's; NULL: its work is never set aside. The attributes keep a look at it as cheap in the shared library as
 * in the server. */
extern _Thread_local struct stop_aside *stop_aside __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Whether to give up; NULL: never. Where a lock is held: the thread goes on at once. */
static inline bool stop_wanted_locked(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* The same for work that holds no lock: the calling thread may be set aside here, for as long as others need its
 * processor. Cheap enough for a look every microsecond. */
static inline bool stop_wanted(const atomic_bool *stop)
{
    struct stop_aside *aside = stop_aside;
    lock_none_held();
    if (aside && atomic_load_explicit(&aside->wanted, memory_order_relaxed))
        aside->step_aside(aside);
    return stop_wanted_locked(stop);
}

#endif
