/* parallel.h - one function on several threads, until all return; and units of work, shared out among threads. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <nqueens.h>

#include "base/stop.h"

/* Threads of a call, the calling one among them. */
enum { PARALLEL_MOST = 64 };

/* Calls run(context) on so many threads at once, PARALLEL_MOST at most, or on fewer if no more can be started, the
 * calling one among them, and returns when all have returned. The threads have the caller's priority. run divides the
 * work. */
void parallel_run(unsigned threads, void (*run)(void *context), void *context);

/* Work that consists of units, numbered from 0. It knows neither what a unit is nor what it comes to. */
struct parallel_units {
    size_t count;
    /* Makes a unit, on any thread: NQ_OK, or why it failed. */
    enum nq_status (*make)(void *of, size_t unit);
    void *of;
    const atomic_bool *stop; /* may be NULL */
};

/* Makes every unit: each thread takes the next one until none is left, so that one thread makes them in order. NQ_OK;
 * the status of a unit that failed, after which none is begun; NQ_CANCELLED: *stop is set, and no unit failed
 * otherwise. */
enum nq_status parallel_units(unsigned threads, const struct parallel_units *units);

#endif
