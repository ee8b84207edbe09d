/* lock.c - which locks each thread holds, in the builds that check their order. */
#include "base/lock.h"

#ifdef LOCK_RANKS
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* The names of the locks that the thread holds, by rank: never two of one rank. */
static _Thread_local const char *held[LOCK_RANK_COUNT];

static atomic_ullong taken[LOCK_RANK_COUNT];

static _Noreturn void violated(const char *rule, const char *one, const char *other)
{
    (void)fprintf(stderr, "lock order: %s %s %s\n", one, rule, other);
    abort();
}

void lock_check_take(const struct lock *lock)
{
    for (int rank = (int)lock->rank; rank < LOCK_RANK_COUNT; rank++)
        if (held[rank])
            violated("is taken after", lock->name, held[rank]);
    held[lock->rank] = lock->name;
    atomic_fetch_add_explicit(&taken[lock->rank], 1, memory_order_relaxed);
}

uint64_t lock_taken(enum lock_rank rank)
{
    return atomic_load(&taken[rank]);
}

void lock_check_release(const struct lock *lock)
{
    if (!held[lock->rank])
        violated("is released, but not held by", lock->name, "this thread");
    held[lock->rank] = NULL;
}

void lock_assert(const struct lock *lock)
{
    if (!held[lock->rank])
        violated("is relied on, but not held by", lock->name, "this thread");
}

bool lock_take_to_check(struct lock *lock)
{
    lock_take(lock);
    return true;
}

void lock_check_only(const struct lock *lock)
{
    for (int rank = 0; rank < LOCK_RANK_COUNT; rank++)
        if (held[rank] && !(lock && rank == (int)lock->rank))
            violated("is held by a thread that", held[rank], lock ? "waits" : "calls out or works long");
}
#endif
