/* pool_jobs.c - see pool_jobs.h. */
#include "support/pool_jobs.h"

static bool run_job(struct pool_task *task, const struct slice *slice)
{
    struct job *job = (struct job *)task;
    (void)slice;
    if (atomic_fetch_add(&job->inside, 1) != 0)
        atomic_fetch_add(&job->clashes, 1);
    if (job->diary)
        job->diary[strlen(job->diary)] = job->name;
    bool more = atomic_fetch_add(&job->slices, 1) + 1 < job->wanted;
    atomic_fetch_sub(&job->inside, 1);
    if (!more)
        atomic_fetch_add(job->done, 1);
    return more;
}

struct job job_of(unsigned wanted, atomic_size_t *done)
{
    return (struct job){.task.run = run_job, .wanted = wanted, .done = done};
}

struct pool *new_pool(unsigned threads, size_t capacity)
{
    return patient_pool(threads, capacity, POOL_NICE);
}

void end_pool(struct pool *pool)
{
    CHECKED(pool_check(pool));
    pool_stop(pool);
    CHECKED(pool_check(pool));
    assert_int_equal(pool_stats(pool).running, 0);
    assert_int_equal(pool_stats(pool).queued, 0);
    pool_free(pool);
}
