/* progress.c - reports at most ten times a second. */
#include "library/progress.h"

#include "base/clock.h"

enum { INTERVAL_MILLISECONDS = 100, LOOKS_A_CLOCK = 16 };

static double share_made(struct progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    const double share = progress->whole > 0 ? progress->made / progress->whole : 0;
    pthread_mutex_unlock(&progress->lock);
    return share < 1 ? share : 1;
}

bool progress_look(struct progress *progress)
{
    if (!progress->report || stop_wanted_locked(&progress->stop))
        return !stop_wanted_locked(&progress->stop);
    const uint64_t now = clock_now();
    if (now < progress->next)
        return true;
    progress->next = now + INTERVAL_MILLISECONDS * CLOCK_MILLISECOND;
    struct stop_aside *aside = stop_aside;
    stop_aside = NULL; /* the caller may work, too */
    if (!progress->report(progress->context, share_made(progress)))
        atomic_store(&progress->stop, true);
    stop_aside = aside;
    return !stop_wanted_locked(&progress->stop);
}

static void step_aside(struct stop_aside *aside)
{
    struct progress *progress = (struct progress *)(void *)aside;
    if (++progress->looks % LOOKS_A_CLOCK == 0)
        (void)progress_look(progress);
}

void progress_begin(struct progress *progress, nq_progress report, void *context)
{
    *progress = (struct progress){.before = stop_aside, .report = report, .context = context};
    atomic_init(&progress->aside.wanted, report != NULL);
    atomic_init(&progress->stop, false);
    pthread_mutex_init(&progress->lock, NULL);
    progress->aside.step_aside = step_aside;
    progress->next = clock_now() + INTERVAL_MILLISECONDS * CLOCK_MILLISECOND;
    stop_aside = &progress->aside;
}

void progress_end(struct progress *progress)
{
    stop_aside = progress->before;
    pthread_mutex_destroy(&progress->lock);
}

enum nq_status progress_unit(struct progress *progress, double weight, enum nq_status status)
{
    pthread_mutex_lock(&progress->lock);
    progress->made += weight;
    pthread_mutex_unlock(&progress->lock);
    if (status != NQ_OK)
        atomic_store(&progress->stop, true);
    else if (stop_aside == &progress->aside) /* the calling thread */
        (void)progress_look(progress);
    return status;
}
