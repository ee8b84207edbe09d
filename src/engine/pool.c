/* pool.c - the worker threads and their queue, first in, first out: after a slice a task goes to the end. */
#include "engine/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"

enum { NICE = 10, SLICE_NS = 10 * 1000 * 1000 };

struct pool {
    pthread_mutex_t lock; /* guards all below; held for a few instructions only */
    pthread_cond_t work;  /* the queue has grown, or stopping was set */
    struct pool_task *head, *tail;
    size_t queued, bounded, capacity; /* bounded: those of the queued that came by pool_try_add */
    unsigned running;                 /* tasks in a worker's hands */
    bool stopping;
    enum pool_rank rank;
    unsigned threads;
    pthread_t thread[];
};

static void push(struct pool *pool, struct pool_task *task)
{
    task->next = NULL;
    if (pool->tail)
        pool->tail->next = task;
    else
        pool->head = task;
    pool->tail = task;
    pool->queued++;
    pool->bounded += task->bounded;
    pthread_cond_signal(&pool->work);
}

/* The next task; there is one. */
static struct pool_task *pop(struct pool *pool)
{
    struct pool_task *task = pool->head;
    pool->head = task->next;
    if (!pool->head)
        pool->tail = NULL;
    pool->queued--;
    pool->bounded -= task->bounded;
    return task;
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
    step_back(pool->rank);
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->queued && !(pool->stopping && pool->running == 0))
            pthread_cond_wait(&pool->work, &pool->lock);
        if (!pool->queued)
            break;
        struct pool_task *task = pop(pool);
        pool->running++;
        pthread_mutex_unlock(&pool->lock);
        const struct slice slice = {.deadline = clock_now() + SLICE_NS};
        bool more = task->run(task, &slice);
        pthread_mutex_lock(&pool->lock);
        pool->running--;
        if (more)
            push(pool, task);
        else if (pool->stopping)
            pthread_cond_broadcast(&pool->work); /* others may be waiting for the last task to end */
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct pool *pool_new(unsigned threads, size_t capacity, enum pool_rank rank)
{
    struct pool *pool = calloc(1, sizeof *pool + threads * sizeof pool->thread[0]);
    if (!pool)
        return NULL;
    pool->capacity = capacity;
    pool->rank = rank;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
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

void pool_stop(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->threads; i++)
        pthread_join(pool->thread[i], NULL);
}

void pool_free(struct pool *pool)
{
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

struct pool_figures pool_figures(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct pool_figures figures = {.threads = pool->threads, .running = pool->running, .queued = pool->queued};
    pthread_mutex_unlock(&pool->lock);
    return figures;
}
