/* queue_claims.c - claims works, and lays out their batches. */
#include <string.h>

#include "stores/queue_state.h"

struct cell {
    struct queue *queue;
    const char *id;
};

static bool create(void *self, const char *text, uint64_t *revision)
{
    const struct cell *cell = self;
    return kvStore_CreateString(revision, cell->queue->claims, cell->id, text) == NATS_OK;
}

static bool update(void *self, const char *text, uint64_t *revision)
{
    const struct cell *cell = self;
    return kvStore_UpdateString(revision, cell->queue->claims, cell->id, text, *revision) == NATS_OK;
}

static enum nq_status read_claim(void *self, struct bytes *text, uint64_t *revision)
{
    const struct cell *cell = self;
    kvEntry *entry = NULL;
    const natsStatus found = kvStore_Get(&entry, cell->queue->claims, cell->id);
    if (found != NATS_OK)
        return nats_judge(found, (jsErrCode)0);
    *revision = kvEntry_Revision(entry);
    bytes_add(text, kvEntry_Value(entry), (size_t)kvEntry_ValueLen(entry));
    kvEntry_Destroy(entry);
    return NQ_OK;
}

static enum nq_status claim_it(struct queue *queue, const char *id, const char *note, struct claim *claim,
                               struct bytes *theirs)
{
    struct cell self = {queue, id};
    const struct claim_cell cell = {.self = &self, .create = create, .update = update, .read = read_claim};
    enum nq_status status = queue_make(queue);
    if (status != NQ_OK)
        return status;
    status = claim_take(&cell, queue->owner, note, claim, theirs);
    if (status == NQ_NONE || status == NQ_BROKEN)
        queue_forget_made(queue);
    return status == NQ_NONE ? NQ_BROKEN : status;
}

enum nq_status queue_claim(struct queue *queue, const char *id, const char *note, struct claim *claim,
                           struct bytes *theirs)
{
    queue_enter(queue);
    return queue_leave(queue, claim_it(queue, id, note, claim, theirs));
}

static natsStatus make_consumer(struct queue *queue, const char *id, jsErrCode *code)
{
    char subject[QUEUE_SUBJECT_MAX];
    jsConsumerConfig config;
    queue_subject(QUEUE_BATCH_SUBJECT, id, subject);
    jsConsumerConfig_Init(&config);
    config.Durable = id;
    config.FilterSubject = subject;
    config.AckPolicy = js_AckExplicit;
    config.AckWait = (int64_t)queue->lease_ms * 1000000;
    config.MaxDeliver = -1; /* who takes a batch decides when it is hopeless */
    config.MaxAckPending = -1;
    config.InactiveThreshold = QUEUE_FORGOTTEN_NS;
    config.MaxWaiting = 1 << 20;
    return js_AddConsumer(NULL, queue->nats->js, QUEUE_BATCHES, &config, NULL, code);
}

static natsStatus purge(struct queue *queue, const char *id, jsErrCode *code)
{
    char subject[QUEUE_SUBJECT_MAX];
    jsOptions options;
    queue_subject(QUEUE_BATCH_SUBJECT, id, subject);
    jsOptions_Init(&options);
    options.Wait = NATS_WAIT_MS;
    options.Stream.Purge.Subject = subject;
    return js_PurgeStream(queue->nats->js, QUEUE_BATCHES, &options, code);
}

static natsStatus delete_consumer(struct queue *queue, const char *id, jsErrCode *code)
{
    const natsStatus status = js_DeleteConsumer(queue->nats->js, QUEUE_BATCHES, id, NULL, code);
    return status == NATS_NOT_FOUND ? NATS_OK : status;
}

/* The consumer of an earlier claim is deleted: it may have another lease, and counts deliveries of its own. */
static enum nq_status clear(struct queue *queue, const char *id)
{
    jsErrCode code = (jsErrCode)0;
    const enum nq_status made = queue_make(queue);
    if (made != NQ_OK)
        return made;
    natsStatus status = delete_consumer(queue, id, &code);
    if (status == NATS_OK)
        status = purge(queue, id, &code);
    if (status == NATS_OK)
        status = make_consumer(queue, id, &code);
    return queue_judge(queue, status, code);
}

enum nq_status queue_clear(struct queue *queue, const char *id)
{
    queue_enter(queue);
    return queue_leave(queue, clear(queue, id));
}

enum nq_status queue_post(struct queue *queue, const char *id, const char *text)
{
    char subject[QUEUE_SUBJECT_MAX];
    jsErrCode code = (jsErrCode)0;
    enum nq_status status = NQ_BROKEN;
    queue_subject(QUEUE_BATCH_SUBJECT, id, subject);
    queue_enter(queue);
    if (nats_connected(queue->nats))
        status =
            queue_judge(queue, js_Publish(NULL, queue->nats->js, subject, text, (int)strlen(text), NULL, &code), code);
    return queue_leave(queue, status);
}

enum nq_status queue_depth(struct queue *queue, const char *id, struct queue_depth *depth)
{
    jsConsumerInfo *info = NULL;
    jsErrCode code = (jsErrCode)0;
    natsStatus status = NATS_CONNECTION_DISCONNECTED;
    queue_enter(queue);
    if (nats_connected(queue->nats))
        status = js_GetConsumerInfo(&info, queue->nats->js, QUEUE_BATCHES, id, NULL, &code);
    if (status == NATS_OK)
        *depth = (struct queue_depth){.ready = info->NumPending, .leased = (uint64_t)info->NumAckPending};
    jsConsumerInfo_Destroy(info);
    return queue_leave(queue, nats_judge(status, code));
}

/* Only for the owner of the claim: another's work has the same consumer. */
static enum nq_status finish(struct queue *queue, const char *id)
{
    struct claim claim = {0};
    jsErrCode code = (jsErrCode)0;
    const enum nq_status made = claim_it(queue, id, "", &claim, NULL);
    if (made != NQ_OK)
        return made;
    natsStatus status = delete_consumer(queue, id, &code);
    if (status == NATS_OK)
        status = purge(queue, id, &code);
    if (status == NATS_OK)
        status = kvStore_Delete(queue->claims, id);
    return queue_judge(queue, status, code);
}

enum nq_status queue_finish(struct queue *queue, const char *id)
{
    queue_enter(queue);
    return queue_leave(queue, finish(queue, id));
}
