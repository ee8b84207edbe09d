/* crew_play.h - what the files of crew_model.h share: who is about what, what is to come, and the batches. Nobody else
 * includes it. */
#ifndef BENCH_CREW_PLAY_H
#define BENCH_CREW_PLAY_H

#include "base/random.h"
#include "bench/crew_events.h"
#include "bench/crew_model.h"

/* Units from next on, up to but without end. */
struct batch {
    size_t next, end;
    double ready; /* when it was posted */
    size_t audit; /* which one it is, from 1 on; 0: none */
};

struct hand {
    enum crew_doing doing;
    double since;
    struct batch batch;
};

struct worker {
    double speed;
    uint32_t life; /* which one it is that has this place */
};

/* Of a unit that a worker has counted, or rather one in its place. */
struct audit {
    struct batch batch;
    size_t behind; /* so many posted batches */
    size_t place;
    uint32_t life;
    bool over;
};

/* To a hand, a worker, a batch in `left_behind`, or an audit that is the server's now or has been carried out by it;
 * when the worker it was foreseen for is dead, nothing happens. */
enum happening { BUILT, TAKEN, COUNTED, STORED, DEATH, ARRIVAL, RETURN, DUE, CHECKED };

struct play {
    const struct crew *crew;
    struct crew_story *story;
    struct random random;
    struct hand *hand;
    struct worker *worker;
    size_t hands;
    struct events events;
    struct pile waiting;     /* hands that found nothing; some are not waiting any more */
    struct pile left_behind; /* batches of the dead, and those that were for another */
    struct pile again;       /* struct batch: those that may be taken */
    struct pile audits;      /* struct audit */
    size_t unchecked;        /* of the audits: not over, */
    size_t handed, due, own; /* the first that was not taken, not due, not looked at by the server */
    bool auditing;           /* the server is */
    struct batch *posted;
    size_t first, posts;    /* of them: the first that was not taken; how many there are */
    size_t next;            /* unit to be posted */
    double unposted, ready; /* seconds expected of units: not posted, and posted but not taken */
    double broker;          /* free from then on */
    double now;
    bool failed; /* there was not memory enough */
};

/* ---- crew_model.c: what is to come ---- */

void play_foresee(struct play *play, double time, enum happening what, size_t who, uint32_t life);
void play_foresee_for_hand(struct play *play, double time, enum happening what, size_t hand);

/* The place for one more in a pile, NULL when there is not memory enough. */
void *play_add(struct play *play, struct pile *pile, size_t size);

struct worker *play_worker_of(const struct play *play, size_t hand);

/* From now on the hand is about something else. */
void play_turn_to(struct play *play, size_t hand, enum crew_doing doing);

/* When the broker has seen to a message that is sent now. */
double play_broker_sees(struct play *play);

/* ---- crew_batches.c ---- */

/* Posts what lies ready too little. */
void play_post(struct play *play);

/* A hand is handed a batch, or waits for one. */
void play_ask(struct play *play, size_t hand);

/* A batch is to be handed out again, after some seconds; and now it may be. */
void play_put_back(struct play *play, struct batch *batch, double seconds);
void play_bring_back(struct play *play, size_t left);

/* What a hand has just stored is to be counted again: by another worker, if there is one, and by the server, if nobody
 * has done it. */
void play_begin_audit(struct play *play, size_t hand);

/* An audit is the server's to do now; it has done it; somebody has. */
void play_fall_due(struct play *play, size_t number);
void play_checked(struct play *play, size_t number);
void play_end_audit(struct play *play, size_t number);

/* Whether what a hand is to audit was counted by its own worker. */
bool play_is_own(const struct play *play, size_t hand);

#endif
