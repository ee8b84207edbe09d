/* parallel.c - threads that live for one call. */
#include "base/parallel.h"

#include <pthread.h>

struct call {
    void (*run)(void *context);
    void *context;
};

static void *call(void *arg)
{
    const struct call *call = arg;
    (void)pthread_setname_np(pthread_self(), "nqueens");
    call->run(call->context);
    return NULL;
}

void parallel_run(unsigned threads, void (*run)(void *context), void *context)
{
    struct call mine = {.run = run, .context = context};
    pthread_t thread[PARALLEL_MOST];
    unsigned started = 0;
    while (started + 1 < threads && started + 1 < PARALLEL_MOST &&
           pthread_create(&thread[started], NULL, call, &mine) == 0)
        started++;
    run(context);
    while (started)
        pthread_join(thread[--started], NULL);
}

struct sharing {
    const struct parallel_units *units;
    atomic_size_t next;
    atomic_int status; /* the first that is not NQ_OK ends all */
};

/* Others may have been stopped for the sake of a unit that failed: what counts is why that did. */
static void note(struct sharing *sharing, enum nq_status status)
{
    int seen = NQ_OK;
    if (!atomic_compare_exchange_strong(&sharing->status, &seen, (int)status) && seen == NQ_CANCELLED &&
        status != NQ_OK)
        atomic_store(&sharing->status, (int)status);
}

static void share(void *context)
{
    struct sharing *sharing = context;
    const struct parallel_units *units = sharing->units;
    size_t unit;
    while (atomic_load(&sharing->status) == NQ_OK && (unit = atomic_fetch_add(&sharing->next, 1)) < units->count)
        note(sharing, stop_wanted(units->stop) ? NQ_CANCELLED : units->make(units->of, unit));
}

enum nq_status parallel_units(unsigned threads, const struct parallel_units *units)
{
    struct sharing sharing = {.units = units};
    parallel_run(threads, share, &sharing);
    if (stop_wanted_locked(units->stop))
        note(&sharing, NQ_CANCELLED);
    return (enum nq_status)atomic_load(&sharing.status);
}
