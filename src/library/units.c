/* units.c - each thread takes the next unit until none is left. */
#include "library/units.h"

#include "base/parallel.h"

static double share_done(void *of)
{
    struct library_units *units = of;
    pthread_mutex_lock(&units->lock);
    const double share = units->whole > 0 ? units->counted / units->whole : 0;
    pthread_mutex_unlock(&units->lock);
    return share < 1 ? share : 1;
}

static void make_units(void *context)
{
    struct library_units *units = context;
    struct progress *progress = units->progress;
    size_t unit;
    while (!stop_wanted_locked(&progress->stop) && (unit = atomic_fetch_add(&units->next, 1)) < units->count) {
        const enum nq_status status = units->make(units, unit);
        pthread_mutex_lock(&units->lock);
        units->counted += units->weight(units->of, unit);
        if (units->status == NQ_OK)
            units->status = status; /* of the first that fails: it stops the others */
        pthread_mutex_unlock(&units->lock);
        if (status != NQ_OK)
            atomic_store(&progress->stop, true);
        else if (stop_aside == &progress->aside) /* the calling thread */
            (void)progress_look(progress);
    }
}

enum nq_status library_units_make(struct library_units *units, unsigned threads)
{
    pthread_mutex_init(&units->lock, NULL);
    for (size_t unit = 0; unit < units->count; unit++)
        units->whole += units->weight(units->of, unit);
    units->progress->done = share_done;
    units->progress->of = units;
    parallel_run(threads < LIBRARY_THREADS_MOST ? threads : LIBRARY_THREADS_MOST, make_units, units);
    units->progress->done = NULL;
    pthread_mutex_destroy(&units->lock);
    const bool stopped = stop_wanted_locked(&units->progress->stop);
    return units->status == NQ_OK && stopped ? NQ_CANCELLED : units->status;
}
