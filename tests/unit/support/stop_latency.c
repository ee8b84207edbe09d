#include "support/stop_latency.h"

#include <pthread.h>

#include "base/clock.h"
#include "support/facts.h"

struct stopping {
    stop_latency_work *work;
    void *context;
    atomic_bool stop;
    enum nq_status status;
    uint64_t worked;
};

static void *work(void *of)
{
    struct stopping *stopping = of;
    stopping->status = stopping->work(stopping->context, &stopping->stop);
    stopping->worked = clock_worked();
    return NULL;
}

void stop_latency_check(stop_latency_work *what, void *context, unsigned after_ms, unsigned within_ms)
{
    struct stopping stopping = {.work = what, .context = context};
    const struct timespec moment = {.tv_nsec = (long)after_ms * 1000000};
    pthread_t thread;
    clockid_t clock;
    assert_int_equal(pthread_create(&thread, NULL, work, &stopping), 0);
    assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
    (void)nanosleep(&moment, NULL);
    const uint64_t worked = clock_read(clock);
    atomic_store(&stopping.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(stopping.status, NQ_CANCELLED);
    assert_true(stopping.worked - worked < within_ms * (CLOCK_SECOND / 1000));
}
