/* pool.c - the worker threads and the queues of those they work for. Clients take turns, a slice each; of one client's
 * tasks the first in is the first out, and after a slice a task goes to the end. Clients are told apart by a hash, some
 * tens of them at once, so that a rare few share a turn: stochastic fairness queueing (P. McKenney 1990). */
#include "engine/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/timed.h"

/* A slice is short, for a client who has a small question may have to wait for the end of one: 99 % of such a client's
 * answers, while others open and drop thousands of searches, came within 8 to 11 ms with slices of 10 ms, 5 to 10 ms
 * with these, which cost less than 2 %. A server beside, which nobody attacked, took 4 to 6 ms: attackers and clients
 * had the same two processors. */
enum { NICE = 10, SLICE_NS = 2 * 1000 * 1000, OVERRUN_NS = 98 * 1000 * 1000, REST_MS = 20 };

/* So many turns there are. */
enum { TURNS = 128 };

/* The tasks of one client, or of a few; in the pool's list while there are any. */
struct turn {
    struct pool_task *head, *tail;
    struct turn *next;
};

struct pool {
    pthread_mutex_t lock; /* guards all below; held for a few instructions only */
    pthread_cond_t work;  /* the queue has grown, nobody watches those who rest, or stopping was set */
    pthread_cond_t idle;  /* while it is stopping: the last task has ended */
    struct turn turns[TURNS];
    struct turn *first, *last;          /* whose turn it is, and so on */
    size_t queued, bounded, capacity;   /* bounded: those of the queued that came by pool_try_add */
    struct pool_task *resting, *latest; /* tasks that rest, in the order in which they lay down */
    size_t rests;                       /* how many */
    bool watched;                       /* a thread waits for the first of them to get up */
    unsigned running;                   /* tasks in a worker's hands */
    uint64_t slices, worked, waited;    /* see struct pool_figures */
    uint64_t overrun;
    bool stopping;
    enum pool_rank rank;
    struct efforts *efforts;
    unsigned threads;
    pthread_t thread[];
};

/* Puts a turn behind all others. */
static void line_up(struct pool *pool, struct turn *turn)
{
    turn->next = NULL;
    if (pool->first)
        pool->last->next = turn;
    else
        pool->first = turn;
    pool->last = turn;
}

static void push(struct pool *pool, struct pool_task *task)
{
    struct turn *turn = &pool->turns[task->client % TURNS];
    task->next = NULL;
    if (turn->head)
        turn->tail->next = task;
    else
        turn->head = task;
    if (turn->head == task)
        line_up(pool, turn);
    turn->tail = task;
    task->since = clock_now();
    pool->queued++;
    pool->bounded += task->bounded;
    pthread_cond_signal(&pool->work);
}

/* The next task; there is one. */
static struct pool_task *pop(struct pool *pool)
{
    struct turn *turn = pool->first;
    struct pool_task *task = turn->head;
    pool->first = turn->next;
    turn->head = task->next;
    if (turn->head)
        line_up(pool, turn);
    pool->queued--;
    pool->bounded -= task->bounded;
    pool->waited += clock_now() - task->since;
    return task;
}

/* ---- Rests: all are equally long ---- */

static void lie_down(struct pool *pool, struct pool_task *task)
{
    task->next = NULL;
    task->since = clock_now();
    *(pool->resting ? &pool->latest->next : &pool->resting) = task;
    pool->latest = task;
    pool->rests++;
}

/* Those queue up again who have rested; all of them when the pool is stopping. */
static void get_up(struct pool *pool)
{
    while (pool->resting && (pool->stopping || timed_long_ago(pool->resting->since, REST_MS))) {
        struct pool_task *task = pool->resting;
        pool->resting = task->next;
        pool->rests--;
        push(pool, task);
    }
}

/* Waits until there may be a task. One of the threads that wait watches those who rest. */
static void wait(struct pool *pool)
{
    if (!pool->resting || pool->watched) {
        pthread_cond_wait(&pool->work, &pool->lock);
        return;
    }
    pool->watched = true;
    (void)timed_wait(&pool->work, &pool->lock, pool->resting->since + REST_MS * CLOCK_MILLISECOND);
    pool->watched = false;
}

/* The calling thread steps back; best effort. Linux: of this thread alone. */
static void step_back(enum pool_rank rank)
{
    const struct sched_param none = {0};
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
    if (rank == POOL_IDLE)
        (void)sched_setscheduler(gettid(), SCHED_IDLE, &none);
}

static void *work(void *arg)
{
    struct pool *pool = arg;
    struct meter meter;
    step_back(pool->rank);
    meter_open(&meter, pool->efforts);
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        for (get_up(pool); !pool->queued && !(pool->stopping && pool->running == 0); get_up(pool))
            wait(pool);
        if (!pool->queued)
            break;
        struct pool_task *task = pop(pool);
        pool->running++;
        if (pool->resting && !pool->watched)
            pthread_cond_signal(&pool->work); /* it was this thread, perhaps: another one is to */
        pthread_mutex_unlock(&pool->lock);
        bool rests = false;
        const struct slice slice = {.deadline = clock_now() + SLICE_NS, .meter = &meter, .rests = &rests};
        bool more = task->run(task, &slice);
        const bool overrun = clock_now() > slice.deadline + OVERRUN_NS;
        const struct cost cost = meter_turn(&meter);
        pthread_mutex_lock(&pool->lock);
        pool->overrun += overrun;
        pool->running--;
        pool->slices++;
        pool->worked += cost.nanoseconds;
        if (more)
            (rests ? lie_down : push)(pool, task);
        else if (pool->stopping) { /* others may be waiting for the last task to end */
            pthread_cond_broadcast(&pool->work);
            pthread_cond_broadcast(&pool->idle);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct pool *pool_new(unsigned threads, size_t capacity, enum pool_rank rank, struct efforts *efforts)
{
    struct pool *pool = calloc(1, sizeof *pool + threads * sizeof pool->thread[0]);
    if (!pool)
        return NULL;
    pool->capacity = capacity;
    pool->rank = rank;
    pool->efforts = efforts;
    pthread_mutex_init(&pool->lock, NULL);
    timed_init(&pool->work);
    timed_init(&pool->idle);
    for (; pool->threads < threads; pool->threads++) {
        if (pthread_create(&pool->thread[pool->threads], NULL, work, pool)) {
            pool_stop(pool);
            pool_free(pool);
            return NULL;
        }
    }
    return pool;
}

/* Adds a task; one that is bounded only while there is room. */
static bool add(struct pool *pool, struct pool_task *task, bool bounded)
{
    pthread_mutex_lock(&pool->lock);
    bool added = !pool->stopping && (!bounded || pool->bounded < pool->capacity);
    if (added) {
        task->bounded = bounded;
        push(pool, task);
    }
    pthread_mutex_unlock(&pool->lock);
    return added;
}

bool pool_try_add(struct pool *pool, struct pool_task *task)
{
    return add(pool, task, true);
}

bool pool_add(struct pool *pool, struct pool_task *task)
{
    return add(pool, task, false);
}

static void begin_to_stop(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

void pool_stop(struct pool *pool)
{
    begin_to_stop(pool);
    for (unsigned i = 0; i < pool->threads; i++)
        pthread_join(pool->thread[i], NULL);
}

static bool is_idle(const struct pool *pool)
{
    return !pool->queued && !pool->resting && !pool->running;
}

bool pool_stop_until(struct pool *pool, uint64_t until)
{
    bool early = true;
    begin_to_stop(pool);
    pthread_mutex_lock(&pool->lock);
    while (!is_idle(pool) && early)
        early = timed_wait(&pool->idle, &pool->lock, until);
    const bool idle = is_idle(pool);
    pthread_mutex_unlock(&pool->lock);
    if (idle)
        pool_stop(pool);
    return idle;
}

void pool_free(struct pool *pool)
{
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->idle);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

struct pool_figures pool_figures(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct pool_figures figures = {
        .threads = pool->threads,
        .running = pool->running,
        .queued = pool->queued,
        .resting = pool->rests,
        .bounded = pool->bounded,
        .capacity = pool->capacity,
        .slices = pool->slices,
        .worked = pool->worked,
        .overrun = pool->overrun,
        .waited = pool->waited,
    };
    pthread_mutex_unlock(&pool->lock);
    return figures;
}
