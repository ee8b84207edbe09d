/* assignments.h - the works that servers publish, each with its plan once a thread counts for it. */
#ifndef ENGINE_WORKER_ASSIGNMENTS_H
#define ENGINE_WORKER_ASSIGNMENTS_H

#include <pthread.h>

#include "base/lock.h"
#include "count/counting.h"
#include "engine/cluster/messages.h"
#include "engine/units/plans.h"

/* Milliseconds. */
enum {
    ASSIGNMENT_SILENT_MS = 7000, /* a work that was not published for so long is over */
    ASSIGNMENT_RETRY_MS = 5000,  /* until something is tried again that cannot be done now */
};

struct assignment {
    struct assignment *next;
    char id[QUEUE_ID_MAX + 1];
    struct work_message message;
    uint64_t received_at;
    uint64_t retry_at; /* clock_now(): it cannot be opened before that */
    bool stale;        /* another one has its id now */
    unsigned users;    /* threads; it stays while there are any */
    enum { SHUT, OPENING, OPEN, HOPELESS } state;
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

/* Takes the message over. One whose terms have changed is another work, and the old one is over. */
void assignments_receive(struct assignments *assignments, const char *id, struct work_message *message);

/* Frees those that are over and have no users. */
void assignments_weed(struct assignments *assignments);

/* The assignment after the current one, or the first, for one more user; NULL: there is none. */
struct assignment *assignments_next(struct assignments *assignments, const struct assignment *current);
void assignments_leave(struct assignments *assignments, struct assignment *assignment);

/* Whether that would not be the current one. */
bool assignments_has_other(struct assignments *assignments, const struct assignment *current);

/* Makes the plan, with its tables, unless it is made; waits if another thread does. False: it cannot be made now. */
bool assignment_open(struct assignments *assignments, struct assignment *assignment);

#endif
