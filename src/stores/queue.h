/* queue.h - work handed from process to process over NATS JetStream. One process claims a work, by an id, and posts it
 * in batches; any worker of the same release takes the next batch of any work, and a batch that is not done within its
 * lease goes to another worker. Nothing is withdrawn: a batch is worth as much as the claim with which it was posted,
 * and no worker gets one whose poster has another claim by now, or none. Beside that, workers publish messages, which
 * servers receive. It knows neither counts nor units: all is text. */
#ifndef STORES_QUEUE_H
#define STORES_QUEUE_H

#include <string.h>

#include "base/bytes.h"
#include "stores/claim.h"
#include "stores/store.h"

/* Any thread may call any function. Each may return NQ_NOMEM, or NQ_BROKEN: there is no broker now, and a later call
 * may succeed. */
struct queue;

/* An id of a work or a worker: one letter or digit, or more. */
enum { QUEUE_ID_MAX = 40 };
static inline bool queue_id_is_sound(const char *id)
{
    const size_t size = strlen(id);
    return size >= 1 && size <= QUEUE_ID_MAX &&
           strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == size;
}

/* Messages of workers: that they are there; and their reports of a work. */
enum queue_topic { QUEUE_WORKER, QUEUE_REPORT };

/* where, options: as of the store "nats" (see nats.h); lease_ms: of a batch, unless it is renewed; listen: to messages.
 * NQ_OK even when there is no broker yet; otherwise `error` holds a sentence. */
enum nq_status queue_open(const char *where, const struct nats_options *options, unsigned lease_ms, bool listen,
                          struct queue **queue, char error[static STORE_ERROR_MAX]);
void queue_close(struct queue *queue);
bool queue_connected(struct queue *queue);

/* Reads the files of the options again, as store_reload(). */
enum nq_status queue_reload(struct queue *queue, char error[static STORE_ERROR_MAX]);

/* Publishes to all who listen now; it is lost to others. */
enum nq_status queue_publish(struct queue *queue, enum queue_topic topic, const char *id, const char *text);

struct queue_message {
    enum queue_topic topic;
    char id[QUEUE_ID_MAX + 1]; /* sound, or "": its sender has none, and the message is nobody's */
    struct bytes text;
};
/* Receives the next message; its text is appended to what is there. NQ_TIMEOUT: none within the time. One thread calls
 * it again and again, even if nothing is listened to: it makes the connection anew that libnats has given up. */
enum nq_status queue_receive(struct queue *queue, unsigned milliseconds, struct queue_message *received);

/* Calls on_job(who) with every job that is in the store, and then with every change, at once and in order, until it is
 * unwatched. What it was called with may come again; what came and went while there was no broker does not come. It
 * begins when there is a store with jobs, as seen by queue_receive(). It is called on a thread of libnats, under no
 * lock of the queue; it must not watch or unwatch. text NULL: among the jobs there is a message that is none, as no
 * store has written it, or as it is damaged; then the id is the last part of its subject. */
typedef void (*queue_on_job)(void *who, const char *id, const void *text, size_t size);
void queue_watch_jobs(struct queue *queue, queue_on_job on_job, void *who);
void queue_unwatch_jobs(struct queue *queue); /* waits for a call that is under way, up to five seconds */

/* ---- Who has work ---- */

/* See claim_take(). */
enum nq_status queue_claim(struct queue *queue, const char *id, const char *note, struct claim *claim,
                           struct bytes *theirs);

/* Makes sure that batches can be taken: see queue_depth(). */
enum nq_status queue_prepare(struct queue *queue);

enum queue_kind { QUEUE_BATCH, QUEUE_AUDIT };
/* claim: ours, as it was claimed last. */
enum nq_status queue_post(struct queue *queue, const char *id, const struct claim *claim, enum queue_kind kind,
                          const char *text);

/* How many batches that were posted with a claim are not done, without audits. */
enum nq_status queue_left(struct queue *queue, const char *id, const struct claim *claim, uint64_t *batches);

/* Of all works. NQ_NONE: it must be prepared, for the first time or after an hour in which no batch was asked for. */
struct queue_depth {
    uint64_t ready, leased;
};
enum nq_status queue_depth(struct queue *queue, struct queue_depth *depth);

/* The work is over: the claim is given up. Batches that are not done are given up by workers within seconds, or by the
 * broker within an hour. NQ_DENIED: it is another's by now. */
enum nq_status queue_finish(struct queue *queue, const char *id);

/* ---- Who works ---- */

/* NULL: out of memory. A source belongs to one thread. */
struct batch_source;
struct batch_source *batch_source_new(struct queue *queue);
void batch_source_free(struct batch_source *source); /* after all its leases were ended; NULL: nothing */

struct lease;
/* NQ_TIMEOUT: no batch is ready now; NQ_NONE: no server has prepared the queue. NQ_BROKEN: there is no broker. */
enum nq_status batch_source_take(struct batch_source *source, unsigned milliseconds, struct lease **lease);
void lease_text(const struct lease *lease, struct bytes *text);
unsigned lease_deliveries(const struct lease *lease); /* 1: it is the first time */
enum nq_status lease_renew(struct lease *lease);      /* any thread */

/* End a lease: it is done, or another may have the batch, after so long. */
enum nq_status lease_done(struct lease *lease);
enum nq_status lease_return(struct lease *lease, unsigned milliseconds);

/* What becomes of a batch that was taken: it is worth as much as the claim with which it was posted.
 * posted: as of claim_check(). NQ_OK: *out is the lease; otherwise it was ended: NQ_TIMEOUT: there is another claim by
 * now, or none; or why it is not known. A batch of a work that nobody has comes again some times: its server may have
 * been away for so long that the broker forgot the claim. */
static inline enum nq_status lease_judge(struct lease *lease, enum nq_status posted, struct lease **out)
{
    enum { TRIES = 5, AGAIN_MS = 1000 };
    if (posted == NQ_OK) {
        *out = lease;
        return NQ_OK;
    }
    if (posted == NQ_DENIED || (posted == NQ_NONE && lease_deliveries(lease) >= TRIES))
        (void)lease_done(lease);
    else
        (void)lease_return(lease, AGAIN_MS);
    return posted == NQ_DENIED || posted == NQ_NONE ? NQ_TIMEOUT : posted;
}

#endif
