/* pool_places.h - the threads of a pool and its places: which task gets which, for pool.c. Every function is called
 * under the pool's lock. */
#ifndef ENGINE_RUN_POOL_PLACES_H
#define ENGINE_RUN_POOL_PLACES_H

#include <pthread.h>

#include "base/lock.h"
#include "engine/run/pool_task.h"

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
    bool stopping;
    struct pool_options options;
    struct pool_worker *quick;     /* is idle; NULL: it is not, or there is none */
    struct pool_worker *idlers;    /* the others; who was busy last comes first */
    unsigned workers, most, spare; /* started; that there may be; of these without a task, but for the quick one */
    void *(*work)(void *worker);   /* what the threads run */
    struct pool_worker worker[];
};

/* A fresh task begins to wait, or stops to. */
void places_push(struct pool *pool, struct pool_task *task);
void places_pull(struct pool *pool, struct pool_task *task);

/* A task rests, or stops to before its time. */
void places_rest(struct pool *pool, struct pool_task *task);
void places_forget_rest(struct pool *pool, struct pool_task *task);

/* Tasks that have rested wait again; all of them if the pool is stopping. */
void places_end_rests(struct pool *pool);

/* A task that was told to stop needs no place. */
void places_hurry(struct pool *pool, struct pool_task *task);

/* Starts one more thread, which is idle. False: the pool has as many as it may, or the system has none. */
bool places_start_worker(struct pool *pool);
void places_add_idle(struct pool_worker *worker);

/* Every free place goes to the task whose turn it is. */
void places_dispatch(struct pool *pool);

void places_start_slice(struct pool_worker *worker);

/* The calling worker's use of a processor since the last call goes to its task and that one's client. */
void places_charge(struct pool_worker *worker);
void places_leave(struct pool_worker *worker);

/* A worker that was set aside goes on. */
void places_resume(struct pool_worker *worker);

/* Asks one worker that has a place to look around when its slice is over, and takes the place of one that does not. */
void places_look_after(struct pool_worker *worker, uint64_t now);

/* The pool begins to stop, or its last task has ended since: wakes all threads. */
void places_let_go(struct pool *pool);

#endif
