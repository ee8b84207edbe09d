/* queue_state.h - a queue as its own files see it. */
#ifndef STORES_QUEUE_STATE_H
#define STORES_QUEUE_STATE_H

#include "base/lock.h"
#include "stores/nats.h"
#include "stores/queue.h"

/* The stream of batches, which go when they are done. Their subjects have four tokens more: the release, the id of the
 * work, the mark of the claim with which they were posted, and the kind. A release has one consumer for all works, of
 * its name. */
#define QUEUE_BATCHES "NQUEENS_BATCHES"
#define QUEUE_BATCH_SUBJECT "nqueens.work."

/* Nanoseconds, an hour, after which the broker gives up batches that no worker has asked for, and the consumer of a
 * release without workers. Batches that are needed wait for seconds; should one wait so long, its server finds that it
 * is lost. */
#define QUEUE_FORGOTTEN_NS INT64_C(3600000000000)

/* The bucket of claims. */
#define QUEUE_CLAIMS "nqueens_claim"

/* Of messages, before topic and id. */
#define QUEUE_MESSAGE_SUBJECT "nqueens.say."

enum { QUEUE_SUBJECT_MAX = 120, QUEUE_NAME_SIZE = CLAIM_OWNER + 1 };

struct queue {
    struct shared_lock use; /* held for reading while the connection is used, for writing while it is made anew */
    struct nats *nats;
    bool listen;
    natsSubscription *messages; /* NULL: not listened to */
    bool watch;                 /* jobs are to be watched; what follows is then set: */
    queue_on_job on_job;
    void *who;
    natsSubscription *jobs; /* NULL: not watched now */
    atomic_bool watched;    /* on_job may be called */
    unsigned lease_ms;
    char owner[QUEUE_NAME_SIZE];   /* what claims of ours begin with */
    char release[QUEUE_NAME_SIZE]; /* in subjects */
    struct lock lock;              /* guards what follows, which is made on first use; held while the broker is asked */
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

/* Of all batches of this release. */
void queue_subject(const struct queue *queue, char subject[static QUEUE_SUBJECT_MAX]);

#endif
