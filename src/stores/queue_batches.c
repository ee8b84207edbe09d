/* queue_batches.c - batches as a worker takes them, each under a lease. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stores/lease.h"
#include "stores/queue_state.h"

struct batch_source {
    struct queue *queue;
    natsSubscription *subscription; /* NULL: there is none yet, or it has failed */
};

struct lease {
    natsMsg *message;
};

struct batch_source *batch_source_new(struct queue *queue)
{
    struct batch_source *source = calloc(1, sizeof *source);
    if (source)
        source->queue = queue;
    return source;
}

static void shut(struct batch_source *source)
{
    natsSubscription_Destroy(source->subscription);
    source->subscription = NULL;
}

void batch_source_free(struct batch_source *source)
{
    if (source)
        shut(source);
    free(source);
}

/* Without a connection nothing is requested: the request would be sent later, when no one waits for its batch. */
static enum nq_status open_it(struct batch_source *source)
{
    struct queue *queue = source->queue;
    char subject[QUEUE_SUBJECT_MAX];
    jsErrCode code = (jsErrCode)0;
    jsSubOptions options;
    natsStatus status = NATS_OK;
    jsSubOptions_Init(&options);
    options.Stream = QUEUE_BATCHES;
    options.Consumer = queue->release;
    queue_subject(queue, subject);
    queue_enter(queue);
    if (!nats_connected(queue->nats))
        status = NATS_CONNECTION_DISCONNECTED;
    else if (!source->subscription)
        status =
            js_PullSubscribe(&source->subscription, queue->nats->js, subject, queue->release, NULL, &options, &code);
    return queue_leave(queue, nats_judge(status, code));
}

/* Why nothing can be taken: a request to a consumer that is gone gets no reply. */
static enum nq_status fault(struct batch_source *source, natsStatus status, jsErrCode code)
{
    struct queue_depth depth;
    const bool in_time = status == NATS_TIMEOUT || status == NATS_OK;
    if (in_time && queue_depth(source->queue, &depth) != NQ_NONE)
        return NQ_TIMEOUT;
    shut(source);
    return in_time ? NQ_NONE : nats_judge(status, code);
}

static enum nq_status fetch(struct batch_source *source, unsigned milliseconds, struct lease **out)
{
    natsMsgList list = {0};
    jsErrCode code = (jsErrCode)0;
    const enum nq_status opened = open_it(source);
    if (opened != NQ_OK)
        return opened;
    struct lease *lease = malloc(sizeof *lease);
    if (!lease)
        return NQ_NOMEM;
    const natsStatus status = natsSubscription_Fetch(&list, source->subscription, 1, (int64_t)milliseconds, &code);
    if (status == NATS_OK && list.Count == 1) {
        lease->message = list.Msgs[0];
        list.Msgs[0] = NULL;
        natsMsgList_Destroy(&list);
        *out = lease;
        return NQ_OK;
    }
    free(lease);
    natsMsgList_Destroy(&list);
    return fault(source, status, code);
}

void lease_text(const struct lease *lease, struct bytes *text)
{
    bytes_add(text, natsMsg_GetData(lease->message), (size_t)natsMsg_GetDataLength(lease->message));
}

unsigned lease_deliveries(const struct lease *lease)
{
    jsMsgMetaData *about = NULL;
    unsigned deliveries = 1;
    if (natsMsg_GetMetaData(&about, lease->message) == NATS_OK)
        deliveries = (unsigned)about->NumDelivered;
    jsMsgMetaData_Destroy(about);
    return deliveries;
}

enum nq_status lease_renew(struct lease *lease)
{
    return nats_judge(natsMsg_InProgress(lease->message, NULL), (jsErrCode)0);
}

static enum nq_status end(struct lease *lease, natsStatus status)
{
    natsMsg_Destroy(lease->message);
    free(lease);
    return nats_judge(status, (jsErrCode)0);
}

enum nq_status lease_done(struct lease *lease)
{
    return end(lease, natsMsg_Ack(lease->message, NULL));
}

enum nq_status lease_return(struct lease *lease, unsigned milliseconds)
{
    return end(lease, natsMsg_NakWithDelay(lease->message, (int64_t)milliseconds, NULL));
}

/* ---- Whether a batch is worth to be counted ---- */

struct cell {
    struct queue *queue;
    char subject[QUEUE_SUBJECT_MAX];
};

/* Without the bucket's handle: a worker must not make the bucket. A claim that was given up is an empty message. */
static enum nq_status read_claim(void *self, struct bytes *text, uint64_t *revision)
{
    const struct cell *cell = self;
    natsMsg *message = NULL;
    jsErrCode code = (jsErrCode)0;
    natsStatus status = NATS_CONNECTION_DISCONNECTED;
    queue_enter(cell->queue);
    if (nats_connected(cell->queue->nats))
        status = js_GetLastMsg(&message, cell->queue->nats->js, "KV_" QUEUE_CLAIMS, cell->subject, NULL, &code);
    if (status == NATS_OK) {
        *revision = natsMsg_GetSequence(message);
        bytes_add(text, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    }
    natsMsg_Destroy(message);
    return queue_leave(cell->queue, nats_judge(status, code));
}

static enum nq_status check(struct queue *queue, const struct lease *lease)
{
    struct cell self = {.queue = queue};
    const struct claim_cell cell = {.self = &self, .read = read_claim};
    const char *id = natsMsg_GetSubject(lease->message) + sizeof QUEUE_BATCH_SUBJECT + CLAIM_OWNER;
    const size_t size = strcspn(id, ".");
    if (memchr(id, '*', size) || memchr(id, '>', size))
        return NQ_DENIED; /* it would stand for the claims of all works */
    (void)snprintf(self.subject, sizeof self.subject, "$KV." QUEUE_CLAIMS ".%.*s", (int)size, id);
    return strlen(id) > size + CLAIM_MARK ? claim_check(&cell, id + size + 1) : NQ_DENIED;
}

enum nq_status batch_source_take(struct batch_source *source, unsigned milliseconds, struct lease **out)
{
    struct lease *lease = NULL;
    const enum nq_status status = fetch(source, milliseconds, &lease);
    return lease ? lease_judge(lease, check(source->queue, lease), out) : status;
}
