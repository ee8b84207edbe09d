/* pool.c - the threads of a pool and its places: waiting tasks, idle threads and free places come together, as turns.c
 * decides whose turn it is; threads carry tasks out and are set aside; one of them watches over the others. */
#include "engine/run/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/process.h"
#include "base/timed.h"

struct pool_worker {
    struct stop_aside aside; /* first: step_aside() is handed this */
    struct pool *pool;
    struct pool_worker *next; /* idle */
    struct pool_task *task;   /* in hand; NULL: idle */
    struct turn_task hand;    /* stands for it */
    bool placed;              /* has one of the places */
    bool extra;               /* this is the extra place */
    bool quick;               /* only for the extra place: it does not step back */
    bool aside_over;          /* it was set aside, and may go on */
    bool hurried;             /* its task has been told to stop, and needs no place */
    struct slice slice;
    struct meter meter;
    uint64_t since;      /* clock_worked() when it last looked around */
    pthread_cond_t wake; /* it has got a task or a place, or the pool is stopping */
    pthread_t thread;
};

struct pool {
    struct lock lock;     /* guards all below; held for a few instructions only */
    pthread_cond_t idle;  /* while it is stopping: the last task has ended */
    pthread_cond_t watch; /* the watcher has to look sooner */
    pthread_t watcher;
    bool watched; /* it has been started */
    uint64_t due; /* when the watcher looks next */
    struct turns turns;
    unsigned placed;                    /* workers that have a place other than the extra one */
    unsigned extra;                     /* workers that have the extra place: 1 at most */
    unsigned running;                   /* workers that carry something out, with a place or without */
    struct pool_task *hurrying;         /* tasks told to stop, which need no place */
    struct pool_task *resting, *latest; /* tasks that rest, in the order in which they lay down: all are equally long */
    size_t rests, tasks;                /* how many rest; and how many there are */
    struct pool_stats stats;            /* in part: see pool_stats() */
    bool stopping, ended;               /* it stops; its threads have been joined */
    struct pool_options options;
    struct pool_worker *quick;     /* is idle; NULL: it is not, or there is none */
    struct pool_worker *idlers;    /* the others; who was busy last comes first */
    unsigned workers, most, spare; /* started; that there may be; of these without a task, but for the quick one */
    void *(*work)(void *worker);   /* what the threads run */
    struct pool_worker worker[];
};

/* ---- Places: which task gets which; under the lock of the pool ---- */

/* Slices of this length cost less than 2 %. While others opened and dropped searches on two processors, 99 % of the
 * uncached answers to a client with small questions came within 3.3 to 5.7 ms without the extra place, and within 1.9
 * to 3.2 ms with it; medians 0.4 to 0.5 and 0.1 ms (four runs of ten seconds each, in turns; the client by SCHED_FIFO,
 * so that it waited for no processor itself). A client of ordinary priority beside twelve such connections: 17.4 to
 * 20.8 ms without, 3.5 to 4.6 ms with it (the same). Among 24 connections with requests of all kinds 95 % took the
 * server 3.7 to 7.2 ms when the extra place's thread stepped back, and 1.7 to 1.9 ms when it did not (four runs each,
 * in turns).
 */
enum { SLICE_NS = 2 * 1000 * 1000, OVERRUN_NS = 100 * 1000 * 1000, REST_MS = 20 };

/* After its slice a task is asked to look around: at once if others wait, else after a while, so that overruns are
 * seen. One that uses so much of a processor without doing so loses its place: by the clock those would lose it that
 * the system does not let run, too, and then more threads would run than there are places. */
enum { LOOK_NS = 1000 * 1000, IDLE_LOOK_NS = 10 * 1000 * 1000, GRACE_NS = 20 * 1000 * 1000 };

/* The watcher is to look at that moment at the latest. */
static void watch_at(struct pool *pool, uint64_t moment)
{
    if (moment >= pool->due)
        return;
    pool->due = moment;
    pthread_cond_signal(&pool->watch);
}

/* A fresh task begins to wait, or stops to. */
static void places_push(struct pool *pool, struct pool_task *task)
{
    lock_assert(&pool->lock);
    task->state = TASK_WAITS;
    turns_wait(&pool->turns, &task->turn, clock_now());
    pool->stats.bounded += task->bounded;
}

static void places_pull(struct pool *pool, struct pool_task *task)
{
    assert(task->state == TASK_WAITS && (!task->bounded || pool->stats.bounded));
    turns_stop_waiting(&pool->turns, &task->turn);
    pool->stats.bounded -= task->bounded;
}

static struct pool_task *fresh_of(struct turn_task *turn)
{
    return (struct pool_task *)((char *)turn - offsetof(struct pool_task, turn));
}

static struct pool_worker *holder_of(struct turn_task *hand)
{
    return (struct pool_worker *)((char *)hand - offsetof(struct pool_worker, hand));
}

static void places_start_slice(struct pool_worker *worker)
{
    atomic_store_explicit(&worker->aside.wanted, false, memory_order_relaxed);
    worker->slice.deadline = clock_now() + SLICE_NS;
    watch_at(worker->pool, worker->slice.deadline + IDLE_LOOK_NS);
}

static void take_place(struct pool_worker *worker, bool extra)
{
    struct pool *pool = worker->pool;
    assert(!worker->placed);
    worker->placed = true;
    worker->extra = extra;
    *(extra ? &pool->extra : &pool->placed) += 1;
    places_start_slice(worker);
}

static void places_leave(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    *(worker->extra ? &pool->extra : &pool->placed) -= worker->placed;
    worker->placed = worker->extra = false;
}

static void places_add_idle(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    assert(!worker->task && !worker->placed);
    if (worker->quick) {
        pool->quick = worker;
        return;
    }
    worker->next = pool->idlers;
    pool->idlers = worker;
    pool->spare++;
}

/* Starts one more thread, which is idle. False: the pool has as many as it may, or the system has none. */
static bool places_start_worker(struct pool *pool)
{
    struct pool_worker *worker = &pool->worker[pool->workers];
    if (pool->workers == pool->most || pthread_create(&worker->thread, NULL, pool->work, worker) != 0) {
        pool->spare -= pool->most - pool->workers;
        pool->most = pool->workers;
        return false;
    }
    pool->workers++;
    pool->spare -= !worker->quick; /* it was one already */
    places_add_idle(worker);
    return true;
}

enum place { PLACE_NONE, PLACE_OWN, PLACE_EXTRA };

/* Gives a fresh task, which does not wait any longer, to an idle worker. False: there is none. */
static bool hand_over(struct pool *pool, struct pool_task *task, enum place place)
{
    const bool quick = place == PLACE_EXTRA && pool->quick;
    if (!quick && !pool->idlers && !places_start_worker(pool))
        return false;
    struct pool_worker *worker = quick ? pool->quick : pool->idlers;
    assert(!worker->task); /* or the task that it has would be lost */
    *(quick ? &pool->quick : &pool->idlers) = quick ? NULL : worker->next;
    pool->spare -= !quick;
    task->state = TASK_IN_HAND;
    task->holder = worker;
    turns_take(&pool->turns, &task->turn, &worker->hand);
    worker->task = task;
    worker->hurried = place == PLACE_NONE;
    pool->running++;
    if (place != PLACE_NONE)
        take_place(worker, place == PLACE_EXTRA);
    pthread_cond_signal(&worker->wake);
    return true;
}

/* A worker that was set aside goes on. */
static void places_resume(struct pool_worker *worker)
{
    lock_assert(&worker->pool->lock);
    assert(worker->task && worker->hand.waits);
    worker->task->idled += clock_now() - worker->hand.since;
    turns_stop_waiting(&worker->pool->turns, &worker->hand);
    worker->pool->running++;
    worker->aside_over = true;
    pthread_cond_signal(&worker->wake);
}

/* A task that waits begins. False: there are too few threads, and it waits again. */
static bool begin(struct pool *pool, struct pool_task *task, enum place place)
{
    const uint64_t waited = clock_now() - task->turn.since;
    places_pull(pool, task);
    const bool begun = hand_over(pool, task, place);
    if (!begun) {
        places_push(pool, task);
        return false;
    }
    pool->stats.waited += waited;
    task->idled += task->begun ? waited : 0;
    task->begun = true;
    return true;
}

/* The extra place goes to a client who begins. */
static void dispatch_extra(struct pool *pool)
{
    struct turn_task *turn = NULL;
    if (pool->options.extra && !pool->extra && pool->turns.waiting && (pool->quick || pool->spare))
        turn = turns_newcomer(&pool->turns);
    if (turn)
        (void)begin(pool, fresh_of(turn), PLACE_EXTRA);
}

/* Every free place goes to the task whose turn it is. */
static void places_dispatch(struct pool *pool)
{
    lock_assert(&pool->lock);
    while (pool->hurrying) {
        struct pool_task *task = pool->hurrying, *next = task->next;
        if (!hand_over(pool, task, PLACE_NONE))
            break;
        pool->hurrying = next;
    }
    while (pool->placed < pool->options.threads) {
        struct turn_task *turn = turns_next(&pool->turns, pool->spare);
        if (!turn)
            break;
        if (turn->in_hand) {
            struct pool_worker *worker = holder_of(turn);
            places_resume(worker);
            take_place(worker, false);
            continue;
        }
        (void)begin(pool, fresh_of(turn), PLACE_OWN); /* or again, with fewer threads */
    }
    dispatch_extra(pool);
    if (pool->turns.waiting)
        watch_at(pool, clock_now() + SLICE_NS);
}

/* The calling worker's use of a processor since the last call, until now by clock_worked(), goes to its task and that
 * one's client. */
static void places_charge(struct pool_worker *worker, uint64_t now)
{
    const uint64_t used = now - worker->since;
    worker->since = now;
    turns_charge(&worker->pool->turns, &worker->hand, used);
    worker->pool->stats.worked += used;
    worker->pool->stats.overrun += used >= OVERRUN_NS;
}

/* ---- Rests ---- */

/* A task rests, or stops to before its time. */
static void places_rest(struct pool *pool, struct pool_task *task)
{
    task->next = NULL;
    task->state = TASK_RESTS;
    task->turn.since = clock_now();
    *(pool->resting ? &pool->latest->next : &pool->resting) = task;
    pool->latest = task;
    pool->rests++;
    watch_at(pool, task->turn.since + REST_MS * CLOCK_MILLISECOND);
}

/* Tasks that have rested wait again; all of them if the pool is stopping. */
static void places_end_rests(struct pool *pool)
{
    while (pool->resting && (pool->stopping || timed_long_ago(pool->resting->turn.since, REST_MS))) {
        struct pool_task *task = pool->resting;
        assert(pool->rests && task->state == TASK_RESTS);
        pool->resting = task->next;
        pool->rests--;
        places_push(pool, task);
    }
    if (pool->resting)
        watch_at(pool, pool->resting->turn.since + REST_MS * CLOCK_MILLISECOND);
}

static void places_forget_rest(struct pool *pool, struct pool_task *task)
{
    assert(task->state == TASK_RESTS && pool->rests);
    struct pool_task **at = &pool->resting, *before = NULL;
    for (; *at != task; at = &(*at)->next)
        before = *at;
    *at = task->next;
    if (pool->latest == task)
        pool->latest = before;
    pool->rests--;
}

/* What a thread has used of a processor since it last looked around; 0 if the system does not tell. */
static uint64_t used_unseen(const struct pool_worker *worker)
{
    clockid_t clock;
    if (pthread_getcpuclockid(worker->thread, &clock) != 0)
        return 0;
    const uint64_t now = clock_read(clock); /* in clock_worked() of that thread */
    return now > worker->since ? now - worker->since : 0;
}

/* Asks one worker that has a place to look around when its slice is over, and takes the place of one that does not. */
static void places_look_after(struct pool_worker *worker, uint64_t now)
{
    struct pool *pool = worker->pool;
    const bool others = pool->turns.waiting;
    const uint64_t look = worker->slice.deadline + (others ? LOOK_NS : IDLE_LOOK_NS);
    if (now < look) {
        watch_at(pool, look);
        return;
    }
    atomic_store_explicit(&worker->aside.wanted, true, memory_order_relaxed);
    if (!others)
        return;
    const uint64_t used = used_unseen(worker);
    if (used < GRACE_NS) {
        watch_at(pool, now + GRACE_NS - used);
        return;
    }
    places_leave(worker);
    turns_set_unresponsive(&pool->turns, &worker->hand);
    pool->stats.set_aside++;
}

/* ---- Stopping ---- */

/* The pool begins to stop, or its last task has ended since: wakes all threads. */
static void places_let_go(struct pool *pool)
{
    pthread_cond_broadcast(&pool->idle);
    pthread_cond_signal(&pool->watch);
    for (unsigned i = 0; i < pool->workers; i++) {
        if (pool->worker[i].task && pool->worker[i].hand.waits)
            places_resume(&pool->worker[i]);
        pthread_cond_signal(&pool->worker[i].wake);
    }
}

/* A task that was told to stop needs no place. If it waited for one, what a client has left behind would stay in the
 * queue until others come to the end of a unit: tests/hostile/turns notices that. */
static void places_hurry(struct pool *pool, struct pool_task *task)
{
    task->state = TASK_HURRIES;
    task->next = pool->hurrying;
    pool->hurrying = task;
}

enum { NICE = 10 };

/* After so long without a task a thread gives its stack back: a count of n = 8 leaves a quarter of a megabyte there. */
enum { STACK_MS = 10000 };

/* ---- Being set aside ---- */

/* Gives the place to whose turn it is, and waits until it is this one's again. Who is to come to an end needs none.
 * Without this a search that is far from the end of its step keeps its place: of tests/hostile/turns a small question
 * beside searches of its own client took 1.35 core-seconds, and 22 slices were longer than a tenth of a second. */
static void step_aside(struct stop_aside *aside)
{
    struct pool_worker *worker = (struct pool_worker *)aside;
    struct pool *pool = worker->pool;
    assert(worker->task); /* no thread without a task looks around */
    lock_take(&pool->lock);
    places_charge(worker, clock_worked());
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

static void *watch(void *arg)
{
    struct pool *pool = arg;
    thread_name("pool-watch");
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

/* The calling thread gets a processor after those that serve requests, but also while other processes want it: best
 * effort. While both processors counted, a cached answer took 11 us (the median) and 110 to 163 us (99 of 100), and 11
 * and 41 to 138 us when who counted had a processor only when nobody else wanted it (SCHED_IDLE; three runs each, in
 * turns, Linux 6.18); but then who asked for a count of a tenth of a second waited seconds for those who asked for
 * more, or for other processes. Linux: of this thread alone. */
static void step_back(void)
{
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
}

/* Under the lock: a slice is over. more: of the task there is more to do; otherwise it may be gone. */
static void end_slice(struct pool_worker *worker, bool more, bool rests)
{
    struct pool *pool = worker->pool;
    struct pool_task *task = worker->task;
    lock_assert(&pool->lock);
    assert(task && pool->running && !worker->hand.waits);
    (void)meter_turn(&worker->meter);
    places_charge(worker, worker->meter.began); /* the same moment: no algorithm has used more than the pool */
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
    thread_name_numbered("pool", (unsigned)(worker - pool->worker));
    if (!worker->quick)
        step_back();
    meter_open(&worker->meter, pool->options.efforts);
    stop_aside = &worker->aside;
    lock_take(&pool->lock);
    worker->since = worker->meter.began; /* the watcher may look at it already */
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

/* Elements of pool.worker: as many threads as there ever may be. */
static unsigned room(const struct pool_options *options)
{
    return options->threads + TURN_SHARERS + TURN_SHORTER + options->extra;
}

struct pool *pool_new(const struct pool_options *options)
{
    assert(options->threads > 0); /* otherwise no task is ever carried out */
    const unsigned most = room(options);
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

/* Whether there is room for a task from outside. A client of whom nothing waits is admitted over the bound, so that no
 * client shuts the others out by filling the queue: there are no more such clients than connections. What a thread has
 * of it does not count: the last question of a client may be answered before its thread has done with it. */
static bool has_room(const struct pool *pool, const struct pool_task *task)
{
    return pool->stats.bounded < pool->options.capacity || !turns_has(&pool->turns, task->turn.client);
}

/* Adds a task; one that comes from outside only while there is room. push: places_push() or places_hurry(). */
static bool add(struct pool *pool, struct pool_task *task, void (*push)(struct pool *pool, struct pool_task *task))
{
    assert(task->run);
    lock_take(&pool->lock);
    const bool added = !pool->stopping && (!task->bounded || has_room(pool, task));
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
    task->begun = true;
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
    struct pool *pool = atomic_load(&task->home);
    if (!pool)
        return;
    lock_take(&pool->lock);
    hurry_here(pool, task);
    lock_release(&pool->lock);
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
    assert(!pool->ended); /* a thread is joined once */
    pool->ended = true;
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
    for (unsigned i = 0; i < room(&pool->options); i++)
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
