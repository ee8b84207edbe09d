/* lock.h - a mutex with a rank. A thread may take a lock only if its rank is above the ranks of all locks that the
 * thread holds; so no threads can wait for each other in a circle. With LOCK_RANKS, which the Makefile defines for
 * sanitizers and for DEBUG_LOCKS=1, a violation aborts the process and names both locks. Otherwise a lock is exactly a
 * pthread_mutex_t.
 *
 * Where the order of locks is checked, structures are checked, too: beside one stands its x_check(), which asserts all
 * that must hold of it between two calls: both ways of a list, what is counted, sums of bytes, states. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef LOCK_RANKS
#define CHECKS
#define CHECKED(call) (call)
#else
#define CHECKED(call) ((void)0)
#endif

/* Every lock of the program, in the order in which they are taken. engine/engine.h lists what each of them guards. */
enum lock_rank {
    LOCK_PORTS,
    LOCK_WATCHER,
    LOCK_ACCESS,
    LOCK_RELOADS,
    LOCK_CLIENTS,
    LOCK_STORE,
    LOCK_JOBS,
    LOCK_JOURNAL,
    LOCK_FLIGHTS,
    LOCK_CACHE,
    LOCK_CHORES,
    LOCK_STREAMS,
    LOCK_STREAM,
    LOCK_COORDINATOR,
    LOCK_COUNT,
    LOCK_PLANS,
    LOCK_POOL,
    LOCK_WORKER,
    LOCK_ASSIGNMENTS,
    LOCK_QUEUE_USE,
    LOCK_QUEUE,
    LOCK_EVENTS,
    LOCK_SLEEPER,
    LOCK_LOG,
    LOCK_RANK_COUNT
};

struct lock {
    pthread_mutex_t mutex;
#ifdef LOCK_RANKS
    enum lock_rank rank;
    const char *name;
#endif
};

#ifdef LOCK_RANKS
#define lock_init(lock, its_rank) \
    ((void)pthread_mutex_init(&(lock)->mutex, NULL), (lock)->rank = (its_rank), (lock)->name = #its_rank, (void)0)

void lock_check_take(const struct lock *lock);
void lock_check_release(const struct lock *lock);

/* How often any thread has taken a lock of this rank. */
uint64_t lock_taken(enum lock_rank rank);

/* Aborts if the calling thread holds any lock but this one; NULL: any lock. */
void lock_check_only(const struct lock *lock);

/* Stands where a function relies on its caller to hold a lock: aborts if the calling thread does not. */
void lock_assert(const struct lock *lock);

/* Takes a lock for a check. False: its holder cannot go on meanwhile, which is so in the simulation. */
bool lock_take_to_check(struct lock *lock);
#else
#define lock_init(lock, its_rank) ((void)pthread_mutex_init(&(lock)->mutex, NULL))
#define lock_check_take(lock) ((void)0)
#define lock_check_release(lock) ((void)0)
#define lock_check_only(lock) ((void)0)
#define lock_assert(lock) ((void)0)
#endif

static inline void lock_destroy(struct lock *lock)
{
    (void)pthread_mutex_destroy(&lock->mutex);
}

static inline void lock_take(struct lock *lock)
{
    lock_check_take(lock);
    (void)pthread_mutex_lock(&lock->mutex);
}

static inline void lock_release(struct lock *lock)
{
    lock_check_release(lock);
    (void)pthread_mutex_unlock(&lock->mutex);
}

/* As pthread_cond_wait. A thread that waits may hold no other lock. */
static inline void lock_wait(pthread_cond_t *condition, struct lock *lock)
{
    lock_check_only(lock);
    (void)pthread_cond_wait(condition, &lock->mutex);
}

/* A lock that many may hold for reading, or one for writing; ranked as the others. */
struct shared_lock {
    pthread_rwlock_t rwlock;
#ifdef LOCK_RANKS
    struct lock check; /* its rank and name */
#endif
};

#ifdef LOCK_RANKS
#define shared_lock_init(lock, its_rank) \
    ((void)pthread_rwlock_init(&(lock)->rwlock, NULL), (lock)->check.rank = (its_rank), \
     (lock)->check.name = #its_rank, (void)0)
#else
#define shared_lock_init(lock, its_rank) ((void)pthread_rwlock_init(&(lock)->rwlock, NULL))
#endif

static inline void shared_lock_destroy(struct shared_lock *lock)
{
    (void)pthread_rwlock_destroy(&lock->rwlock);
}

static inline void shared_lock_read(struct shared_lock *lock)
{
    lock_check_take(&lock->check);
    (void)pthread_rwlock_rdlock(&lock->rwlock);
}

static inline void shared_lock_write(struct shared_lock *lock)
{
    lock_check_take(&lock->check);
    (void)pthread_rwlock_wrlock(&lock->rwlock);
}

static inline void shared_lock_release(struct shared_lock *lock)
{
    lock_check_release(&lock->check);
    (void)pthread_rwlock_unlock(&lock->rwlock);
}

/* Stands where a thread calls a function of someone else or begins long work: it may hold no lock. */
static inline void lock_none_held(void)
{
    lock_check_only(NULL);
}

#endif
