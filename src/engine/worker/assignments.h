/* assignments.h - the terms of counts that batches are of, each with its plan while batches of it come. */
#ifndef ENGINE_WORKER_ASSIGNMENTS_H
#define ENGINE_WORKER_ASSIGNMENTS_H

#include <pthread.h>

#include "base/lock.h"
#include "count/counting.h"
#include "engine/cluster/messages.h"
#include "engine/units/plans.h"

struct assignment {
    struct assignment *next;
    char *query, *name; /* canonical path of the count; the term's name */
    uint32_t term;
    uint64_t used_at; /* clock_now(), of the last batch */
    unsigned users;   /* threads; it stays while there are any */
    enum { SHUT, OPENING, OPEN } state;
    struct counting *counting; /* OPEN */
};

/* The owner sets the first group. */
struct assignments {
    struct plans *plans;
    const atomic_bool *stop;
    void (*notify)(void *who, const char *event, const char *text); /* for a log; any thread */
    void *who;
    struct lock lock;      /* guards what follows */
    pthread_cond_t opened; /* or could not be */
    struct assignment *list;
};
void assignments_begin(struct assignments *assignments);
void assignments_end(struct assignments *assignments);

/* The assignment of a batch, for one more user, with its plan and tables: makes them, or waits if another thread does.
 * NQ_INVALID: this release counts the term by other units; or why it cannot be made now. */
enum nq_status assignments_use(struct assignments *assignments, const struct batch_message *message,
                               struct assignment **assignment);
void assignments_leave(struct assignments *assignments, struct assignment *assignment);

/* Takes one off the list that had no user for so long. NULL: there is none. Give it back, or free it. */
struct assignment *assignments_take_idle(struct assignments *assignments, unsigned milliseconds);
void assignments_give_back(struct assignments *assignments, struct assignment *assignment);
void assignment_free(struct assignment *assignment); /* NULL: nothing */

#ifdef CHECKS
/* Asserts that an assignment has a plan just while it is open, and that one in the making has a user. */
void assignments_check(struct assignments *assignments);
#endif

#endif
