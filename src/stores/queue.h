/* queue.h - work handed from process to process over NATS JetStream. Of the servers that want a work, by its id, the
 * one that has its key leads it, and posts it in batches. Any worker of the same release takes the next batch of any
 * work, and a batch that is not done within its lease goes to another worker. A batch may come to a worker after its
 * work is over, or twice: that costs time, but changes no result. Beside that, workers publish messages, which servers
 * receive, and servers ask a worker to audit. It knows neither counts nor units: all is text. */
#ifndef STORES_QUEUE_H
#define STORES_QUEUE_H

#include <string.h>

#include "base/bytes.h"
#include "base/timed.h"
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

/* Messages to all servers: that a worker is there; what it reports of a work. And to one worker: a batch to audit. */
enum queue_topic { QUEUE_WORKER, QUEUE_REPORT, QUEUE_AUDIT };

/* Who listens to which of them; the id of an audit is its worker's, see queue_self(). */
enum queue_role { QUEUE_SERVER, QUEUE_COUNTS };

/* where, options: as of the store "nats" (see nats.h); lease_ms: of a batch, unless it is renewed. NQ_OK even when
 * there is no broker yet; otherwise `error` holds a sentence. */
enum nq_status queue_open(const char *where, const struct nats_options *options, unsigned lease_ms,
                          enum queue_role role, struct queue **queue, char error[static STORE_ERROR_MAX]);
void queue_close(struct queue *queue);
bool queue_connected(struct queue *queue);
bool queue_forbidden(struct queue *queue);         /* since it was asked last, the broker has refused us some subject */
const char *queue_self(const struct queue *queue); /* an id that no other has, drawn when it was opened */

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

/* The two halves of it, for those whose threads share the messages: each goes to one of them. Any of them may poll,
 * which does not wait: at most 65536 messages that have come wait for that, and libnats drops further ones. One thread
 * tends again and again, which takes so long. */
enum nq_status queue_poll(struct queue *queue, struct queue_message *received);
void queue_tend(struct queue *queue, unsigned milliseconds);

/* Has queue_receive() call on_job(who) with every job that is in the store, and then with every change, in order. What
 * it was called with may come again; what came and went while there was no broker does not come. It is called under no
 * lock of the queue. text NULL: among the jobs there is a message that is none, as no store has written it, or as it is
 * damaged; then the id is the last part of its subject. */
typedef void (*queue_on_job)(void *who, const char *id, const void *text, size_t size);
void queue_watch_jobs(struct queue *queue, queue_on_job on_job, void *who); /* once */

/* ---- Who leads a work ---- */

/* Milliseconds. The broker deletes a key that was not written for LEADER_KEPT_MS: then another server can have it. Who
 * has written it is sure to lead for LEADER_SURE_MS after that, by a clock that is up to a tenth too slow. */
enum { LEADER_KEPT_MS = 12000, LEADER_SURE_MS = 10000 };

/* The key of a work as a server knows it that wants to lead; all 0 before the first time. */
struct leader {
    uint64_t revision; /* of our key; 0: it is not ours */
    uint64_t since;    /* clock_now(), when it was written last, or before; 0: that is not known */
};

static inline bool leader_is_sure(const struct leader *leader)
{
    return leader->revision && !timed_long_ago(leader->since, LEADER_SURE_MS);
}

/* Writes the key, with a note that others can read, if it is ours or nobody's. NQ_OK: it is ours; NQ_DENIED: it is
 * another's, whose note is appended to theirs, if that is not NULL; NQ_BROKEN: nobody knows; NQ_NOMEM. */
enum nq_status queue_lead(struct queue *queue, const char *id, const char *note, struct leader *leader,
                          struct bytes *theirs);

/* Makes sure that batches can be taken: see queue_depth(). */
enum nq_status queue_prepare(struct queue *queue);

/* For the one that leads, and is sure of it. Deleted: batches of the work that no worker has taken, whoever posted
 * them; of those that one has, no other will get them. */
enum nq_status queue_post(struct queue *queue, const char *id, const char *text);
enum nq_status queue_delete(struct queue *queue, const char *id);

/* NQ_OK: some batch of a work is not done; NQ_NONE: all are. */
enum nq_status queue_has(struct queue *queue, const char *id);

/* Of all works. NQ_NONE: it must be prepared, for the first time or after an hour in which no batch was asked for. */
struct queue_depth {
    uint64_t ready, leased;
};
enum nq_status queue_depth(struct queue *queue, struct queue_depth *depth);

/* The work is over: its batches and our key are deleted. NQ_DENIED: another leads it by now. */
enum nq_status queue_finish(struct queue *queue, const char *id, struct leader *leader);

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

#endif
