/* test_pool.c - tests of src/engine/run/pool.c: what runs, in which order, how many may wait, and how it ends.
 */
/* CI builds: address thread */
#include "engine/run/pool.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/pool_jobs.h"

/* A pool of one thread, and a task that keeps it busy until it is let go. */
static struct pool *plugged_pool(size_t capacity, struct blocker *blocker)
{
    struct pool *pool = new_pool(1, capacity);
    blocker_begin(blocker, pool);
    return pool;
}

TEST(test_every_task_runs_its_slices)
{
    enum { JOBS = 500 };
    static struct job jobs[JOBS];
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct pool *pool = new_pool(threads, JOBS);
        atomic_size_t done = 0;
        assert_int_equal(pool_stats(pool).threads, threads);
        for (unsigned i = 0; i < JOBS; i++) {
            jobs[i] = job_of(1 + i % 7, &done);
            assert_true(pool_try_add(pool, &jobs[i].task));
        }
        WAIT_UNTIL(atomic_load(&done) == JOBS);
        end_pool(pool);
        for (unsigned i = 0; i < JOBS; i++) {
            assert_int_equal(jobs[i].slices, 1 + i % 7);
            assert_int_equal(jobs[i].clashes, 0);
        }
    }
}

/* A task of a client that wants so many slices. */
struct diarist {
    char name;
    uint64_t client;
    unsigned slices;
};

/* The names of those tasks, which wait for one thread, in the order in which they have their slices. */
static void check_diary(const struct diarist *tasks, size_t count, const char *wanted)
{
    struct blocker blocker;
    struct pool *pool = plugged_pool(1, &blocker);
    char diary[16] = "";
    atomic_size_t done = 0;
    struct job jobs[8];
    for (size_t i = 0; i < count; i++) {
        jobs[i] = job_of(tasks[i].slices, &done);
        jobs[i].task.turn.client = tasks[i].client;
        jobs[i].name = tasks[i].name;
        jobs[i].diary = diary;
        assert_true(pool_add(pool, &jobs[i].task));
    }
    blocker_end(&blocker);
    WAIT_UNTIL(atomic_load(&done) == count);
    end_pool(pool);
    assert_string_equal(diary, wanted);
}

/* First come, first served; who wants another slice queues up again, though the queue be full. */
TEST(test_slices_take_turns)
{
    static const struct diarist tasks[] = {{'a', 0, 3}, {'b', 0, 1}, {'c', 0, 2}, {'d', 0, 4}};
    check_diary(tasks, 4, "abcdacdadd");
}

/* Each client has a slice in its turn, however many tasks another one has, and of one client's tasks the first in is
 * the first out. Client 128 more shares a turn. */
TEST(test_clients_take_turns)
{
    static const struct diarist tasks[] = {{'a', 7, 2}, {'b', 7, 1}, {'c', 7, 1},      {'d', 7, 1},
                                           {'e', 8, 3}, {'f', 9, 1}, {'g', 9 + 128, 1}};
    check_diary(tasks, 7, "aefbegceda");
}

TEST(test_a_full_queue_refuses)
{
    for (size_t capacity = 0; capacity <= 3; capacity++) {
        struct blocker blocker;
        struct pool *pool = plugged_pool(capacity, &blocker);
        struct job jobs[6];
        atomic_size_t done = 0;
        for (size_t i = 0; i < 6; i++)
            jobs[i] = job_of(1, &done);
        assert_int_equal(pool_stats(pool).running, 1); /* which takes no place in the queue */
        for (size_t i = 0; i < capacity; i++)
            assert_true(pool_try_add(pool, &jobs[i].task));
        assert_false(pool_try_add(pool, &jobs[4].task));
        assert_int_equal(pool_stats(pool).queued, capacity);
        assert_true(pool_add(pool, &jobs[5].task)); /* who was let in before may go over the bound */
        assert_int_equal(pool_stats(pool).queued, capacity + 1);
        assert_false(pool_try_add(pool, &jobs[4].task));
        blocker_end(&blocker);
        WAIT_UNTIL(atomic_load(&done) == capacity + 1);
        assert_int_equal(pool_try_add(pool, &jobs[4].task), capacity > 0); /* there is room again */
        end_pool(pool);
        assert_int_equal(jobs[4].slices, capacity > 0);
        assert_int_equal(jobs[5].slices, 1);
    }
}

/* Tasks of parties that were admitted before take no places, however long they run or wait. */
TEST(test_only_tasks_from_outside_are_bounded)
{
    struct pool *pool = new_pool(1, 2);
    struct blocker blocker;
    atomic_size_t done = 0;
    struct job endless = job_of(UINT32_MAX, &done), jobs[5];
    assert_true(pool_add(pool, &endless.task));
    WAIT_UNTIL(atomic_load(&endless.slices) > 2);
    blocker_begin(&blocker, pool); /* now the endless one waits for its next slice */
    for (size_t i = 0; i < 5; i++)
        jobs[i] = job_of(1, &done);
    assert_true(pool_add(pool, &jobs[0].task));
    assert_true(pool_add(pool, &jobs[1].task));
    assert_true(pool_try_add(pool, &jobs[2].task));
    assert_true(pool_try_add(pool, &jobs[3].task));
    assert_false(pool_try_add(pool, &jobs[4].task));
    assert_int_equal(pool_stats(pool).queued, 5);
    blocker_end(&blocker);
    WAIT_UNTIL(atomic_load(&done) == 4);
    assert_true(pool_try_add(pool, &jobs[4].task)); /* there is room again */
    WAIT_UNTIL(atomic_load(&done) == 5);
    atomic_store(&endless.slices, UINT32_MAX - 1);
    end_pool(pool);
}

struct inspection {
    struct pool_task task;
    uint64_t deadline, now;
    int nice, policy;
    sem_t *mine, *other; /* NULL: nobody to meet */
    atomic_bool done;
};

static bool inspect(struct pool_task *task, const struct slice *slice)
{
    struct inspection *inspection = (struct inspection *)task;
    inspection->now = clock_now();
    inspection->deadline = slice->deadline;
    inspection->nice = getpriority(PRIO_PROCESS, (id_t)gettid());
    inspection->policy = sched_getscheduler(gettid());
    if (inspection->mine) {
        (void)sem_post(inspection->other);
        while (sem_wait(inspection->mine) != 0) {
        }
    }
    atomic_store(&inspection->done, true);
    return false;
}

/* A slice ends soon after it began, and whoever serves requests comes first; who has all the time in the world comes
 * after everyone else. */
TEST(test_a_slice_is_short_and_nice)
{
    for (int idle = 0; idle < 2; idle++) {
        struct pool *pool = patient_pool(1, 1, idle ? POOL_IDLE : POOL_NICE);
        struct inspection inspection = {.task.run = inspect};
        const uint64_t before = clock_now();
        assert_true(pool_try_add(pool, &inspection.task));
        WAIT_UNTIL(atomic_load(&inspection.done));
        end_pool(pool);
        assert_true(inspection.deadline > before);
        assert_true(inspection.deadline <= inspection.now + CLOCK_SECOND / 20);
        assert_true(inspection.nice >= 10);
        assert_int_equal(inspection.policy, idle ? SCHED_IDLE : SCHED_OTHER);
    }
}

/* Each of two tasks waits for the other: one thread alone would wait forever. */
TEST(test_tasks_run_at_the_same_time)
{
    struct pool *pool = new_pool(2, 2);
    sem_t left, right;
    assert_int_equal(sem_init(&left, 0, 0) | sem_init(&right, 0, 0), 0);
    struct inspection one = {.task.run = inspect, .mine = &left, .other = &right};
    struct inspection two = {.task.run = inspect, .mine = &right, .other = &left};
    assert_true(pool_try_add(pool, &one.task) && pool_try_add(pool, &two.task));
    WAIT_UNTIL(atomic_load(&one.done) && atomic_load(&two.done));
    end_pool(pool);
    (void)sem_destroy(&left);
    (void)sem_destroy(&right);
}

static void *stop_pool(void *pool)
{
    pool_stop(pool);
    return NULL;
}

/* Stopping: nobody gets in any more, and all who are in are carried out to their last slice. */
TEST(test_stop_drains_and_refuses)
{
    enum { JOBS = 20, PROBES = 1 << 16 };
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct pool *pool = new_pool(threads, JOBS);
        struct blocker blockers[3];
        struct job jobs[JOBS], *probes = calloc(PROBES, sizeof *probes);
        atomic_size_t done = 0;
        pthread_t stopper;
        assert_non_null(probes);
        for (unsigned i = 0; i < threads; i++)
            blocker_begin(&blockers[i], pool);
        for (unsigned i = 0; i < JOBS; i++) {
            jobs[i] = job_of(1 + i, &done);
            assert_true(pool_try_add(pool, &jobs[i].task));
        }
        start(&stopper, stop_pool, pool);
        size_t taken = 0;
        for (bool in = true; in; taken += in) { /* until it has begun to stop */
            asking_pause();
            assert_true(taken < PROBES);
            probes[taken] = job_of(1, &done);
            in = pool_add(pool, &probes[taken].task);
        }
        assert_false(pool_try_add(pool, &probes[taken].task));
        assert_int_equal(pool_stats(pool).queued, JOBS + taken); /* all still to be done */
        for (unsigned i = 0; i < threads; i++)
            blocker_end(&blockers[i]);
        assert_int_equal(pthread_join(stopper, NULL), 0);
        assert_int_equal(atomic_load(&done), JOBS + taken);
        for (unsigned i = 0; i < JOBS; i++)
            assert_int_equal(jobs[i].slices, 1 + i);
        assert_false(pool_add(pool, &probes[taken].task));
        assert_false(pool_try_add(pool, &probes[taken].task));
        assert_int_equal(probes[taken].slices, 0);
        assert_int_equal(pool_stats(pool).queued, 0);
        pool_free(pool);
        free(probes);
    }
}

TEST(test_stop_with_nothing_to_do)
{
    for (unsigned threads = 1; threads <= 8; threads++)
        for (int again = 0; again < 20; again++)
            end_pool(new_pool(threads, 1));
}

enum { ADDERS = 4, EACH = 2000 };

struct adder {
    struct pool *pool;
    atomic_size_t *done, *slices;
};

/* A task that nobody needs after its last slice: it frees itself, so any later touch of it is one too many. */
struct orphan {
    struct pool_task task;
    const struct adder *adder;
    unsigned left;
};

static bool run_orphan(struct pool_task *task, const struct slice *slice)
{
    struct orphan *orphan = (struct orphan *)task;
    const struct adder *adder = orphan->adder;
    (void)slice;
    atomic_fetch_add(adder->slices, 1);
    if (orphan->left-- > 0)
        return true;
    memset(orphan, 0xa5, sizeof *orphan);
    free(orphan);
    atomic_fetch_add(adder->done, 1);
    return false;
}

static void *add_orphans(void *context)
{
    const struct adder *adder = context;
    for (unsigned i = 0; i < EACH; i++) {
        struct orphan *orphan = malloc(sizeof *orphan);
        if (!orphan)
            break;
        *orphan = (struct orphan){.task.run = run_orphan, .adder = adder, .left = i % 3};
        while (!pool_try_add(adder->pool, &orphan->task))
            asking_pause();
        if (i % 16 == 0)
            CHECKED(pool_check(adder->pool));
    }
    return NULL;
}

TEST(test_many_threads_add)
{
    struct pool *pool = new_pool(4, 100);
    atomic_size_t done = 0, slices = 0;
    struct adder adder = {pool, &done, &slices};
    pthread_t threads[ADDERS];
    for (int i = 0; i < ADDERS; i++)
        start(&threads[i], add_orphans, &adder);
    for (int i = 0; i < ADDERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    end_pool(pool); /* while some are still queued */
    assert_int_equal(atomic_load(&done), ADDERS * EACH);
    size_t each = 0;
    for (unsigned i = 0; i < EACH; i++)
        each += 1 + i % 3;
    assert_int_equal(atomic_load(&slices), ADDERS * each);
}

/* A task that does not come back from its slice is not waited for beyond the time. */
TEST(test_stop_gives_up)
{
    struct pool *pool = new_pool(2, 2);
    struct blocker blocker;
    atomic_size_t done = 0;
    struct job job = job_of(5, &done);
    blocker_begin(&blocker, pool);
    assert_true(pool_try_add(pool, &job.task));
    const uint64_t before = clock_now();
    assert_false(pool_stop_until(pool, before + CLOCK_SECOND / 2));
    assert_true(clock_now() - before >= CLOCK_SECOND / 2);
    assert_int_equal(atomic_load(&done), 1); /* the other thread went on */
    assert_false(pool_try_add(pool, &job.task));
    blocker_end(&blocker);
    WAIT_UNTIL(pool_stats(pool).running == 0);
    assert_true(pool_stop_until(pool, clock_now() + 60 * CLOCK_SECOND));
    pool_free(pool);
}
