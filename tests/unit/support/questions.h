/* questions.h - what the tests of the engine share: questions made of little, a worker held on purpose, somebody to be
 * woken. */
#ifndef TESTS_UNIT_SUPPORT_QUESTIONS_H
#define TESTS_UNIT_SUPPORT_QUESTIONS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "engine/ask/question.h"
#include "engine/run/pool.h"
#include "support/facts.h"
#include "support/waits.h"

OWNER(question_unref, struct shared_question *)
OWNER(pool_free, struct pool *)

/* Questions with static strings; what is not said is as plain as it can be. format: a name. */
struct question ask_solve(uint32_t n, uint64_t limit, const char *format);
struct question ask_construct(uint32_t n, const char *format);
struct question ask_count(uint32_t n);
/* Nothing is searched for it: for flights with made-up work. The key is the caller's. */
struct question ask_named(const char *key);

/* A shared copy; the caller gives the reference back. */
struct shared_question *shared(const struct question *question);

/* Never NULL. */
struct pool *new_pool(unsigned threads, size_t capacity);

/* A task that keeps one worker of such a pool busy until it is let go. */
struct blocker {
    struct pool_task task;
    sem_t out;
    atomic_bool in, gone;
};
void blocker_begin(struct blocker *blocker, struct pool *pool);
void blocker_end(struct blocker *blocker); /* waits until the pool has done with it */

/* Somebody who is woken. */
struct sleeper {
    sem_t wake;
    atomic_uint woken;
};
void sleeper_begin(struct sleeper *sleeper);
void sleeper_end(struct sleeper *sleeper);
void sleeper_wake(void *who); /* a pending_wake */
/* Sleeps until the next wake; false when none comes. Any thread. */
bool sleeper_sleep(struct sleeper *sleeper);

/* Starts a thread, or fails the test. */
void start(pthread_t *thread, void *(*run)(void *), void *context);

#endif
