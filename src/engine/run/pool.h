/* pool.h - threads of low priority that carry out tasks slice by slice, as many at a time as there are places. It knows
 * nothing of what they do. A task is a function and a place in a list; whoever owns it keeps it alive until its last
 * slice has returned false.
 *
 * A task should end its slice in time. One that cannot, in the midst of a long computation, is set aside wherever it
 * looks at its stop flag (base/stop.h): its thread keeps it and waits, and another thread has the place. One that does
 * not even look loses its place all the same after a while, and the system shares the processors between both. So there
 * are more threads than places: TURN_SHARERS more, started when they are needed.
 *
 * There may be one place more, the extra one, for a client that begins while all others are taken (turns_newcomer()): a
 * question that one slice answers waits for the end of nobody's slice. What takes longer has no more than its first
 * slice there. So a client with small questions waits only for others that begin at the same time. The extra place has
 * a thread of its own, which does not step back: it waits for no processor that others of the pool have. */
#ifndef ENGINE_RUN_POOL_H
#define ENGINE_RUN_POOL_H

#include "engine/run/pool_task.h"

/* Starts the threads. NULL when out of memory or threads. */
struct pool *pool_new(const struct pool_options *options);

/* Admits a task from outside: false when as many wait as may, or the pool is stopping. */
bool pool_try_add(struct pool *pool, struct pool_task *task);

/* Adds a task of a party that was admitted before, over the bound if need be: such parties and their tasks are bounded
 * elsewhere. False when the pool is stopping. */
bool pool_add(struct pool *pool, struct pool_task *task);

/* Adds a task that ends what its party began: it needs no place, and comes before all others. False when the pool is
 * stopping. */
bool pool_add_hurried(struct pool *pool, struct pool_task *task);

/* Carries out the first slice of a task, of so many nanoseconds, on the calling thread, which is none of the pool's.
 * Whether there is more to do: then it may be added. */
bool pool_begin_here(struct pool *pool, struct pool_task *task, uint64_t nanoseconds);

/* Moves a task here from another pool, or from the thread on which it began, in the midst of its last slice there,
 * which is to return false: as pool_try_add if it came from outside, else as pool_add. */
bool pool_move(struct pool *pool, struct pool_task *task);

/* The task has been told to stop: it leaves the queue at once, and some thread carries its last slice out before all
 * others. Any thread; the task must not end meanwhile. */
void pool_hurry(struct pool_task *task);

/* Waits until every task has returned false, then ends the threads. The tasks must have been told to stop. */
void pool_stop(struct pool *pool);

/* The same, until a moment in clock_now() at the latest. False: a task has not come back from its slice; then the pool
 * cannot be freed, nor anything that the task may touch. */
bool pool_stop_until(struct pool *pool, uint64_t until);
void pool_free(struct pool *pool);

struct pool_stats pool_stats(struct pool *pool);

#ifdef CHECKS
/* Asserts that every task is in one place, every thread has a task or is idle, and the places are those that are taken.
 */
void pool_check(struct pool *pool);
#endif

#endif
