/* turns.h - whose turn it is: the tasks that wait for a thread, and who of their clients comes next. It knows neither
 * threads nor clocks.
 *
 * Between clients: who has used least of the processors comes first. A client who begins to use them is at most a short
 * credit behind the one who is served, so that a question is soon answered and nobody is starved by many who begin:
 * start-time fair queueing (P. Goyal, H. M. Vin, H. Cheng 1996). Clients are told apart by a hash, some tens of them at
 * once, so that a rare few share a turn: stochastic fairness queueing (P. McKenney 1990).
 *
 * Between the tasks of one client: who has used little, and is not known to need much, comes first, by levels each
 * twice as long as the one before, and now and then the one who has used most: multi-level feedback (F. J. Corbato
 * 1962).
 *
 * A task is fresh, and any thread can take it up; or it is held by a thread that was set aside in the midst of it. */
#ifndef ENGINE_RUN_TURNS_H
#define ENGINE_RUN_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"

enum { TURNS = 128, TURN_LEVELS = 16 };

/* So many clients have a thread each, even if others would use more than one. And so many more threads may keep tasks
 * that were set aside for shorter ones of the same client, who would otherwise wait until a long one ends: with long
 * counts on all the threads that a client could have, its next small question took 2 to 8 s. Each is for a task of
 * a lower level than all others of its client, so that a client seldom has more than two or three. */
enum { TURN_SHARERS = 8, TURN_SHORTER = 24 };

/* Nanoseconds of a processor: what is alike is served in turn; and how far behind a client may begin. */
#define TURN_QUANTUM (UINT64_C(4) * 1000 * 1000)
#define TURN_CREDIT (UINT64_C(2) * 1000 * 1000 * 1000)

/* What turns know of a task, or, in_hand being set, of a thread that has one: a task may be gone when its thread is
 * done with it. */
struct turn_task {
    uint64_t client;   /* whom it is for, as a hash */
    uint64_t used;     /* nanoseconds of a processor */
    uint64_t expected; /* the same, in all, where that is known to be much; not to be changed while it waits */
    uint64_t since;    /* when it began to wait; only the order matters */
    struct turn_task *prev, *next; /* of those fresh of its level, or of those in hand of its client */
    bool in_hand;
    bool waits;        /* for a thread, or for a place */
    bool unresponsive; /* in hand, but not to be had: it does not look around */
};

struct turn_list {
    struct turn_task *head, *tail;
};

/* The tasks of one client, or of a few. */
struct turn {
    struct turn_list fresh[TURN_LEVELS], hands;
    size_t members;           /* tasks that are not over */
    size_t waiting, in_hands; /* of them */
    size_t unresponsive;      /* of those in hand */
    uint64_t used;
    unsigned picks;
    struct turn *prev, *next; /* of those where somebody waits */
};

struct turns {
    struct turn turn[TURNS];
    struct turn *first, *last; /* where somebody waits, in the order in which that began or was last served */
    size_t waiting;            /* tasks */
    unsigned busy;             /* clients that threads work for */
    unsigned tasks;            /* threads that one client may use, all tasks being alike */
    uint64_t floor;            /* what the client served last had used */
};

void turns_begin(struct turns *turns, unsigned tasks);

/* A task comes, and is over. In between it waits, is in hand, or is its owner's. */
void turns_enter(struct turns *turns, const struct turn_task *task);
void turns_leave(struct turns *turns, const struct turn_task *task);

/* Whether a task of this very client waits, and no thread has it. It looks at all of its turn. */
bool turns_has(const struct turns *turns, uint64_t client);

/* It waits from now on, held if a thread has it. */
void turns_wait(struct turns *turns, struct turn_task *task, uint64_t now);

/* It does not wait any longer. */
void turns_stop_waiting(struct turns *turns, struct turn_task *task);

/* A thread takes a task up that does not wait any longer: hand, the thread's own, stands for it until it is released.
 */
void turns_take(struct turns *turns, const struct turn_task *task, struct turn_task *hand);
void turns_release(struct turns *turns, struct turn_task *hand);

/* What is in hand does not look around: the client may use another thread. Until it waits, or is released. */
void turns_set_unresponsive(struct turns *turns, struct turn_task *hand);

/* What is in hand has used so much of a processor. */
void turns_charge(struct turns *turns, struct turn_task *hand, uint64_t nanoseconds);

/* Whose turn it is, with so many threads that could take up a fresh task. NULL: nobody's. The client goes to the end of
 * those who are alike. */
struct turn_task *turns_next(struct turns *turns, size_t spare);

/* The same, of those only who begin: the task has used nothing, no thread has another one of its client that has used
 * little, and the client has used no more than the one served last, in quanta. NULL: nobody. */
struct turn_task *turns_newcomer(struct turns *turns);

#ifdef CHECKS
/* Asserts that the lists are whole, and that all that is counted is what they have. */
void turns_check(const struct turns *turns);
#endif

#endif
