/* crew_table.h - what the three files of crew.h share: crew.c, who hands out and what a count asks; crew_hear.c, what
 * comes back; crew_post.c, what goes out. Nobody else includes it. The lock guards what lanes and the crews' thread
 * share; it is not held while the broker or a count is called: a crew that is being tended is busy, and whoever closes
 * it waits for that. */
#ifndef ENGINE_CREW_TABLE_H
#define ENGINE_CREW_TABLE_H

#include <pthread.h>

#include "base/timed.h"
#include "engine/crew.h"
#include "engine/pending.h"
#include "engine/waits.h"

/* Milliseconds. */
enum {
    HEAR_MS = 20,
    RENEW_MS = 3000,  /* a claim */
    SAY_MS = 1000,    /* what is under way */
    LOOK_MS = 2000,   /* at the depth of the queue, and at a claim that may be free */
    SILENT_MS = 7000, /* a worker or leader of whom nothing is heard is gone */
    STALL_MS = 5000,  /* nothing comes back: the store is asked */
    SEEK_MS = 500,    /* who follows looks into the store */
};

/* Posted, or heard, in one go. */
enum { POSTS = 64, HEARD = 1024 };

/* Workers of whom it is known; seconds that a unit may take. */
enum { HANDS_MOST = 65536, CREDIBLE_S = 1000000 };

/* Reports from which on their speed is known; and times that a count is handed out anew when nothing comes of it. */
enum { ENOUGH_REPORTS = 8, REPOSTS = 3 };

/* ALONE: there was no broker to ask. */
enum state { ALONE, LEADS, FOLLOWS };

struct hand {
    struct hand *next;
    char id[QUEUE_ID_MAX + 1];
    unsigned threads;
    uint64_t heard;
};

struct audit {
    struct audit *next;
    size_t unit;
    double weight;
    uint64_t parts;
    char worker[QUEUE_ID_MAX + 1];
    uint64_t since;
    bool posted;      /* the thread's own */
    bool mine, taken; /* the server's to count; a lane does */
    bool over;
};

struct crew {
    struct crews *home;
    struct crew *next;
    const struct crew_class *class;
    void *who;
    char id[17], *query;
    bool busy;   /* the thread is at it */
    bool closed; /* the count is gone: */
    bool kept;   /* its result is on its way to the store, */
    bool stored; /* or there */
    atomic_int state;
    atomic_bool begun;    /* it is laid out here: there may be something to be handed out */
    atomic_bool attended; /* a lane begins it, or looks into the store */
    atomic_bool complete; /* all is in the store, by another server */
    uint64_t sought;      /* in the store, by the lane that attended it last */
    struct pending again; /* units that were handed out in vain */
    struct audit *audits;
    enum nq_status verdict;
    char why[WORK_WHY_MAX];
    struct progress progress; /* the leader's */
    uint64_t ready, leased;
    /* the thread's own */
    uint64_t claim, renewed, said, looked, moved, heard;
    struct pending out;      /* handed out and not back */
    struct batch_slip batch; /* made, and not posted yet */
    double weight_back, seconds_back;
    unsigned reports, reposts;
};

struct crews {
    struct crews_options options;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t rested; /* a crew is not busy any more */
    struct crew *list;
    struct hand *hands;
    uint64_t connected; /* since when, clock_now(); 0: it is not */
    uint64_t salt;
    bool stopping;
    struct crews_figures figures;
};

/* ---- crew.c ---- */

/* The thread is at a crew from here on; false: its count is gone, or just coming. */
bool crew_enter(struct crew *crew);
void crew_leave(struct crew *crew);

/* Under the lock. */
struct crew *crew_find(const struct crews *crews, const char *id);
void crew_fail(struct crew *crew, enum nq_status status, const char *why);

/* ---- crew_hear.c ---- */

/* On the crews' thread, without the lock. */
void crew_heard(struct crews *crews, const struct heard *heard);

/* A unit's result is no more outstanding: the weight that it had, 0 if it was not. On the thread; the crew is busy. */
double crew_settle(struct crew *crew, size_t unit);

/* Whether a unit is among those that are counted twice; and that it is now to be. Without the lock. */
bool crew_is_audited(const struct crew *crew, size_t unit);
void crew_begin_audit(struct crew *crew, size_t unit, uint64_t parts, const char *worker);

/* Under the lock: what somebody else has found for a unit. */
void crew_check(struct crew *crew, size_t unit, uint64_t parts, const char *by);

/* Under the lock: workers that are there. */
unsigned crew_count_hands(const struct crews *crews);
bool crew_anyone_but(const struct crews *crews, const char *id);
void crew_forget_silent(struct crews *crews);

/* ---- crew_post.c: on the crews' thread, without the lock; the crew is busy ---- */

/* Posts what lies ready too little, and units that another worker is to count once more. */
void crew_post_more(struct crew *crew, unsigned hands);
void crew_post_audits(struct crew *crew);

/* Tells all that the work is under way. */
void crew_say(struct crew *crew);

/* Takes all back that is out: for others, or for the server's lanes. */
void crew_take_back(struct crew *crew);

/* Sees to it that something comes back, when nothing has for so many milliseconds. */
unsigned crew_patience(const struct crew *crew);
void crew_unstall(struct crew *crew, unsigned hands);
void crew_look_at_depth(struct crew *crew);

/* Under the lock: a unit that was handed out in vain, and is still wanted. */
bool crew_take_again(struct crew *crew, size_t *unit);

#endif
