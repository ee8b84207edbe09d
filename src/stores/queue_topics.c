/* queue_topics.c - plain messages: published to all who listen now, and received. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "stores/queue_state.h"

enum nq_status queue_publish(struct queue *queue, enum queue_topic topic, const char *id, const char *text)
{
    char subject[QUEUE_SUBJECT_MAX];
    enum nq_status status = NQ_BROKEN;
    queue_subject(queue_topic_subjects[topic], id, subject);
    queue_enter(queue);
    if (nats_connected(queue->nats))
        status = nats_judge(natsConnection_PublishString(queue->nats->connection, subject, text), (jsErrCode)0);
    return queue_leave(queue, status);
}

static enum nq_status receive_one(struct queue *queue, enum queue_topic topic, unsigned milliseconds,
                                  struct queue_message *received)
{
    natsMsg *message = NULL;
    const natsStatus status = natsSubscription_NextMsg(&message, queue->topics[topic], (int64_t)milliseconds);
    if (status != NATS_OK)
        return status == NATS_TIMEOUT ? NQ_TIMEOUT : nats_judge(status, (jsErrCode)0);
    received->topic = topic;
    (void)snprintf(received->id, sizeof received->id, "%s",
                   natsMsg_GetSubject(message) + strlen(queue_topic_subjects[topic]));
    bytes_add(&received->text, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    natsMsg_Destroy(message);
    return received->text.failed ? NQ_NOMEM : NQ_OK;
}

/* Waits for the last topic listened to only: reports are the most frequent. */
enum nq_status queue_receive(struct queue *queue, unsigned milliseconds, struct queue_message *received)
{
    const struct timespec moment = {.tv_nsec = (long)milliseconds * 1000000};
    enum nq_status status = NQ_TIMEOUT;
    int last = QUEUE_TOPICS - 1;
    queue_enter(queue);
    const bool gap = queue->watch && (!queue->jobs || atomic_load(&queue->nats->gap));
    while (last > 0 && !queue->listen[last])
        last--;
    for (int topic = 0; topic <= last && status != NQ_OK; topic++)
        if (queue->listen[topic])
            status = queue->topics[topic]
                         ? receive_one(queue, (enum queue_topic)topic, topic == last ? milliseconds : 0, received)
                         : NQ_BROKEN;
    (void)queue_leave(queue, NQ_OK);
    if (gap)
        queue_watch_anew(queue);
    if (status == NQ_OK || status == NQ_TIMEOUT || status == NQ_NOMEM)
        return status;
    queue_mend(queue);
    nanosleep(&moment, NULL);
    return NQ_TIMEOUT;
}
