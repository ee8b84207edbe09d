/* clock.h - monotonic time in nanoseconds, for deadlines and durations; never for dates. It is the time for which the
 * process ran: while the process is stopped (SIGSTOP), or its machine is suspended, no limit passes and no duration
 * grows. Only a process that looks regularly can know that: a server does, by clock_beat(). */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_SECOND UINT64_C(1000000000)
#define CLOCK_MILLISECOND (CLOCK_SECOND / 1000)

/* Of a time without a beat so much counts. A thread that is to beat ten times a second may come late on a busy machine,
 * but hardly ever by so much; and then the clock only stands still until it comes. */
#define CLOCK_GAP CLOCK_SECOND

/* Use clock_beat(). clock_now() is that much behind the system's clock, and not later than the limit. */
extern atomic_ullong clock_skipped, clock_limit;

static inline uint64_t clock_read(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * CLOCK_SECOND + (uint64_t)now.tv_nsec;
}

/* The limit is read first, then what is skipped, then the time: clock_beat() writes them the other way round, so that
 * the clock never goes back, whatever happens in between. */
static inline uint64_t clock_now(void)
{
    const uint64_t limit = atomic_load_explicit(&clock_limit, memory_order_acquire);
    const uint64_t skipped = atomic_load_explicit(&clock_skipped, memory_order_acquire);
    const uint64_t now = clock_read(CLOCK_MONOTONIC) - skipped;
    return now < limit ? now : limit;
}

/* The process runs. One thread calls it several times a second, and clock_end_beats() when it will not do so any more:
 * the clock would stand still. */
void clock_beat(void);
void clock_end_beats(void);

/* CPU time of the calling thread. */
static inline uint64_t clock_worked(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

#endif
