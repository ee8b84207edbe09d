/* pool_places.c - waiting tasks, idle threads and free places come together. turns.c decides whose turn it is. */
#include "engine/run/pool_places.h"

#include <assert.h>

#include "base/timed.h"

/* Slices of this length cost less than 2 %. While others opened and dropped searches on two processors, 99 % of the
 * uncached answers to a client with small questions came within 3.3 to 5.7 ms without the extra place, and within 1.9
 * to 3.2 ms with it; medians 0.4 to 0.5 and 0.1 ms (four runs of ten seconds each, in turns; the client by SCHED_FIFO,
 * so that it waited for no processor itself). Among 24 connections with requests of all kinds 95 % took the server 3.7
 * to 7.2 ms when the extra place's thread stepped back, and 1.7 to 1.9 ms when it did not (four runs each, in turns).
 */
enum { SLICE_NS = 2 * 1000 * 1000, OVERRUN_NS = 100 * 1000 * 1000, REST_MS = 20 };

/* After its slice a task that looks at its stop flag is asked to look around: at once if others wait, else after a
 * while, so that overruns are seen. One that does not look loses its place after a while. */
enum { LOOK_NS = 1000 * 1000, IDLE_LOOK_NS = 10 * 1000 * 1000, GRACE_NS = 20 * 1000 * 1000 };

/* The watcher is to look at that moment at the latest. */
static void watch_at(struct pool *pool, uint64_t moment)
{
    if (moment >= pool->due)
        return;
    pool->due = moment;
    pthread_cond_signal(&pool->watch);
}

void places_push(struct pool *pool, struct pool_task *task)
{
    lock_assert(&pool->lock);
    task->state = TASK_WAITS;
    turns_wait(&pool->turns, &task->turn, clock_now());
    pool->stats.bounded += task->bounded;
}

void places_pull(struct pool *pool, struct pool_task *task)
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

void places_start_slice(struct pool_worker *worker)
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

void places_leave(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    *(worker->extra ? &pool->extra : &pool->placed) -= worker->placed;
    worker->placed = worker->extra = false;
}

void places_add_idle(struct pool_worker *worker)
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

bool places_start_worker(struct pool *pool)
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

void places_resume(struct pool_worker *worker)
{
    lock_assert(&worker->pool->lock);
    assert(worker->task && worker->hand.waits);
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
    if (begun)
        pool->stats.waited += waited;
    else
        places_push(pool, task);
    return begun;
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

void places_dispatch(struct pool *pool)
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

void places_charge(struct pool_worker *worker)
{
    const uint64_t now = clock_worked(), used = now - worker->since;
    worker->since = now;
    turns_charge(&worker->pool->turns, &worker->hand, used);
    worker->pool->stats.worked += used;
    worker->pool->stats.overrun += used >= OVERRUN_NS;
}

/* ---- Rests ---- */

void places_rest(struct pool *pool, struct pool_task *task)
{
    task->next = NULL;
    task->state = TASK_RESTS;
    task->turn.since = clock_now();
    *(pool->resting ? &pool->latest->next : &pool->resting) = task;
    pool->latest = task;
    pool->rests++;
    watch_at(pool, task->turn.since + REST_MS * CLOCK_MILLISECOND);
}

void places_end_rests(struct pool *pool)
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

void places_forget_rest(struct pool *pool, struct pool_task *task)
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

void places_look_after(struct pool_worker *worker, uint64_t now)
{
    struct pool *pool = worker->pool;
    const bool others = pool->turns.waiting;
    const uint64_t look = worker->slice.deadline + (others ? LOOK_NS : IDLE_LOOK_NS),
                   end = worker->slice.deadline + GRACE_NS;
    if (now < look) {
        watch_at(pool, look);
        return;
    }
    atomic_store_explicit(&worker->aside.wanted, true, memory_order_relaxed);
    if (!others || pool->options.patient)
        return;
    if (now < end) {
        watch_at(pool, end);
        return;
    }
    places_leave(worker);
    turns_set_unresponsive(&pool->turns, &worker->hand);
    pool->stats.set_aside++;
}

/* ---- Stopping ---- */

void places_let_go(struct pool *pool)
{
    pthread_cond_broadcast(&pool->idle);
    pthread_cond_signal(&pool->watch);
    for (unsigned i = 0; i < pool->workers; i++) {
        if (pool->worker[i].task && pool->worker[i].hand.waits)
            places_resume(&pool->worker[i]);
        pthread_cond_signal(&pool->worker[i].wake);
    }
}

void places_hurry(struct pool *pool, struct pool_task *task)
{
    task->state = TASK_HURRIES;
    task->next = pool->hurrying;
    pool->hurrying = task;
}
