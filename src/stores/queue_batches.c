/* queue_batches.c - batches of a work as a worker takes them, each under a lease. */
#include <stdio.h>
#include <stdlib.h>

#include "stores/queue_state.h"

struct batch_source {
    struct queue *queue;
    char id[QUEUE_ID_MAX + 1];
    natsSubscription *subscription;
};

struct lease {
    natsMsg *message;
};

enum nq_status batch_source_open(struct queue *queue, const char *id, struct batch_source **out)
{
    char subject[QUEUE_SUBJECT_MAX];
    jsErrCode code = (jsErrCode)0;
    jsSubOptions options;
    struct batch_source *source = calloc(1, sizeof *source);
    if (!source)
        return NQ_NOMEM;
    source->queue = queue;
    (void)snprintf(source->id, sizeof source->id, "%s", id);
    queue_subject(QUEUE_BATCH_SUBJECT, id, subject);
    jsSubOptions_Init(&options);
    options.Stream = QUEUE_BATCHES;
    options.Consumer = id;
    const natsStatus status = nats_connected(queue->nats) ? js_PullSubscribe(&source->subscription, queue->nats->js,
                                                                             subject, id, NULL, &options, &code)
                                                          : NATS_CONNECTION_DISCONNECTED;
    if (status == NATS_OK)
        *out = source;
    else
        free(source);
    return nats_judge(status, code);
}

void batch_source_close(struct batch_source *source)
{
    natsSubscription_Destroy(source->subscription);
    free(source);
}

/* Why nothing can be taken: libnats has one status for every end of a consumer, and a request to a consumer that has
 * already ended gets no reply. */
static enum nq_status fault(const struct batch_source *source, natsStatus status, jsErrCode code)
{
    struct queue_depth depth;
    const bool in_time = status == NATS_TIMEOUT || status == NATS_OK;
    const enum nq_status judged = in_time ? NQ_TIMEOUT : nats_judge(status, code);
    const bool unsaid = judged == NQ_TIMEOUT || judged == NQ_BROKEN;
    return unsaid && queue_depth(source->queue, source->id, &depth) == NQ_NONE ? NQ_NONE : judged;
}

/* Without a connection nothing is requested: the request would be sent later, when no one waits for its batch. */
enum nq_status batch_source_take(struct batch_source *source, unsigned milliseconds, struct lease **out)
{
    natsMsgList list = {0};
    jsErrCode code = (jsErrCode)0;
    if (!queue_connected(source->queue))
        return NQ_BROKEN;
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
