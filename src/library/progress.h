/* progress.h - a caller that is told how far a call has come, and may cancel it: while its thread works, through the
 * places where work can be set aside. It knows nothing of the work. */
#ifndef LIBRARY_PROGRESS_H
#define LIBRARY_PROGRESS_H

#include <nqueens.h>

#include "base/stop.h"

struct progress {
    struct stop_aside aside;   /* the first member */
    struct stop_aside *before; /* the thread's own */
    nq_progress report;        /* NULL: the caller is not told */
    void *context;             /* of report */
    uint64_t next;             /* no earlier than at this moment of clock_now() */
    unsigned looks;            /* since the clock was read */
    atomic_bool stop;          /* the work is to end */
    double whole;              /* the weight of all units; 0: how far it has come is not known */
    pthread_mutex_t lock;      /* for what units add up to, and: */
    double made;               /* the weight of those that are made */
};

/* Reports from the calling thread's work from now on, whenever that looks at `stop`. */
void progress_begin(struct progress *progress, nq_progress report, void *context);
void progress_end(struct progress *progress);

/* Reports if it is time to. False: the work is to end. */
bool progress_look(struct progress *progress);

/* A unit of such a weight is made, on any thread, which does not hold the lock; or it failed: then the others are to
 * end, too. Returns the status. */
enum nq_status progress_unit(struct progress *progress, double weight, enum nq_status status);

#endif
