/* pool_jobs.h - tasks for a pool that count their slices. */
#ifndef TESTS_UNIT_SUPPORT_POOL_JOBS_H
#define TESTS_UNIT_SUPPORT_POOL_JOBS_H

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
struct job job_of(unsigned wanted, atomic_size_t *done);

/* A pool in which who holds a place keeps it, at the usual rank; never NULL. */
struct pool *new_pool(unsigned threads, size_t capacity);

/* Stops and frees a pool, in which nothing is left then. */
void end_pool(struct pool *pool);

#endif
