/* queue.h - work handed from process to process over NATS JetStream. One process claims a work, by an id, and posts it
 * in batches; workers take batches, and a batch that is not done within its lease goes to another worker. Beside that,
 * every process can publish messages, which those who listen receive. It knows neither counts nor units: all is text.
 */
#ifndef STORES_QUEUE_H
#define STORES_QUEUE_H

#include "base/bytes.h"
#include "stores/claim.h"
#include "stores/store.h"

/* Any thread may call any function. Each may return NQ_NOMEM, or NQ_BROKEN: there is no broker now, and a later call
 * may succeed. */
struct queue;

/* Letters and digits. */
enum { QUEUE_ID_MAX = 40 };

/* Messages about works, from those who claimed them; about workers, from themselves; and their reports of a work. */
enum queue_topic { QUEUE_WORK, QUEUE_WORKER, QUEUE_REPORT };
enum { QUEUE_TOPICS = QUEUE_REPORT + 1 };

/* where, options: as of the store "nats" (see nats.h); lease_ms: of a batch, unless it is
 * renewed. listen: by topic. NQ_OK even when there is no broker yet; otherwise `error` holds a sentence. */
enum nq_status queue_open(const char *where, const struct nats_options *options, unsigned lease_ms,
                          const bool listen[static QUEUE_TOPICS], struct queue **queue,
                          char error[static STORE_ERROR_MAX]);
void queue_close(struct queue *queue);
bool queue_connected(struct queue *queue);

/* Publishes to all who listen now; it is lost to others. */
enum nq_status queue_publish(struct queue *queue, enum queue_topic topic, const char *id, const char *text);

struct queue_message {
    enum queue_topic topic;
    char id[QUEUE_ID_MAX + 1];
    struct bytes text;
};
/* Receives the next message; its text is appended to what is there. NQ_TIMEOUT: none within the time, which may be over
 * before messages of any topic but the last that is listened to are received. One thread at a time. */
enum nq_status queue_receive(struct queue *queue, unsigned milliseconds, struct queue_message *received);

/* Calls on_job(who) with every job that is in the store, and then with every change, at once and in order, until it is
 * unwatched. What it was called with may come again; what came and went while there was no broker does not come. It
 * begins when there is a store with jobs, as seen by queue_receive(). It is called on a thread of libnats, under no
 * lock of the queue; it must not watch or unwatch. */
typedef void (*queue_on_job)(void *who, const char *id, const void *text, size_t size);
void queue_watch_jobs(struct queue *queue, queue_on_job on_job, void *who);
void queue_unwatch_jobs(struct queue *queue); /* waits for a call that is under way, up to five seconds */

/* ---- Who has work ---- */

/* See claim_take(). */
enum nq_status queue_claim(struct queue *queue, const char *id, const char *note, struct claim *claim,
                           struct bytes *theirs);

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

struct batch_source;
/* NQ_NONE: there is no such work. A source belongs to one thread. */
enum nq_status batch_source_open(struct queue *queue, const char *id, struct batch_source **source);
void batch_source_close(struct batch_source *source); /* after all its leases were ended */

struct lease;
/* NQ_TIMEOUT: no batch is ready now; NQ_NONE: the work is over. NQ_BROKEN: there is no broker, or it is just about to
 * end the work, of which it notifies those who wait before it forgets the work. Try again. */
enum nq_status batch_source_take(struct batch_source *source, unsigned milliseconds, struct lease **lease);
void lease_text(const struct lease *lease, struct bytes *text);
unsigned lease_deliveries(const struct lease *lease); /* 1: it is the first time */
enum nq_status lease_renew(struct lease *lease);      /* any thread */

/* End a lease: it is done, or another may have the batch, after so long. */
enum nq_status lease_done(struct lease *lease);
enum nq_status lease_return(struct lease *lease, unsigned milliseconds);

#endif
