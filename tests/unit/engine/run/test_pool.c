/* test_pool.c - tests of src/engine/run/pool.c: what runs, in which order, how many may wait, and how it ends; slices
 * that give way in their midst, tasks that rest, and those that are told to stop. */
/* CI builds: address thread */
#include "engine/run/pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include "support/questions.h"

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

/* Stops and frees a pool, in which nothing is left then. */
static void end_pool(struct pool *pool)
{
    CHECKED(pool_check(pool));
    pool_stop(pool);
    CHECKED(pool_check(pool));
    assert_int_equal(pool_stats(pool).running, 0);
    assert_int_equal(pool_stats(pool).queued, 0);
    pool_free(pool);
}
OWNER(end_pool, struct pool *)

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
    for (size_t capacity = 1; capacity <= 3; capacity++) {
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
        assert_true(pool_try_add(pool, &jobs[4].task)); /* there is room again, or its client has nothing here */
        end_pool(pool);
        assert_int_equal(jobs[4].slices, 1);
        assert_int_equal(jobs[5].slices, 1);
    }
}

/* Whoever fills the queue shuts out no client that has nothing there: each has one task, and the next one is refused
 * until the first is over. Client 128 more shares a turn, and is another one. */
TEST(test_a_full_queue_admits_a_client_with_nothing_there)
{
    enum { FULL = 3, OTHERS = 3 };
    static const uint64_t clients[OTHERS] = {7, 7 + 128, 128};
    struct blocker blocker;
    OWNED(end_pool) struct pool *pool = plugged_pool(FULL, &blocker);
    struct job filling[FULL + 1], first[OTHERS], second[OTHERS];
    atomic_size_t done = 0;
    for (size_t i = 0; i <= FULL; i++)
        filling[i] = job_of(1, &done);
    for (size_t i = 0; i < FULL; i++)
        assert_true(pool_try_add(pool, &filling[i].task));
    for (size_t i = 0; i < OTHERS; i++) {
        first[i] = second[i] = job_of(1, &done);
        first[i].task.turn.client = second[i].task.turn.client = clients[i];
        assert_true(pool_try_add(pool, &first[i].task));
        assert_false(pool_try_add(pool, &second[i].task));
    }
    assert_false(pool_try_add(pool, &filling[FULL].task));
    assert_int_equal(pool_stats(pool).bounded, FULL + OTHERS);
    CHECKED(pool_check(pool));
    blocker_end(&blocker);
    WAIT_UNTIL(atomic_load(&done) == FULL + OTHERS);
    for (size_t i = 0; i < OTHERS; i++)
        assert_true(pool_try_add(pool, &second[i].task));
}

/* Tasks of parties that were admitted before take no places, however long they run or wait. */
TEST(test_only_tasks_from_outside_are_bounded)
{
    OWNED(end_pool) struct pool *pool = new_pool(1, 2);
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
}

struct inspection {
    struct pool_task task;
    uint64_t deadline, now;
    int nice;
    sem_t *mine, *other; /* NULL: nobody to meet */
    atomic_bool done;
};

static bool inspect(struct pool_task *task, const struct slice *slice)
{
    struct inspection *inspection = (struct inspection *)task;
    inspection->now = clock_now();
    inspection->deadline = slice->deadline;
    inspection->nice = getpriority(PRIO_PROCESS, (id_t)gettid());
    if (inspection->mine) {
        (void)sem_post(inspection->other);
        while (sem_wait(inspection->mine) != 0) {
        }
    }
    atomic_store(&inspection->done, true);
    return false;
}

/* A slice ends soon after it began, and whoever serves requests comes first. */
TEST(test_a_slice_is_short_and_nice)
{
    struct pool *pool = new_pool(1, 1);
    struct inspection inspection = {.task.run = inspect};
    const uint64_t before = clock_now();
    assert_true(pool_try_add(pool, &inspection.task));
    WAIT_UNTIL(atomic_load(&inspection.done));
    end_pool(pool);
    assert_true(inspection.deadline > before);
    assert_true(inspection.deadline <= inspection.now + CLOCK_SECOND / 20);
    assert_true(inspection.nice >= 10);
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

/* When all is done all its threads sleep. */
TEST(test_nothing_to_do_takes_no_processor)
{
    OWNED(end_pool) struct pool *pool = new_pool(2, 1);
    struct blocker blocker;
    blocker_begin(&blocker, pool);
    blocker_end(&blocker);
    const uint64_t before = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    usleep(100000);
    assert_true(clock_read(CLOCK_PROCESS_CPUTIME_ID) - before < 50 * CLOCK_MILLISECOND);
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
    OWNED(pool_free) struct pool *pool = new_pool(2, 2);
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
}

/* ---- Giving way in the midst of a slice ---- */

/* A task that works in one slice until it is told to end, or has used so much of a processor. */
struct toil {
    struct pool_task task;
    bool looks;  /* at its stop flag, every now and then */
    bool sleeps; /* it takes no processor, so that it keeps its place */
    atomic_bool begun, end;
    uint64_t enough; /* nanoseconds; 0: only when told */
    atomic_ullong worked;
    atomic_bool over;
};

static bool run_toil(struct pool_task *task, const struct slice *slice)
{
    struct toil *toil = (struct toil *)task;
    const uint64_t before = clock_worked();
    (void)slice;
    atomic_store(&toil->begun, true);
    while (!(toil->looks ? stop_wanted(&toil->end) : atomic_load(&toil->end)) &&
           !(toil->enough && toil->worked >= toil->enough)) {
        atomic_store(&toil->worked, clock_worked() - before);
        if (toil->sleeps)
            (void)usleep(20000); /* waking takes some, too */
    }
    atomic_store(&toil->over, true);
    return false;
}

/* Whoever comes while the only place is taken by one endless slice is done before that ends: the slice is set aside
 * where it looks at its flag, or loses its place. */
TEST(test_long_slices_give_way)
{
    for (int looks = 0; looks < 2; looks++) {
        OWNED(end_pool) struct pool *pool = new_pool(1, 0);
        struct toil toil = {.task = {.run = run_toil, .turn.client = 1}, .looks = looks};
        struct job jobs[20];
        atomic_size_t done = 0;
        assert_true(pool_add(pool, &toil.task));
        WAIT_UNTIL(atomic_load(&toil.begun));
        for (unsigned i = 0; i < 20; i++) {
            jobs[i] = job_of(1 + i, &done);
            jobs[i].task.turn.client = 2 + i % 3;
            assert_true(pool_add(pool, &jobs[i].task));
        }
        WAIT_UNTIL(atomic_load(&done) == 20);
        assert_false(atomic_load(&toil.over));
        assert_true(pool_stats(pool).set_aside > 0);
        const uint64_t worked = atomic_load(&toil.worked);
        WAIT_UNTIL(atomic_load(&toil.worked) > worked); /* it goes on */
        atomic_store(&toil.end, true);
    }
}

/* Who has hardly been on a processor keeps the place, however long ago it was asked to look around. */
TEST(test_who_is_not_let_run_keeps_its_place)
{
    OWNED(end_pool) struct pool *pool = new_pool(1, 0);
    struct toil toil = {.task = {.run = run_toil, .turn.client = 1}, .sleeps = true};
    atomic_size_t done = 0;
    struct job other = job_of(1, &done);
    other.task.turn.client = 2;
    assert_true(pool_add(pool, &toil.task));
    WAIT_UNTIL(atomic_load(&toil.begun));
    const uint64_t begun = clock_now();
    assert_true(pool_add(pool, &other.task));
    WAIT_UNTIL(clock_now() > begun + 100 * CLOCK_MILLISECOND || atomic_load(&toil.worked) > 15 * CLOCK_MILLISECOND);
    assert_int_equal(pool_stats(pool).set_aside, 0);
    assert_int_equal(atomic_load(&done), 0);
    atomic_store(&toil.end, true);
    WAIT_UNTIL(atomic_load(&done) == 1);
}

/* One client's brief tasks come to their end while many long ones of the same client do not: these are known to be
 * long, and do not hold all the threads. */
TEST(test_brief_tasks_beside_long_ones_of_the_same_client)
{
    enum { LONG = 2 * (TURN_SHARERS + TURN_SHORTER) };
    OWNED(end_pool) struct pool *pool = new_pool(2, 0);
    struct toil toils[LONG];
    atomic_size_t done = 0;
    for (unsigned i = 0; i < LONG; i++) {
        toils[i] = (struct toil){.task = {.run = run_toil, .turn = {.client = 1, .expected = 1000 * CLOCK_SECOND}},
                                 .looks = true};
        assert_true(pool_add(pool, &toils[i].task));
    }
    WAIT_UNTIL(atomic_load(&toils[1].worked) > 20 * CLOCK_MILLISECOND);
    for (unsigned i = 0; i < 20; i++) {
        struct job brief = job_of(1 + i, &done);
        brief.task.turn.client = 1;
        assert_true(pool_add(pool, &brief.task));
        WAIT_UNTIL(atomic_load(&done) == 1 + i);
    }
    assert_false(atomic_load(&toils[2].begun)); /* one client has two long tasks at a time */
    for (unsigned i = 0; i < LONG; i++)
        atomic_store(&toils[i].end, true);
}

/* A job that knows with which priority it was run. */
struct ranked {
    struct job job;
    bool (*run)(struct pool_task *task, const struct slice *slice);
    atomic_int nice;
};

static bool run_ranked(struct pool_task *task, const struct slice *slice)
{
    struct ranked *ranked = (struct ranked *)task;
    atomic_store(&ranked->nice, getpriority(PRIO_PROCESS, (id_t)gettid()));
    return ranked->run(task, slice);
}

static struct ranked ranked_of(unsigned client, atomic_size_t *done)
{
    struct ranked ranked = {.job = job_of(1, done)};
    ranked.run = ranked.job.task.run;
    ranked.job.task.run = run_ranked;
    ranked.job.task.turn.client = client;
    return ranked;
}

/* Who begins in the extra place has the priority of who serves requests; who has another place steps back. */
TEST(test_extra_place_does_not_step_back)
{
    struct pool *pool = pool_new(&(struct pool_options){.threads = 1, .extra = true});
    struct toil toil = {.task = {.run = run_toil, .turn.client = 1}, .sleeps = true};
    atomic_size_t done = 0;
    struct ranked before = ranked_of(2, &done), meanwhile = ranked_of(2, &done);
    assert_non_null(pool);
    assert_true(pool_add(pool, &before.job.task));
    WAIT_UNTIL(atomic_load(&done) == 1 && pool_stats(pool).running == 0); /* or the extra place would take the next */
    assert_true(pool_add(pool, &toil.task));
    WAIT_UNTIL(atomic_load(&toil.begun));
    assert_true(pool_add(pool, &meanwhile.job.task));
    WAIT_UNTIL(atomic_load(&done) == 2);
    atomic_store(&toil.end, true);
    end_pool(pool);
    const int own = getpriority(PRIO_PROCESS, 0);
    assert_int_equal(atomic_load(&meanwhile.nice), own);
    assert_true(own > 10 || atomic_load(&before.nice) == 10);
}

/* While one slice that does not end has the only place, which nothing takes from it, other clients have the first slice
 * of their questions in the extra place, one after the other, and no more; its own client has nothing there. */
TEST(test_extra_place_for_newcomers)
{
    OWNED(end_pool) struct pool *pool = pool_new(&(struct pool_options){.threads = 1, .extra = true});
    struct toil toil = {.task = {.run = run_toil, .turn.client = 1}, .sleeps = true};
    struct job short_ones[8], own, longer;
    atomic_size_t done = 0, others_done = 0;
    assert_non_null(pool);
    assert_true(pool_add(pool, &toil.task));
    WAIT_UNTIL(atomic_load(&toil.begun));
    own = job_of(1, &others_done);
    own.task.turn.client = 1;
    longer = job_of(2, &others_done);
    longer.task.turn.client = 2;
    assert_true(pool_add(pool, &own.task) && pool_add(pool, &longer.task));
    for (unsigned i = 0; i < 8; i++) {
        short_ones[i] = job_of(1, &done);
        short_ones[i].task.turn.client = 3 + i % 4;
        assert_true(pool_add(pool, &short_ones[i].task));
    }
    WAIT_UNTIL(atomic_load(&done) == 8);
    WAIT_UNTIL(atomic_load(&longer.slices) == 1 && pool_stats(pool).running == 1);
    assert_false(atomic_load(&toil.over));
    assert_int_equal(atomic_load(&own.slices), 0);
    assert_int_equal(pool_stats(pool).queued, 2);
    assert_int_equal(pool_stats(pool).slices, 9);
    assert_int_equal(pool_stats(pool).set_aside, 0);
    atomic_store(&toil.end, true);
    WAIT_UNTIL(atomic_load(&others_done) == 2);
}

/* Whether none of them has had ten times as much as another. */
static bool evenly(struct toil *toils, unsigned clients)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned i = 0; i < clients; i++) {
        const uint64_t worked = atomic_load(&toils[i].worked);
        least = worked < least ? worked : least;
        most = worked > most ? worked : most;
    }
    return most < 10 * least;
}

/* As many clients as have a thread each share one place evenly, though each works in one slice, and so does one
 * client's next task that has used little. */
TEST(test_long_slices_share)
{
    enum { CLIENTS = TURN_SHARERS };
    const uint64_t enough = 20 * CLOCK_MILLISECOND;
    OWNED(end_pool) struct pool *pool = new_pool(1, 0);
    struct toil toils[CLIENTS], young = {.task = {.run = run_toil}, .looks = true, .enough = enough};
    for (unsigned i = 0; i < CLIENTS; i++) {
        toils[i] = (struct toil){.task = {.run = run_toil, .turn.client = i}, .looks = true};
        assert_true(pool_add(pool, &toils[i].task));
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        WAIT_UNTIL(atomic_load(&toils[i].worked) > enough);
    WAIT_UNTIL(evenly(toils, CLIENTS)); /* sooner or later: who watches over them may be late on a busy machine */
    assert_true(pool_add(pool, &young.task));
    WAIT_UNTIL(atomic_load(&young.over));
    for (unsigned i = 0; i < CLIENTS; i++)
        atomic_store(&toils[i].end, true);
}

/* Only who uses a processor for long without looking around overruns. */
TEST(test_overruns_are_counted)
{
    const uint64_t long_time = 120 * CLOCK_MILLISECOND;
    for (int looks = 0; looks < 2; looks++) {
        OWNED(end_pool) struct pool *pool = new_pool(1, 0);
        struct toil toil = {.task.run = run_toil, .looks = looks, .enough = long_time};
        assert_true(pool_add(pool, &toil.task));
        WAIT_UNTIL(atomic_load(&toil.over));
        WAIT_UNTIL(pool_stats(pool).running == 0);
        assert_int_equal(pool_stats(pool).overrun > 0, !looks);
    }
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
TEST(test_rests)
{
    for (unsigned threads = 1; threads <= 3; threads++) {
        OWNED(end_pool) struct pool *pool = new_pool(threads, 1);
        struct sleepyhead heads[HEADS];
        atomic_size_t done = 0;
        struct job endless = job_of(UINT32_MAX, &done);
        heads_begin(heads, pool);
        WAIT_UNTIL(pool_stats(pool).resting == HEADS);
        assert_int_equal(pool_stats(pool).running + pool_stats(pool).queued, 0);
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
        WAIT_UNTIL(pool_stats(pool).resting + pool_stats(pool).running + pool_stats(pool).queued == 0);
    }
}

/* Whichever threads are taken: one that is left sees to those who rest. */
TEST(test_somebody_watches_who_rests)
{
    enum { THREADS = 3 };
    OWNED(end_pool) struct pool *pool = new_pool(THREADS, 1);
    struct sleepyhead heads[HEADS];
    heads_begin(heads, pool);
    for (int round = 0; round < 20; round++) {
        struct blocker blockers[THREADS - 1];
        for (int i = 0; i < THREADS - 1; i++)
            blocker_begin(&blockers[i], pool);
        const unsigned slices = atomic_load(&heads[round % HEADS].slices);
        WAIT_UNTIL(atomic_load(&heads[round % HEADS].slices) > slices + 1);
        for (int i = 0; i < THREADS - 1; i++)
            blocker_end(&blockers[i]);
    }
    heads_end(heads);
}

/* Those who rest are heard once more before the pool ends. */
TEST(test_stop_wakes)
{
    for (unsigned threads = 1; threads <= 3; threads++)
        for (int until = 0; until < 2; until++) {
            OWNED(pool_free) struct pool *pool = new_pool(threads, 1);
            struct sleepyhead heads[HEADS];
            heads_begin(heads, pool);
            WAIT_UNTIL(pool_stats(pool).resting == HEADS);
            heads_end(heads);
            if (until)
                assert_true(pool_stop_until(pool, clock_now() + 60 * CLOCK_SECOND));
            else
                pool_stop(pool);
            assert_int_equal(pool_stats(pool).resting, 0);
            for (int i = 0; i < HEADS; i++)
                assert_true(atomic_load(&heads[i].slices) >= 2);
        }
}

/* ---- Being told to stop ---- */

/* What waits leaves the queue at once, is no longer one of those that may wait, and comes to its end though all places
 * are taken; a rest ends. */
TEST(test_who_hurries_waits_for_nobody)
{
    OWNED(end_pool) struct pool *pool = new_pool(1, 3);
    struct blocker blocker;
    struct job jobs[4];
    struct sleepyhead heads[HEADS];
    atomic_size_t done = 0;
    heads_begin(heads, pool);
    WAIT_UNTIL(pool_stats(pool).resting == HEADS);
    blocker_begin(&blocker, pool);
    for (unsigned i = 0; i < 3; i++) {
        jobs[i] = job_of(1, &done);
        assert_true(pool_try_add(pool, &jobs[i].task));
    }
    jobs[3] = job_of(1, &done);
    assert_false(pool_try_add(pool, &jobs[3].task));
    pool_hurry(&jobs[1].task);
    WAIT_UNTIL(atomic_load(&jobs[1].slices) == 1);
    assert_true(pool_try_add(pool, &jobs[3].task));
    heads_end(heads);
    for (int i = HEADS; i-- > 0;)
        pool_hurry(&heads[i].task);
    WAIT_UNTIL(pool_stats(pool).running == 1 && pool_stats(pool).resting == 0);
    assert_int_equal(pool_stats(pool).queued, 3);
    assert_int_equal(atomic_load(&done), 1);
    blocker_end(&blocker);
    WAIT_UNTIL(atomic_load(&done) == 4);
}

/* What was set aside goes on at once. */
TEST(test_who_hurries_is_not_set_aside)
{
    OWNED(end_pool) struct pool *pool = new_pool(1, 0);
    struct toil aside = {.task = {.run = run_toil, .turn.client = 1}, .looks = true},
                others[2] = {{.task = {.run = run_toil, .turn.client = 2}, .looks = true},
                             {.task = {.run = run_toil, .turn.client = 3}, .looks = true}};
    assert_true(pool_add(pool, &aside.task) && pool_add(pool, &others[0].task) && pool_add(pool, &others[1].task));
    WAIT_UNTIL(pool_stats(pool).set_aside > 3 && atomic_load(&aside.begun));
    atomic_store(&aside.end, true);
    pool_hurry(&aside.task);
    WAIT_UNTIL(atomic_load(&aside.over));
    atomic_store(&others[0].end, true);
    atomic_store(&others[1].end, true);
}
