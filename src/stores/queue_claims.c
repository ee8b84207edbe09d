/* queue_claims.c - claims works, and posts their batches. */
#include <stdio.h>
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

static natsStatus make_consumer(struct queue *queue, jsErrCode *code)
{
    char subject[QUEUE_SUBJECT_MAX];
    jsConsumerConfig config;
    queue_subject(queue, subject);
    jsConsumerConfig_Init(&config);
    config.Durable = queue->release;
    config.FilterSubject = subject;
    config.AckPolicy = js_AckExplicit;
    config.AckWait = (int64_t)queue->lease_ms * 1000000;
    config.MaxDeliver = -1; /* who takes a batch decides when it is hopeless */
    config.MaxAckPending = -1;
    config.InactiveThreshold = QUEUE_FORGOTTEN_NS;
    config.MaxWaiting = 1 << 20;
    return js_AddConsumer(NULL, queue->nats->js, QUEUE_BATCHES, &config, NULL, code);
}

static enum nq_status prepare(struct queue *queue)
{
    jsErrCode code = (jsErrCode)0;
    const enum nq_status made = queue_make(queue);
    return made == NQ_OK ? queue_judge(queue, make_consumer(queue, &code), code) : made;
}

enum nq_status queue_prepare(struct queue *queue)
{
    queue_enter(queue);
    return queue_leave(queue, prepare(queue));
}

static void subject_of(const struct queue *queue, const char *id, const struct claim *claim, enum queue_kind kind,
                       char subject[static QUEUE_SUBJECT_MAX])
{
    char mark[CLAIM_MARK + 1];
    claim_mark(queue->owner, claim->serial, mark);
    (void)snprintf(subject, QUEUE_SUBJECT_MAX, QUEUE_BATCH_SUBJECT "%s.%.*s.%s.%s", queue->release, QUEUE_ID_MAX, id,
                   mark, kind == QUEUE_AUDIT ? "audit" : "batch");
}

enum nq_status queue_post(struct queue *queue, const char *id, const struct claim *claim, enum queue_kind kind,
                          const char *text)
{
    char subject[QUEUE_SUBJECT_MAX];
    jsErrCode code = (jsErrCode)0;
    enum nq_status status = NQ_BROKEN;
    subject_of(queue, id, claim, kind, subject);
    queue_enter(queue);
    if (nats_connected(queue->nats))
        status =
            queue_judge(queue, js_Publish(NULL, queue->nats->js, subject, text, (int)strlen(text), NULL, &code), code);
    return queue_leave(queue, status);
}

enum nq_status queue_left(struct queue *queue, const char *id, const struct claim *claim, uint64_t *batches)
{
    char subject[QUEUE_SUBJECT_MAX];
    jsStreamInfo *info = NULL;
    jsErrCode code = (jsErrCode)0;
    natsStatus status = NATS_CONNECTION_DISCONNECTED;
    jsOptions options;
    subject_of(queue, id, claim, QUEUE_BATCH, subject);
    jsOptions_Init(&options);
    options.Wait = queue->nats->wait_ms;
    options.Stream.Info.SubjectsFilter = subject;
    *batches = 0;
    queue_enter(queue);
    if (nats_connected(queue->nats))
        status = js_GetStreamInfo(&info, queue->nats->js, QUEUE_BATCHES, &options, &code);
    if (status == NATS_OK && info->State.Subjects && info->State.Subjects->Count)
        *batches = info->State.Subjects->List[0].Msgs;
    jsStreamInfo_Destroy(info);
    const enum nq_status judged = nats_judge(status, code);
    return queue_leave(queue, judged == NQ_NONE ? NQ_OK : judged); /* with the stream all are gone */
}

enum nq_status queue_depth(struct queue *queue, struct queue_depth *depth)
{
    jsConsumerInfo *info = NULL;
    jsErrCode code = (jsErrCode)0;
    natsStatus status = NATS_CONNECTION_DISCONNECTED;
    queue_enter(queue);
    if (nats_connected(queue->nats))
        status = js_GetConsumerInfo(&info, queue->nats->js, QUEUE_BATCHES, queue->release, NULL, &code);
    if (status == NATS_OK)
        *depth = (struct queue_depth){.ready = info->NumPending, .leased = (uint64_t)info->NumAckPending};
    jsConsumerInfo_Destroy(info);
    return queue_leave(queue, nats_judge(status, code));
}

static enum nq_status finish(struct queue *queue, const char *id)
{
    struct claim claim = {0};
    const enum nq_status made = claim_it(queue, id, "", &claim, NULL);
    return made == NQ_OK ? queue_judge(queue, kvStore_Delete(queue->claims, id), (jsErrCode)0) : made;
}

enum nq_status queue_finish(struct queue *queue, const char *id)
{
    queue_enter(queue);
    return queue_leave(queue, finish(queue, id));
}
