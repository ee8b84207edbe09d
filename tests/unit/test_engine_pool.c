/* test_engine_pool.c - tests of src/engine/pool.c: what runs, in which order, how many may wait, and how it ends. */
#include "engine/pool.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "asking.h"

/* A task that counts its slices, notes its name where the order matters, and watches that no two threads have it. */
struct job {
    struct pool_task task;
    unsigned wanted; /* slices; then it is done */
    atomic_uint slices, inside, clashes;
    char name;
    char *diary; /* NULL: keeps none. One worker only */
    atomic_size_t *done;
};

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

static struct job job_of(unsigned wanted, atomic_size_t *done)
{
    return (struct job){.task.run = run_job, .wanted = wanted, .done = done};
}

static struct pool *new_pool(unsigned threads, size_t capacity)
{
    struct pool *pool = pool_new(threads, capacity, POOL_NICE, NULL);
    assert_non_null(pool);
    return pool;
}

static void end_pool(struct pool *pool)
{
    pool_stop(pool);
    assert_int_equal(pool_figures(pool).running, 0);
    assert_int_equal(pool_figures(pool).queued, 0);
    pool_free(pool);
}

static void test_every_task_runs_its_slices(void **state)
{
    (void)state;
    enum { JOBS = 500 };
    static struct job jobs[JOBS];
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct pool *pool = new_pool(threads, JOBS);
        atomic_size_t done = 0;
        assert_int_equal(pool_figures(pool).threads, threads);
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

/* First come, first served; who wants another slice queues up again, though the queue be full. */
static void test_slices_take_turns(void **state)
{
    (void)state;
    struct pool *pool = new_pool(1, 1);
    struct plug plug;
    char diary[16] = "";
    atomic_size_t done = 0;
    struct job jobs[4];
    static const unsigned slices[] = {3, 1, 2, 4};
    plug_in(&plug, pool);
    for (size_t i = 0; i < 4; i++) {
        jobs[i] = job_of(slices[i], &done);
        jobs[i].name = (char)('a' + i);
        jobs[i].diary = diary;
        assert_true(pool_add(pool, &jobs[i].task));
    }
    plug_out(&plug);
    WAIT_UNTIL(atomic_load(&done) == 4);
    end_pool(pool);
    assert_string_equal(diary, "abcdacdadd");
}

/* Each client has a slice in its turn, however many tasks another one has, and of one client's tasks the first in is
 * the first out. Client 128 more shares a turn. */
static void test_clients_take_turns(void **state)
{
    (void)state;
    static const struct {
        char name;
        uint64_t client;
        unsigned slices;
    } tasks[] = {{'a', 7, 2}, {'b', 7, 1}, {'c', 7, 1}, {'d', 7, 1}, {'e', 8, 3}, {'f', 9, 1}, {'g', 9 + 128, 1}};
    enum { TASKS = sizeof tasks / sizeof tasks[0] };
    struct pool *pool = new_pool(1, 1);
    struct plug plug;
    char diary[16] = "";
    atomic_size_t done = 0;
    struct job jobs[TASKS];
    plug_in(&plug, pool);
    for (size_t i = 0; i < TASKS; i++) {
        jobs[i] = job_of(tasks[i].slices, &done);
        jobs[i].task.client = tasks[i].client;
        jobs[i].name = tasks[i].name;
        jobs[i].diary = diary;
        assert_true(pool_add(pool, &jobs[i].task));
    }
    plug_out(&plug);
    WAIT_UNTIL(atomic_load(&done) == TASKS);
    end_pool(pool);
    assert_string_equal(diary, "aefbegceda");
}

static void test_a_full_queue_refuses(void **state)
{
    (void)state;
    for (size_t capacity = 0; capacity <= 3; capacity++) {
        struct pool *pool = new_pool(1, capacity);
        struct plug plug;
        struct job jobs[6];
        atomic_size_t done = 0;
        for (size_t i = 0; i < 6; i++)
            jobs[i] = job_of(1, &done);
        plug_in(&plug, pool);
        assert_int_equal(pool_figures(pool).running, 1); /* which takes no place in the queue */
        for (size_t i = 0; i < capacity; i++)
            assert_true(pool_try_add(pool, &jobs[i].task));
        assert_false(pool_try_add(pool, &jobs[4].task));
        assert_int_equal(pool_figures(pool).queued, capacity);
        assert_true(pool_add(pool, &jobs[5].task)); /* who was let in before may go over the bound */
        assert_int_equal(pool_figures(pool).queued, capacity + 1);
        assert_false(pool_try_add(pool, &jobs[4].task));
        plug_out(&plug);
        WAIT_UNTIL(atomic_load(&done) == capacity + 1);
        assert_int_equal(pool_try_add(pool, &jobs[4].task), capacity > 0); /* there is room again */
        end_pool(pool);
        assert_int_equal(jobs[4].slices, capacity > 0);
        assert_int_equal(jobs[5].slices, 1);
    }
}

/* Tasks of parties that were admitted before take no places, however long they run or wait. */
static void test_only_tasks_from_outside_are_bounded(void **state)
{
    (void)state;
    struct pool *pool = new_pool(1, 2);
    struct plug plug;
    atomic_size_t done = 0;
    struct job endless = job_of(UINT32_MAX, &done), jobs[5];
    assert_true(pool_add(pool, &endless.task));
    WAIT_UNTIL(atomic_load(&endless.slices) > 2);
    plug_in(&plug, pool); /* now the endless one waits for its next slice */
    for (size_t i = 0; i < 5; i++)
        jobs[i] = job_of(1, &done);
    assert_true(pool_add(pool, &jobs[0].task));
    assert_true(pool_add(pool, &jobs[1].task));
    assert_true(pool_try_add(pool, &jobs[2].task));
    assert_true(pool_try_add(pool, &jobs[3].task));
    assert_false(pool_try_add(pool, &jobs[4].task));
    assert_int_equal(pool_figures(pool).queued, 5);
    plug_out(&plug);
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

/* A slice ends soon after it began, and whoever serves requests comes first. */
static void test_a_slice_is_short_and_nice(void **state)
{
    (void)state;
    struct pool *pool = new_pool(1, 1);
    struct inspection inspection = {.task.run = inspect};
    const uint64_t before = clock_now();
    assert_true(pool_try_add(pool, &inspection.task));
    WAIT_UNTIL(atomic_load(&inspection.done));
    end_pool(pool);
    assert_true(inspection.deadline > before);
    assert_true(inspection.deadline <= inspection.now + CLOCK_SECOND / 20);
    assert_true(inspection.nice >= 10);
    assert_int_equal(inspection.policy, SCHED_OTHER);
}

/* Who has all the time in the world comes after everyone else. */
static void test_an_idle_pool(void **state)
{
    (void)state;
    struct pool *pool = pool_new(1, 1, POOL_IDLE, NULL);
    struct inspection inspection = {.task.run = inspect};
    assert_non_null(pool);
    assert_true(pool_try_add(pool, &inspection.task));
    WAIT_UNTIL(atomic_load(&inspection.done));
    end_pool(pool);
    assert_true(inspection.nice >= 10);
    assert_int_equal(inspection.policy, SCHED_IDLE);
}

/* Each of two tasks waits for the other: one thread alone would wait forever. */
static void test_tasks_run_at_the_same_time(void **state)
{
    (void)state;
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
static void test_stop_drains_and_refuses(void **state)
{
    (void)state;
    enum { JOBS = 20, PROBES = 1 << 16 };
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct pool *pool = new_pool(threads, JOBS);
        struct plug plugs[3];
        struct job jobs[JOBS], *probes = calloc(PROBES, sizeof *probes);
        atomic_size_t done = 0;
        pthread_t stopper;
        assert_non_null(probes);
        for (unsigned i = 0; i < threads; i++)
            plug_in(&plugs[i], pool);
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
        assert_int_equal(pool_figures(pool).queued, JOBS + taken); /* all still to be done */
        for (unsigned i = 0; i < threads; i++)
            plug_out(&plugs[i]);
        assert_int_equal(pthread_join(stopper, NULL), 0);
        assert_int_equal(atomic_load(&done), JOBS + taken);
        for (unsigned i = 0; i < JOBS; i++)
            assert_int_equal(jobs[i].slices, 1 + i);
        assert_false(pool_add(pool, &probes[taken].task));
        assert_false(pool_try_add(pool, &probes[taken].task));
        assert_int_equal(probes[taken].slices, 0);
        assert_int_equal(pool_figures(pool).queued, 0);
        pool_free(pool);
        free(probes);
    }
}

static void test_stop_with_nothing_to_do(void **state)
{
    (void)state;
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
    }
    return NULL;
}

static void test_many_threads_add(void **state)
{
    (void)state;
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
static void test_stop_gives_up(void **state)
{
    (void)state;
    struct pool *pool = new_pool(2, 2);
    struct plug plug;
    atomic_size_t done = 0;
    struct job job = job_of(5, &done);
    plug_in(&plug, pool);
    assert_true(pool_try_add(pool, &job.task));
    const uint64_t before = clock_now();
    assert_false(pool_stop_until(pool, before + CLOCK_SECOND / 2));
    assert_true(clock_now() - before >= CLOCK_SECOND / 2);
    assert_int_equal(atomic_load(&done), 1); /* the other thread went on */
    assert_false(pool_try_add(pool, &job.task));
    plug_out(&plug);
    WAIT_UNTIL(pool_figures(pool).running == 0);
    assert_true(pool_stop_until(pool, clock_now() + 60 * CLOCK_SECOND));
    assert_true(pool_figures(pool).overrun >= 1);
    pool_free(pool);
}

/* ---- Rests ---- */

/* A task that has nothing to do until it is told to end. */
struct sleepyhead {
    struct pool_task task;
    atomic_uint slices;
    atomic_bool over;
    uint64_t began;
};

static bool run_sleepyhead(struct pool_task *task, const struct slice *slice)
{
    struct sleepyhead *head = (struct sleepyhead *)task;
    atomic_fetch_add(&head->slices, 1);
    return !atomic_load(&head->over) && slice_rest(slice) == NQ_AGAIN;
}

enum { HEADS = 5, REST_MS = 20 };

static void heads_begin(struct sleepyhead heads[static HEADS], struct pool *pool)
{
    for (int i = 0; i < HEADS; i++) {
        heads[i] = (struct sleepyhead){.task.run = run_sleepyhead, .began = clock_now()};
        assert_true(pool_add(pool, &heads[i].task));
    }
}

static void heads_end(struct sleepyhead heads[static HEADS])
{
    for (int i = 0; i < HEADS; i++)
        atomic_store(&heads[i].over, true);
}

/* Who rests takes neither a thread nor a place in the queue, and is asked again and again, but not at once. */
static void test_rests(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct pool *pool = new_pool(threads, 1);
        struct sleepyhead heads[HEADS];
        atomic_size_t done = 0;
        struct job endless = job_of(UINT32_MAX, &done);
        heads_begin(heads, pool);
        WAIT_UNTIL(pool_figures(pool).resting == HEADS);
        assert_int_equal(pool_figures(pool).running + pool_figures(pool).queued, 0);
        assert_true(pool_add(pool, &endless.task));
        for (int i = 0; i < HEADS; i++)
            WAIT_UNTIL(atomic_load(&heads[i].slices) > 3);
        for (int i = 0; i < HEADS; i++) {
            const unsigned slices = atomic_load(&heads[i].slices);
            assert_true(slices <= (clock_now() - heads[i].began) / (REST_MS * CLOCK_MILLISECOND) + 1);
        }
        atomic_store(&endless.slices, UINT32_MAX - 1);
        WAIT_UNTIL(atomic_load(&done) == 1);
        heads_end(heads);
        WAIT_UNTIL(pool_figures(pool).resting + pool_figures(pool).running + pool_figures(pool).queued == 0);
        end_pool(pool);
    }
}

/* Whichever threads are taken: one that is left sees to those who rest. */
static void test_somebody_watches_who_rests(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    struct pool *pool = new_pool(THREADS, 1);
    struct sleepyhead heads[HEADS];
    heads_begin(heads, pool);
    for (int round = 0; round < 20; round++) {
        struct plug plugs[THREADS - 1];
        for (int i = 0; i < THREADS - 1; i++)
            plug_in(&plugs[i], pool);
        const unsigned slices = atomic_load(&heads[round % HEADS].slices);
        WAIT_UNTIL(atomic_load(&heads[round % HEADS].slices) > slices + 1);
        for (int i = 0; i < THREADS - 1; i++)
            plug_out(&plugs[i]);
    }
    heads_end(heads);
    end_pool(pool);
}

/* Those who rest are heard once more before the pool ends. */
static void test_stop_wakes(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++)
        for (int until = 0; until < 2; until++) {
            struct pool *pool = new_pool(threads, 1);
            struct sleepyhead heads[HEADS];
            heads_begin(heads, pool);
            WAIT_UNTIL(pool_figures(pool).resting == HEADS);
            heads_end(heads);
            if (until)
                assert_true(pool_stop_until(pool, clock_now() + 60 * CLOCK_SECOND));
            else
                pool_stop(pool);
            assert_int_equal(pool_figures(pool).resting, 0);
            for (int i = 0; i < HEADS; i++)
                assert_true(atomic_load(&heads[i].slices) >= 2);
            pool_free(pool);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_task_runs_its_slices),
        cmocka_unit_test(test_slices_take_turns),
        cmocka_unit_test(test_clients_take_turns),
        cmocka_unit_test(test_a_full_queue_refuses),
        cmocka_unit_test(test_only_tasks_from_outside_are_bounded),
        cmocka_unit_test(test_a_slice_is_short_and_nice),
        cmocka_unit_test(test_an_idle_pool),
        cmocka_unit_test(test_tasks_run_at_the_same_time),
        cmocka_unit_test(test_stop_drains_and_refuses),
        cmocka_unit_test(test_stop_with_nothing_to_do),
        cmocka_unit_test(test_stop_gives_up),
        cmocka_unit_test(test_many_threads_add),
        cmocka_unit_test(test_rests),
        cmocka_unit_test(test_somebody_watches_who_rests),
        cmocka_unit_test(test_stop_wakes),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
