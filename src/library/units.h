/* units.h - the units of a count, shared out among threads of the call, with its progress. It knows neither what a unit
 * is nor what it comes to. */
#ifndef LIBRARY_UNITS_H
#define LIBRARY_UNITS_H

#include <pthread.h>
#include <stdatomic.h>

#include "library/progress.h"

enum { LIBRARY_THREADS_MOST = 64 };

struct library_units {
    size_t count;
    double (*weight)(const void *of, size_t unit);
    /* Counts a unit, which ends soon after progress->stop, and adds what it comes to under the lock. On any thread. */
    enum nq_status (*make)(struct library_units *units, size_t unit);
    void *of;
    struct progress *progress;
    pthread_mutex_t lock; /* for what units add up to, and: */
    enum nq_status status;
    double counted, whole; /* weights: of the units that are counted, of all */
    atomic_size_t next;
};

/* Makes every unit on so many threads, LIBRARY_THREADS_MOST at most, the calling one among them; all above `lock` is
 * set. NQ_OK, or the status of the first unit that failed, or NQ_CANCELLED: the caller of the library wanted it. */
enum nq_status library_units_make(struct library_units *units, unsigned threads);

#endif
