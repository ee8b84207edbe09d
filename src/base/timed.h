/* timed.h - waits for a condition until a moment of clock_now() at the latest, also when the date is changed. */
#ifndef BASE_TIMED_H
#define BASE_TIMED_H

#include <pthread.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/lock.h"

static inline uint64_t timed_in(unsigned milliseconds)
{
    return clock_now() + milliseconds * CLOCK_MILLISECOND;
}

/* Whether more than so many milliseconds have passed since a moment. */
static inline bool timed_long_ago(uint64_t moment, unsigned milliseconds)
{
    return clock_now() - moment > milliseconds * CLOCK_MILLISECOND;
}

/* timed_wait() requires a condition made by this function. */
static inline void timed_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* False: the moment is reached. Like any wait, it may also end without a reason. */
static inline bool timed_wait(pthread_cond_t *cond, struct lock *lock, uint64_t until)
{
    const uint64_t system = until + atomic_load(&clock_skipped);
    const struct timespec moment = {.tv_sec = (time_t)(system / CLOCK_SECOND),
                                    .tv_nsec = (long)(system % CLOCK_SECOND)};
    lock_check_only(lock);
    return pthread_cond_timedwait(cond, &lock->mutex, &moment) == 0;
}

#endif
