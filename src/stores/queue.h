/* queue.h - work handed from process to process over NATS JetStream. One process claims a work, by an id, and posts it
 * in batches; others take them, each batch for itself, and what nobody has done within a lease goes to another. Beside
 * that everybody may say things, which whoever listens then hears. It knows neither counts nor units: all is text. */
#ifndef STORES_QUEUE_H
#define STORES_QUEUE_H

#include "base/bytes.h"
#include "stores/store.h"

/* Any thread may call any function, but for an intake, which is one thread's. Each may come to NQ_NOMEM, or to
 * NQ_BROKEN: there is no broker now, and a later call may succeed. */
struct queue;

/* Milliseconds: a claim that is not renewed is nobody's after so long. */
enum { QUEUE_CLAIM_MS = 12000 };

/* Letters and digits. */
enum { QUEUE_ID_MAX = 40 };

/* Times that a batch is handed out; whoever fails on it so often will fail again. */
enum { QUEUE_DELIVERIES = 10 };

/* What is said is about works, by those who claimed them, about workers, by themselves, and what these report of a
 * work. */
enum queue_topic { QUEUE_WORK, QUEUE_WORKER, QUEUE_REPORT };
enum { QUEUE_TOPICS = QUEUE_REPORT + 1 };

/* where, options: as of the store "nats" (see nats.h); lease_ms: for a batch, if its taker says nothing more of it.
 * listen: by topic. NQ_OK even when there is no broker yet; otherwise `error` holds a sentence. */
enum nq_status queue_open(const char *where, const struct nats_options *options, unsigned lease_ms,
                          const bool listen[static QUEUE_TOPICS], struct queue **queue,
                          char error[static STORE_ERROR_MAX]);
void queue_close(struct queue *queue);
bool queue_connected(struct queue *queue);

/* Tells all who listen now. It is lost to others. */
enum nq_status queue_say(struct queue *queue, enum queue_topic topic, const char *id, const char *text);

struct heard {
    enum queue_topic topic;
    char id[QUEUE_ID_MAX + 1];
    struct bytes text;
};
/* The next thing said; its text is appended to what is there. NQ_TIMEOUT: nothing within the time, though it may be
 * over before what is said of any topic but the last that is listened to is heard. One thread at a time. */
enum nq_status queue_hear(struct queue *queue, unsigned milliseconds, struct heard *heard);

/* Calls told(who) with every job that is in the store, and then with what becomes of them, at once and in order, on a
 * thread of NATS's, until it is unwatched; it must not call the queue. What was told may be told again, and what came
 * and went while there was no broker is not. It begins when there is a store with jobs, as seen by who hears. */
typedef void (*queue_teller)(void *who, const char *id, const void *text, size_t size);
void queue_watch_jobs(struct queue *queue, queue_teller told, void *who);
void queue_unwatch_jobs(struct queue *queue); /* waits for a call that is under way */

/* ---- Who has work ---- */

/* Claims a work or renews the claim; *claim is 0 before the first time. NQ_DENIED: it is another's. */
enum nq_status queue_claim(struct queue *queue, const char *id, uint64_t *claim);

/* Withdraws every batch that was posted and is not done, and makes the work ready to be posted. */
enum nq_status queue_clear(struct queue *queue, const char *id);
enum nq_status queue_post(struct queue *queue, const char *id, const char *text);

struct queue_depth {
    uint64_t ready, leased;
};
/* NQ_NONE: it was not cleared, or is over. */
enum nq_status queue_depth(struct queue *queue, const char *id, struct queue_depth *depth);

/* The work is over: nothing of it remains, and the claim is given up. NQ_DENIED: it is another's by now. */
enum nq_status queue_finish(struct queue *queue, const char *id);

/* ---- Who works ---- */

struct intake;
/* NQ_NONE: there is no such work. */
enum nq_status queue_intake(struct queue *queue, const char *id, struct intake **intake);
void intake_close(struct intake *intake); /* after all its leases were ended */

struct lease;
/* NQ_TIMEOUT: there is none now; NQ_NONE: the work is over. NQ_BROKEN: the broker is away, or is just about to end the
 * work: it tells those who wait before it has forgotten it. Ask again. */
enum nq_status intake_take(struct intake *intake, unsigned milliseconds, struct lease **lease);
void lease_text(const struct lease *lease, struct bytes *text);
unsigned lease_deliveries(const struct lease *lease); /* 1: it is the first time */
enum nq_status lease_renew(struct lease *lease);      /* any thread */

/* End a lease: it is done, or another may have the batch, after so long. */
enum nq_status lease_done(struct lease *lease);
enum nq_status lease_return(struct lease *lease, unsigned milliseconds);

#endif
