/* parallel.c - threads that live for one call. */
#include "base/parallel.h"

#include <pthread.h>

enum { MOST = 64 };

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
    pthread_t thread[MOST];
    unsigned started = 0;
    while (started + 1 < threads && started < MOST && pthread_create(&thread[started], NULL, call, &mine) == 0)
        started++;
    run(context);
    while (started)
        pthread_join(thread[--started], NULL);
}
