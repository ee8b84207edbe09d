/* queue_state.h - a queue as its own files see it. */
#ifndef STORES_QUEUE_STATE_H
#define STORES_QUEUE_STATE_H

#include "base/lock.h"
#include "stores/nats.h"
#include "stores/queue.h"

/* The stream of batches, which go when they are done, with a consumer for each work. */
#define QUEUE_BATCHES "NQUEENS_WORK"
#define QUEUE_BATCH_SUBJECT "nqueens.batch."

/* Nanoseconds, an hour, after which the broker gives up the batches of a work whose servers have died, and its
 * consumer. Batches that are needed wait for seconds; should one wait so long, its server finds that it is lost. */
#define QUEUE_FORGOTTEN_NS INT64_C(3600000000000)

enum { QUEUE_SUBJECT_MAX = 80, QUEUE_OWNER_SIZE = CLAIM_OWNER + 1 };

struct queue {
    struct shared_lock use; /* held for reading while the connection is used, for writing while it is made anew */
    struct nats *nats;
    bool listen[QUEUE_TOPICS];
    natsSubscription *topics[QUEUE_TOPICS]; /* NULL: not listened to */
    bool watch;                             /* jobs are to be watched; what follows is then set: */
    queue_on_job on_job;
    void *who;
    natsSubscription *jobs; /* NULL: not watched now */
    atomic_bool watched;    /* on_job may be called */
    unsigned lease_ms;
    char owner[QUEUE_OWNER_SIZE]; /* what claims of ours begin with */
    struct lock lock;             /* guards what follows, which is made on first use; held while the broker is asked */
    bool made;
    kvStore *claims;
};

/* A call that needs the connection stands between these two. */
void queue_enter(struct queue *queue);
enum nq_status queue_leave(struct queue *queue, enum nq_status status);

/* Makes the stream of batches and the bucket of claims, unless they exist. queue_forget_made: they may be gone. */
enum nq_status queue_make(struct queue *queue);
void queue_forget_made(struct queue *queue);

/* As nats_judge(); what is missing is made the next time. */
enum nq_status queue_judge(struct queue *queue, natsStatus status, jsErrCode code);

void queue_subject(const char *prefix, const char *id, char subject[static QUEUE_SUBJECT_MAX]);

/* The subject of a topic, before an id. */
extern const char *const queue_topic_subjects[QUEUE_TOPICS];

/* Not between queue_enter and queue_leave. The first watches jobs again, from the beginning, if they are watched. The
 * second makes the connection anew that libnats has given up, and listens and watches again. */
void queue_watch_anew(struct queue *queue);
void queue_mend(struct queue *queue);

#endif
