/* flight.h - single flight: equal questions share one search, and its answer goes to a cache. A flight ends when its
 * answer is complete or when its last waiter has left. */
#ifndef ENGINE_RUN_FLIGHT_H
#define ENGINE_RUN_FLIGHT_H

#include "engine/ask/question.h"
#include "engine/run/pool.h"
#include "engine/run/waiter.h"

/* Opens the work of a flight; runs on a pool thread. NQ_OK, or why there will be no answer, with a fault if there is
 * more to say than the status does. */
typedef enum nq_status (*flight_opener)(void *context, const struct question *question, const atomic_bool *stop,
                                        struct fault *fault, struct work **work);

/* Every flight takes off in the first pool; one whose work is lengthy goes on in the other one. tasks: the most tasks
 * of one flight. */
struct flights *flights_new(struct pool *pool, struct pool *lengthy, size_t cache_bytes, unsigned tasks,
                            flight_opener open, void *context);
void flights_free(struct flights *flights); /* after flights_close, and pool_stop of both pools */

/* Waits for the answer; a new flight keeps a reference to the question. asking->wake comes exactly once, perhaps before
 * this returns, unless NULL is returned (out of memory). The waiter holds one reference for the caller: end it with
 * cancellable_unref. */
struct waiter *flights_ask(struct flights *flights, struct shared_question *question, const struct asking *asking);

/* Lets a thread of the first pool carry a task out. False: the pool is stopping. */
bool flights_run(struct flights *flights, struct pool_task *task);

#ifdef CHECKS
/* Asserts that every flight that can be joined has waiters, which are on no other one, that no two are of one question;
 * and the same of the cache. */
void flights_check(struct flights *flights);
#endif

#endif
