/* progress.c - reports at most ten times a second. */
#include "library/progress.h"

#include "base/clock.h"

enum { INTERVAL_MILLISECONDS = 100, LOOKS_A_CLOCK = 16 };

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
    if (!progress->report(progress->context, progress->done ? progress->done(progress->of) : 0))
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
    progress->aside.step_aside = step_aside;
    progress->next = clock_now() + INTERVAL_MILLISECONDS * CLOCK_MILLISECOND;
    stop_aside = &progress->aside;
}

void progress_end(struct progress *progress)
{
    stop_aside = progress->before;
}
