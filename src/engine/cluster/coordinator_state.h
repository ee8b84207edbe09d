/* coordinator_state.h - what a server knows of its shared counts and of workers. The lock guards what tasks and the
 * coordinator's thread share. Neither the broker nor a count is called under it: while the thread uses a shared count
 * that is `busy`, and closing it waits. */
#ifndef ENGINE_CLUSTER_COORDINATOR_STATE_H
#define ENGINE_CLUSTER_COORDINATOR_STATE_H

#include <pthread.h>

#include "base/lock.h"
#include "engine/cluster/coordinator_types.h"

/* Milliseconds. */
enum {
    RECEIVE_MS = 20,
    CLAIM_MS = 1000,  /* until a claim is renewed, with the progress */
    SILENT_MS = 4000, /* a worker that sent nothing for so long is lost */
};

/* ALONE: no broker could be asked. */
enum state { ALONE, LEADS, FOLLOWS };

struct known_worker {
    struct known_worker *next;
    char id[QUEUE_ID_MAX + 1];
    char release[RELEASE_MAX + 1];
    bool foreign; /* its release is another one: it gets no batches */
    bool left;
    unsigned threads;
    uint64_t received_at;
};

/* OWN: the server itself is to count it; TAKEN: a task does. */
struct audit {
    struct audit *next;
    size_t unit;
    nq_wide parts;
    uint64_t since;
    char worker[QUEUE_ID_MAX + 1];
    enum { AUDIT_NEW, AUDIT_POSTED, AUDIT_OWN, AUDIT_TAKEN, AUDIT_OVER } state;
};

struct shared_count {
    struct coordinator *home;
    struct shared_count *next;
    const struct shared_count_class *class;
    void *who;
    char id[17], *query;
    bool busy;   /* the thread uses it */
    bool closed; /* the count is gone: */
    bool kept;   /* its result was given to the journal, */
    bool stored; /* and is stored */
    atomic_int state;
    atomic_bool begun;    /* it is laid out here */
    atomic_bool attended; /* a task begins it, or looks into the store */
    atomic_bool complete; /* all is in the store, by another server */
    uint64_t looked_at;   /* when the task that attended it last did so */
    struct audit *audits; /* only the thread removes one */
    enum nq_status verdict;
    struct fault fault;
    struct progress progress; /* another server's, as it published last */
    double seconds;           /* to go; 0: not known */
    /* Only the thread uses the rest. */
    struct claim claim;
    uint64_t claimed_at, moved_at;    /* claimed: or tried to; 0: not with this mark. moved: a result came */
    double out;                       /* weight of units that were handed out and are not back, about; */
    size_t out_count;                 /* how many, about */
    size_t held;                      /* a unit for the next batch */
    bool has_held, handed_out;        /* handed_out: some was, since all were withdrawn */
    struct batch_message batch;       /* made, and not posted yet */
    double weight_back, seconds_back; /* of units that were reported */
    unsigned reports, reposts;
};

struct coordinator {
    struct coordinator_options options;
    pthread_t thread;
    struct lock lock;
    pthread_cond_t left; /* a shared count is not busy any more */
    struct shared_count *list;
    struct known_worker *workers;
    size_t known;         /* workers */
    uint64_t measured_at; /* only the thread uses it: the depth of the queue was read */
    uint64_t connected;   /* since when, clock_now(); 0: it is not */
    uint64_t salt;        /* of the draw of audits: workers do not know it */
    bool stopping;
    struct coordinator_stats stats; /* but what can be counted */
};

/* For the log, without the lock. */
void coordinator_log(const struct coordinator *coordinator, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Shared counts ---- */

void coordinator_add(struct coordinator *coordinator, struct shared_count *shared);
struct shared_count *coordinator_find(struct coordinator *coordinator, const char *id);

/* The thread uses a shared count from here on; false: its count is gone, or is just opening it. */
bool shared_count_enter(struct shared_count *shared);
void shared_count_leave(struct shared_count *shared);

/* Under the lock: the count is to fail, unless it fails already. */
void shared_count_fail(struct shared_count *shared, enum nq_status status, const struct fault *fault);

/* ---- The broker: coordinator_publish.c ---- */

/* All without the lock, while the shared count is busy. threads: of all workers. */

/* Claims the work, or renews the claim. False: another server leads it, or there is no broker. */
bool shared_count_claim(struct shared_count *shared, unsigned threads);

/* Posts batches while too few are ready; and units that another worker is to audit. */
void shared_count_post_more(struct shared_count *shared, unsigned threads);
void shared_count_post_audits(struct shared_count *shared);

/* Waits for no batch any more: its units are for other workers, or for the server's tasks, if there are none. */
void shared_count_withdraw(struct shared_count *shared, unsigned threads);

/* Withdraws batches that were lost, if no result has come for too long. */
void shared_count_recover_stalled(struct shared_count *shared, unsigned threads);

/* ---- Workers ---- */

/* Under the lock: threads of all workers of this release; whether there is such a worker but one. */
unsigned workers_threads(const struct coordinator *coordinator);
bool workers_other_than(const struct coordinator *coordinator, const char *id);

/* Takes over that the broker is connected now, or not, and forgets workers that fell silent; without a broker none
 * does. */
void workers_refresh(struct coordinator *coordinator, bool connected);

/* A worker has sent how many threads it has; 0: it leaves. */
void workers_receive(struct coordinator *coordinator, const char *id, const struct worker_message *message);

#endif
