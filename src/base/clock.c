/* clock.c - finds gaps, in which the process did not run. */
#include "base/clock.h"

atomic_ullong clock_skipped;
atomic_ullong clock_limit = UINT64_MAX;

/* The last beat, by the raw clock; 0: none. Of the thread that beats. */
static uint64_t beat;

/* Whether there was a gap is asked of the system's raw clock: tests that let hours pass at once, in which the process
 * runs, shift only the other one. What is skipped is by that other one: clock_now() goes on where it stood still. */
void clock_beat(void)
{
    const uint64_t raw = clock_read(CLOCK_MONOTONIC_RAW), now = clock_read(CLOCK_MONOTONIC);
    const uint64_t limit = atomic_load(&clock_limit);
    uint64_t skipped = atomic_load(&clock_skipped);
    if (beat && raw - beat > CLOCK_GAP && now - skipped > limit) {
        skipped = now - limit;
        atomic_store(&clock_skipped, skipped);
    }
    beat = raw;
    atomic_store(&clock_limit, now - skipped + CLOCK_GAP);
}

void clock_end_beats(void)
{
    beat = 0;
    atomic_store(&clock_limit, UINT64_MAX);
}
