/* crew_model.h - a counting job done by many workers that take batches of units from a queue, played event by event. It
 * knows seconds only: neither boards nor how long a unit takes, nor what is printed of it.
 *
 * One server posts batches of consecutive units, sized by engine/batching.h, so that enough work lies ready. A worker
 * builds tables, then each of its threads, a hand, takes a batch, counts its units one after the other, stores what
 * each had, and takes the next. Everything that is sent passes a broker, one message after the other. A worker that
 * dies, or freezes, leaves its batches to others, who get them after a while and count what had not been stored; a new
 * one comes in its place. A live worker is believed to be alive, however long its units are. Some units are audited:
 * another worker counts them once more, in a batch of their own that stands behind those that are posted; the server
 * does it, one after the other, where there is no other worker, or none has done it in time (engine/waits.h). */
#ifndef BENCH_CREW_MODEL_H
#define BENCH_CREW_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nqueens.h>

/* Times are in seconds. */
struct crew {
    const double *expected; /* what each unit is thought to take when batches are made */
    const double *taken;    /* what it does take at speed 1 */
    size_t units;
    unsigned workers, threads; /* of each worker; 1 or more */
    double begin, hear;        /* until units are listed; and then until a worker hears of it, at most */
    double tables;             /* until a new worker counts, at speed 1 */
    double store, take;        /* round trips: to store a result or to post a batch; to be handed one */
    double message;            /* the broker is busy with each message; 0: never */
    double ack_wait;           /* until what a dead worker had is handed out again */
    double fails;              /* deaths of one worker in a second */
    double replace;            /* until there is another in its place */
    double audit;              /* the share of units that are audited */
    double speed, spread;      /* mean of the workers' speeds, and their standard deviation, as a share of it */
    uint64_t seed;             /* of what is drawn: speeds, deaths, audits, who of those that wait is first */
    bool alone; /* one process that needs no broker: no messages, units handed out one by one; the other times hold */
};

/* The speed of hands that share processors with each other, and with broker and server, whom each unit takes some
 * seconds (beside) of a processor: 1 as long as there are enough. unit: seconds of one at speed 1. */
double crew_speed(double processors, double hands, double unit, double beside);

/* What a hand can be about. */
enum crew_doing { CREW_AWAY, CREW_TABLES, CREW_WAITING, CREW_TAKING, CREW_COUNTING, CREW_STORING, CREW_DOINGS };

struct crew_story {
    bool ended;                /* else it was given up: workers die sooner than they get anything done */
    double makespan;           /* until the last result was stored, and the last audit over */
    double spent[CREW_DOINGS]; /* by all hands, together their number times the makespan */
    double useful;             /* of the counting: units whose result was stored */
    double at_end;             /* of the waiting: since when there was nothing to take any more */
    double tail;               /* from when the last batch was first taken, to the end */
    uint64_t begun, stored;    /* units, audits left out: every one is stored once */
    uint64_t cut;              /* units begun that a death came before the storing of */
    uint64_t audits;           /* units that were audited */
    uint64_t batches, deaths;
    uint64_t redelivered; /* batches of the dead that had to be handed out again */
};

/* Plays it; the same for the same crew. NQ_OK or NQ_NOMEM. */
enum nq_status crew_play(const struct crew *crew, struct crew_story *story);

#endif
