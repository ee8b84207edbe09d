/* timed.h - waiting for a condition until some moment in clock_now() at the latest, whatever becomes of the date. */
#ifndef BASE_TIMED_H
#define BASE_TIMED_H

#include <pthread.h>
#include <stdbool.h>

#include "base/clock.h"

static inline uint64_t timed_in(unsigned milliseconds)
{
    return clock_now() + milliseconds * CLOCK_MILLISECOND;
}

/* Whether a moment lies more than so far back. */
static inline bool timed_long_ago(uint64_t moment, unsigned milliseconds)
{
    return clock_now() - moment > milliseconds * CLOCK_MILLISECOND;
}

/* Only what was made so may be waited for so. */
static inline void timed_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* False: it is that late. Like any wait it may end for nothing, too. */
static inline bool timed_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until)
{
    const struct timespec moment = {.tv_sec = (time_t)(until / CLOCK_SECOND), .tv_nsec = (long)(until % CLOCK_SECOND)};
    return pthread_cond_timedwait(cond, lock, &moment) == 0;
}

#endif
