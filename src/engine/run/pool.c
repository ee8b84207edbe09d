/* pool.c - the threads of a pool: they carry tasks out, are set aside, and one of them watches over the others. */
#include "engine/run/pool.h"

#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/process.h"
#include "base/timed.h"
#include "engine/run/pool_places.h"

enum { NICE = 10 };

/* After so long without a task a thread gives its stack back: a count of n = 8 leaves a quarter of a megabyte there. */
enum { STACK_MS = 10000 };

/* ---- Being set aside ---- */

/* Gives the place to whose turn it is, and waits until it is this one's again. Who is to come to an end needs none. */
static void step_aside(struct stop_aside *aside)
{
    struct pool_worker *worker = (struct pool_worker *)aside;
    struct pool *pool = worker->pool;
    assert(worker->task); /* no thread without a task looks around */
    lock_take(&pool->lock);
    places_charge(worker);
    places_leave(worker);
    if (!pool->stopping && worker->hurried)
        places_dispatch(pool);
    else if (!pool->stopping) {
        worker->aside_over = false;
        pool->running--;
        turns_wait(&pool->turns, &worker->hand, clock_now());
        places_dispatch(pool);
        pool->stats.set_aside += !worker->aside_over;
        while (!worker->aside_over)
            lock_wait(&worker->wake, &pool->lock);
    }
    places_start_slice(worker);
    lock_release(&pool->lock);
}

/* ---- Watching ---- */

static const char *name_of(const struct pool *pool)
{
    return pool->options.name ? pool->options.name : "pool";
}

static void *watch(void *arg)
{
    struct pool *pool = arg;
    char name[16];
    (void)snprintf(name, sizeof name, "%s-watch", name_of(pool));
    thread_name(name);
    lock_take(&pool->lock);
    while (!pool->stopping || pool->tasks) {
        const uint64_t now = clock_now();
        pool->due = UINT64_MAX;
        places_end_rests(pool);
        for (unsigned i = 0; i < pool->workers; i++)
            if (pool->worker[i].placed)
                places_look_after(&pool->worker[i], now);
        places_dispatch(pool);
        if (pool->due == UINT64_MAX)
            lock_wait(&pool->watch, &pool->lock);
        else
            (void)timed_wait(&pool->watch, &pool->lock, pool->due);
    }
    lock_release(&pool->lock);
    return NULL;
}

/* ---- Working ---- */

/* The calling thread steps back; best effort. Linux: of this thread alone. */
static void step_back(enum pool_rank rank)
{
    const struct sched_param none = {0};
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
    (void)sched_setscheduler(gettid(), rank == POOL_IDLE ? SCHED_IDLE : SCHED_OTHER, &none); /* whoever started it */
}

/* Under the lock: a slice is over. more: of the task there is more to do; otherwise it may be gone. */
static void end_slice(struct pool_worker *worker, bool more, bool rests)
{
    struct pool *pool = worker->pool;
    struct pool_task *task = worker->task;
    lock_assert(&pool->lock);
    assert(task && pool->running && !worker->hand.waits);
    (void)meter_turn(&worker->meter);
    places_charge(worker);
    pool->stats.slices++;
    pool->running--;
    places_leave(worker);
    turns_release(&pool->turns, &worker->hand);
    worker->task = NULL;
    places_add_idle(worker);
    if (more) {
        task->turn.used = worker->hand.used;
        if (worker->hurried)
            places_hurry(pool, task);
        else
            (rests ? places_rest : places_push)(pool, task);
    } else {
        turns_leave(&pool->turns, &worker->hand);
        if (--pool->tasks == 0 && pool->stopping)
            places_let_go(pool);
    }
    places_dispatch(pool);
}

/* Under the lock: returns when the worker has a task, or the pool has come to its end. */
static void await_task(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    lock_assert(&pool->lock);
    uint64_t until = clock_now() + STACK_MS * CLOCK_MILLISECOND;
    while (!worker->task && !(pool->stopping && pool->tasks == 0)) {
        if (until == UINT64_MAX) {
            lock_wait(&worker->wake, &pool->lock);
        } else if (!timed_wait(&worker->wake, &pool->lock, until)) {
            until = UINT64_MAX;
            lock_release(&pool->lock);
            process_release_stack();
            lock_take(&pool->lock);
        }
    }
}

static void *work(void *arg)
{
    struct pool_worker *worker = arg;
    struct pool *pool = worker->pool;
    thread_name_numbered(name_of(pool), (unsigned)(worker - pool->worker));
    if (!worker->quick)
        step_back(pool->options.rank);
    worker->since = clock_worked();
    meter_open(&worker->meter, pool->options.efforts);
    stop_aside = &worker->aside;
    lock_take(&pool->lock);
    for (;;) {
        await_task(worker);
        if (!worker->task)
            break;
        places_start_slice(worker);
        lock_release(&pool->lock);
        bool rests = false;
        worker->slice.meter = &worker->meter;
        worker->slice.rests = &rests;
        const bool more = worker->task->run(worker->task, &worker->slice);
        lock_take(&pool->lock);
        end_slice(worker, more, rests);
    }
    lock_release(&pool->lock);
    return NULL;
}

/* ---- Coming and going ---- */

struct pool *pool_new(const struct pool_options *options)
{
    assert(options->threads > 0); /* otherwise no task is ever carried out */
    const unsigned most = options->threads + TURN_SHARERS + options->extra;
    struct pool *pool = calloc(1, sizeof *pool + most * sizeof pool->worker[0]);
    if (!pool)
        return NULL;
    pool->options = *options;
    pool->most = most;
    pool->spare = most - options->extra;
    pool->work = work;
    pool->due = UINT64_MAX;
    turns_begin(&pool->turns, options->threads);
    lock_init(&pool->lock, LOCK_POOL);
    timed_init(&pool->idle);
    timed_init(&pool->watch);
    for (unsigned i = 0; i < most; i++) {
        pool->worker[i].pool = pool;
        pool->worker[i].aside.step_aside = step_aside;
        timed_init(&pool->worker[i].wake);
    }
    lock_take(&pool->lock);
    pool->watched = pthread_create(&pool->watcher, NULL, watch, pool) == 0;
    bool started = pool->watched;
    pool->worker[0].quick = options->extra;
    while (started && pool->workers < options->threads + options->extra)
        started = places_start_worker(pool);
    lock_release(&pool->lock);
    if (started)
        return pool;
    pool_stop(pool);
    pool_free(pool);
    return NULL;
}

/* Adds a task; one that comes from outside only while there is room. push: places_push() or places_hurry(). */
static bool add(struct pool *pool, struct pool_task *task, void (*push)(struct pool *pool, struct pool_task *task))
{
    assert(task->run);
    lock_take(&pool->lock);
    const bool added = !pool->stopping && (!task->bounded || pool->stats.bounded < pool->options.capacity);
    if (added) {
        atomic_store(&task->home, pool);
        pool->tasks++;
        turns_enter(&pool->turns, &task->turn);
        push(pool, task);
        places_dispatch(pool);
    }
    lock_release(&pool->lock);
    return added;
}

bool pool_try_add(struct pool *pool, struct pool_task *task)
{
    task->bounded = true;
    return add(pool, task, places_push);
}

bool pool_add(struct pool *pool, struct pool_task *task)
{
    task->bounded = false;
    return add(pool, task, places_push);
}

bool pool_add_hurried(struct pool *pool, struct pool_task *task)
{
    task->bounded = false;
    return add(pool, task, places_hurry);
}

bool pool_begin_here(struct pool *pool, struct pool_task *task, uint64_t nanoseconds)
{
    struct meter meter;
    bool rests;
    task->bounded = true;
    meter_open(&meter, pool->options.efforts);
    const struct slice slice = {.deadline = clock_now() + nanoseconds, .meter = &meter, .rests = &rests};
    const bool more = task->run(task, &slice);
    const struct cost cost = meter_turn(&meter);
    lock_take(&pool->lock);
    pool->stats.slices++;
    pool->stats.worked += cost.nanoseconds;
    lock_release(&pool->lock);
    return more;
}

bool pool_move(struct pool *pool, struct pool_task *task)
{
    struct pool *from = atomic_load(&task->home);
    if (from) {
        lock_take(&from->lock); /* who hurries it there must have done with it */
        atomic_store(&task->home, NULL);
        lock_release(&from->lock);
    }
    return add(pool, task, places_push);
}

/* Under the lock of the pool where the task is. */
static void hurry_here(struct pool *pool, struct pool_task *task)
{
    lock_assert(&pool->lock);
    switch (task->state) {
    case TASK_HURRIES: return;
    case TASK_IN_HAND: /* or over */
        if (task->holder->task != task)
            return;
        task->holder->hurried = true;
        if (task->holder->hand.waits)
            places_resume(task->holder);
        return;
    case TASK_WAITS: places_pull(pool, task); break;
    case TASK_RESTS: places_forget_rest(pool, task); break;
    }
    places_hurry(pool, task);
    places_dispatch(pool);
}

void pool_hurry(struct pool_task *task)
{
    struct pool *pool;
    while ((pool = atomic_load(&task->home))) {
        lock_take(&pool->lock);
        const bool here = atomic_load(&task->home) == pool;
        if (here)
            hurry_here(pool, task);
        lock_release(&pool->lock);
        if (here)
            return;
    }
}

static void begin_to_stop(struct pool *pool)
{
    lock_take(&pool->lock);
    pool->stopping = true;
    places_let_go(pool);
    lock_release(&pool->lock);
}

void pool_stop(struct pool *pool)
{
    begin_to_stop(pool);
    lock_take(&pool->lock);
    while (pool->tasks)
        lock_wait(&pool->idle, &pool->lock);
    lock_release(&pool->lock);
    for (unsigned i = 0; i < pool->workers; i++)
        pthread_join(pool->worker[i].thread, NULL);
    if (pool->watched)
        pthread_join(pool->watcher, NULL);
}

bool pool_stop_until(struct pool *pool, uint64_t until)
{
    if (!pool)
        return true;
    bool early = true;
    begin_to_stop(pool);
    lock_take(&pool->lock);
    while (pool->tasks && early)
        early = timed_wait(&pool->idle, &pool->lock, until);
    const bool idle = !pool->tasks;
    lock_release(&pool->lock);
    if (idle)
        pool_stop(pool);
    return idle;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    assert(!pool->tasks); /* their owners would go on in what is freed */
    for (unsigned i = 0; i < pool->options.threads + TURN_SHARERS + pool->options.extra; i++)
        pthread_cond_destroy(&pool->worker[i].wake);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->watch);
    lock_destroy(&pool->lock);
    free(pool);
}

struct pool_stats pool_stats(struct pool *pool)
{
    lock_take(&pool->lock);
    struct pool_stats stats = pool->stats;
    stats.threads = pool->options.threads;
    stats.running = pool->running;
    stats.queued = pool->turns.waiting;
    stats.resting = pool->rests;
    stats.capacity = pool->options.capacity;
    lock_release(&pool->lock);
    return stats;
}

#ifdef CHECKS
/* Tasks that rest, hurry or wait; those in hand may be gone by now. Returns how many there are. */
static size_t check_tasks(const struct pool *pool)
{
    size_t rests = 0, hurrying = 0, fresh = 0, bounded = 0;
    const struct pool_task *latest = NULL;
    for (const struct pool_task *task = pool->resting; task; latest = task, task = task->next, rests++) {
        assert(task->state == TASK_RESTS && atomic_load(&task->home) == pool);
        assert(!latest || latest->turn.since <= task->turn.since);
    }
    assert(pool->rests == rests && (!rests || pool->latest == latest));
    for (const struct pool_task *task = pool->hurrying; task; task = task->next, hurrying++)
        assert(task->state == TASK_HURRIES && atomic_load(&task->home) == pool);
    for (unsigned i = 0; i < TURNS * TURN_LEVELS; i++) {
        const struct turn *turn = &pool->turns.turn[i / TURN_LEVELS];
        for (const struct turn_task *at = turn->fresh[i % TURN_LEVELS].head; at; at = at->next, fresh++) {
            const struct pool_task *task =
                (const struct pool_task *)((const char *)at - offsetof(struct pool_task, turn));
            assert(task->state == TASK_WAITS && atomic_load(&task->home) == pool);
            bounded += task->bounded;
        }
    }
    assert(pool->stats.bounded == bounded);
    return rests + hurrying + fresh;
}

/* Returns how many have a task. */
static unsigned check_workers(const struct pool *pool)
{
    unsigned placed = 0, extra = 0, running = 0, busy = 0, quick = 0, idle = 0;
    for (unsigned i = 0; i < pool->workers; i++) {
        const struct pool_worker *worker = &pool->worker[i];
        assert(worker->pool == pool && worker->quick == (pool->options.extra && i == 0));
        assert(worker->task || !(worker->placed || worker->hand.waits));
        assert(!(worker->placed && worker->hand.waits)); /* who is set aside has given its place away */
        placed += worker->placed && !worker->extra;
        extra += worker->placed && worker->extra;
        running += worker->task && !worker->hand.waits;
        busy += worker->task != NULL;
        quick += worker->quick && worker->task;
    }
    for (const struct pool_worker *worker = pool->idlers; worker; worker = worker->next, idle++)
        assert(!worker->task && !worker->quick && idle < pool->workers);
    const unsigned started = pool->workers - pool->options.extra;
    assert(idle == started - (busy - quick));
    assert(!pool->options.extra || (pool->quick ? !pool->quick->task : quick == 1));
    assert(pool->placed == placed && pool->extra == extra && pool->running == running);
    assert(placed <= pool->options.threads && extra <= pool->options.extra);
    assert(pool->spare == pool->most - pool->options.extra - (busy - quick));
    return busy;
}

void pool_check(struct pool *pool)
{
    if (!lock_take_to_check(&pool->lock))
        return;
    size_t members = 0;
    turns_check(&pool->turns);
    for (unsigned i = 0; i < TURNS; i++)
        members += pool->turns.turn[i].members;
    const size_t outside = check_tasks(pool);
    assert(pool->tasks == outside + check_workers(pool));
    assert(pool->tasks == members);
    assert(pool->due != UINT64_MAX || !(pool->turns.waiting || pool->rests)); /* or nobody would look again */
    lock_release(&pool->lock);
}
#endif
