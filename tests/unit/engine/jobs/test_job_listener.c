/* test_job_listener.c - tests of jobs_listen() in src/engine/jobs: each end of a job is announced once it shows,
 * without a lock, and only to the listener that was set last. */
/* CI builds: address thread */
#include <string.h>

#include "support/job_fixture.h"

/* Looks at each job that it is called for. */
struct spy {
    struct job_listener listener;
    struct jobs *jobs;
    atomic_uint calls;
    atomic_uint seen; /* by bits of enum job_state: how jobs were over. The news of one may come twice, and late */
    atomic_bool freed;
};

static void on_change(struct job_listener *listener, const char *id)
{
    struct spy *spy = (struct spy *)listener;
    struct job_view view;
    atomic_fetch_add(&spy->calls, 1);
    assert_int_equal(jobs_look(spy->jobs, id, false, &view), NQ_OK); /* this takes the jobs' lock */
    if (job_state_over(view.state))
        atomic_fetch_or(&spy->seen, 1U << view.state);
    job_view_free(&view);
}

static void on_free(struct job_listener *listener)
{
    atomic_store(&((struct spy *)listener)->freed, true);
}

static void spy_begin(struct spy *spy, struct jobs *jobs)
{
    *spy = (struct spy){.listener = {.references = 1, .changed = on_change, .free = on_free}, .jobs = jobs};
    jobs_listen(jobs, &spy->listener);
}

WITH_PROCESS(test_ends_are_announced)
{
    struct spy spy;
    char id[JOB_ID_SIZE];
    spy_begin(&spy, process.jobs);
    subscribe("a", id);
    WAIT_UNTIL(atomic_load(&spy.seen) >> JOB_DONE & 1);

    process.fixture.script.hold = true;
    subscribe("b", id);
    cancel(id, "");
    WAIT_UNTIL(atomic_load(&spy.seen) >> JOB_CANCELLED & 1);

    process.fixture.script.finish_as = NQ_LIMIT;
    atomic_store(&process.fixture.script.hold, false);
    subscribe("c", id);
    WAIT_UNTIL(atomic_load(&spy.seen) >> JOB_FAILED & 1);
    next_process(1, 10, 10);
    assert_true(atomic_load(&spy.freed));
}

WITH_PROCESS(test_one_listener_after_another)
{
    struct spy first, second;
    char id[JOB_ID_SIZE];
    spy_begin(&first, process.jobs);
    spy_begin(&second, process.jobs);
    assert_true(atomic_load(&first.freed));
    subscribe("a", id);
    WAIT_UNTIL(atomic_load(&second.seen) >> JOB_DONE & 1);
    jobs_listen(process.jobs, NULL);
    WAIT_UNTIL(atomic_load(&second.freed)); /* a call may still be under way */
    const unsigned calls = atomic_load(&second.calls);
    subscribe("b", id);
    process_expect(&process, id, JOB_DONE, "b");
    next_process(1, 10, 10);
    assert_int_equal(atomic_load(&first.calls), 0);
    assert_int_equal(atomic_load(&second.calls), calls);
}
