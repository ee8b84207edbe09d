/* queue.c - a stream of batches that go when they are done, with a consumer for each work; a bucket of claims; and
 * plain messages for what is said. Streams are made by whoever needs them first. */
#include "stores/queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/process.h"
#include "stores/nats.h"

#define BATCHES "NQUEENS_WORK"
#define BATCH_SUBJECT "nqueens.batch."
#define CLAIMS "nqueens_claim"

enum { SUBJECT_MAX = 80, OWNER_SIZE = 17, UNWATCH_MS = 5000, BEAT_MS = 3000 };

static int64_t nanoseconds(unsigned milliseconds)
{
    return (int64_t)milliseconds * 1000000;
}

static const char *const topics[QUEUE_TOPICS] = {
    [QUEUE_WORK] = "nqueens.say.work.", [QUEUE_WORKER] = "nqueens.say.worker.", [QUEUE_REPORT] = "nqueens.say.report."};

struct queue {
    pthread_rwlock_t use; /* for writing: the connection is made anew */
    struct nats *nats;
    bool listen[QUEUE_TOPICS];
    natsSubscription *heard[QUEUE_TOPICS]; /* NULL: not listened to; all feed one */
    natsSubscription *jobs;                /* NULL: not watched */
    atomic_bool watched;                   /* told may be called */
    queue_teller told;
    void *who;
    unsigned lease_ms;
    char owner[OWNER_SIZE]; /* what claims of ours say */
    pthread_mutex_t lock;   /* guards what follows: what is made on first use */
    bool made;
    kvStore *claims;
};

struct intake {
    struct queue *queue;
    char id[QUEUE_ID_MAX + 1];
    natsSubscription *subscription;
};

struct lease {
    natsMsg *message;
};

static void subject_of(const char *prefix, const char *id, char subject[static SUBJECT_MAX])
{
    (void)snprintf(subject, SUBJECT_MAX, "%s%.*s", prefix, QUEUE_ID_MAX, id);
}

/* ---- What is made on first use ---- */

static natsStatus make_batches(struct queue *queue, jsErrCode *code)
{
    const char *subjects[] = {BATCH_SUBJECT "*"};
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = BATCHES;
    config.Description = "nqueensd: batches of units to be counted";
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Retention = js_WorkQueuePolicy;
    config.Storage = js_FileStorage;
    config.Replicas = queue->nats->replicas;
    natsStatus status = js_AddStream(NULL, queue->nats->js, &config, NULL, code);
    if (status == NATS_ERR && *code == JSStreamNameExistErr) /* made with other settings: as good */
        status = NATS_OK;
    return status;
}

/* Others may be using the handle there is. */
static natsStatus make_claims(struct queue *queue)
{
    kvConfig config;
    kvStore *claims = NULL;
    natsStatus status = js_KeyValue(&claims, queue->nats->js, CLAIMS);
    if (status == NATS_NOT_FOUND) {
        kvConfig_Init(&config);
        config.Bucket = CLAIMS;
        config.Description = "nqueensd: who hands out which work";
        config.History = 1;
        config.TTL = nanoseconds(QUEUE_CLAIM_MS);
        config.Replicas = (int)queue->nats->replicas;
        status = js_CreateKeyValue(&claims, queue->nats->js, &config);
    }
    if (status == NATS_OK && !queue->claims)
        queue->claims = claims;
    else
        kvStore_Destroy(claims);
    return status;
}

static enum nq_status make(struct queue *queue)
{
    jsErrCode code = (jsErrCode)0;
    natsStatus status = NATS_OK;
    if (!nats_connected(queue->nats))
        return NQ_BROKEN;
    pthread_mutex_lock(&queue->lock);
    if (!queue->made) {
        status = make_batches(queue, &code);
        if (status == NATS_OK)
            status = make_claims(queue);
    }
    queue->made = status == NATS_OK;
    pthread_mutex_unlock(&queue->lock);
    return nats_judge(status, code);
}

/* What is not there may have been taken away: it is made anew the next time. */
static void forget_made(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->made = false;
    pthread_mutex_unlock(&queue->lock);
}

static enum nq_status judge(struct queue *queue, natsStatus status, jsErrCode code)
{
    if (code == JSStreamNotFoundErr)
        forget_made(queue);
    return nats_judge(status, code);
}

/* Whatever needs the connection stands between these two. */
static void enter(struct queue *queue)
{
    pthread_rwlock_rdlock(&queue->use);
}

static enum nq_status leave(struct queue *queue, enum nq_status status)
{
    pthread_rwlock_unlock(&queue->use);
    return status;
}

/* ---- Opening ---- */

static natsStatus listen(struct queue *queue)
{
    natsStatus status = NATS_OK;
    for (int topic = 0; topic < QUEUE_TOPICS && status == NATS_OK; topic++) {
        char subject[SUBJECT_MAX];
        subject_of(topics[topic], "*", subject);
        if (queue->listen[topic])
            status = natsConnection_SubscribeSync(&queue->heard[topic], queue->nats->connection, subject);
    }
    return status;
}

static void deafen(struct queue *queue)
{
    for (int topic = 0; topic < QUEUE_TOPICS; topic++) {
        natsSubscription_Destroy(queue->heard[topic]);
        queue->heard[topic] = NULL;
    }
    kvStore_Destroy(queue->claims);
    queue->claims = NULL;
    queue->made = false;
}

enum nq_status queue_open(const char *where, const struct nats_options *options, unsigned lease_ms,
                          const bool listening[static QUEUE_TOPICS], struct queue **out,
                          char error[static STORE_ERROR_MAX])
{
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue) {
        (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
        return NQ_NOMEM;
    }
    process_draw_id(queue->owner);
    queue->lease_ms = lease_ms;
    memcpy(queue->listen, listening, sizeof queue->listen);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_rwlock_init(&queue->use, NULL);
    enum nq_status status = nats_open(where, options, "nqueensd work", &queue->nats, error);
    if (status == NQ_OK && listen(queue) != NATS_OK) {
        (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
        status = NQ_NOMEM;
    }
    if (status == NQ_OK)
        *out = queue;
    else
        queue_close(queue);
    return status;
}

void queue_close(struct queue *queue)
{
    queue_unwatch_jobs(queue);
    deafen(queue);
    if (queue->nats)
        nats_close(queue->nats);
    pthread_rwlock_destroy(&queue->use);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

bool queue_connected(struct queue *queue)
{
    enter(queue);
    const bool connected = nats_connected(queue->nats);
    (void)leave(queue, NQ_OK);
    return connected;
}

/* ---- What is said ---- */

enum nq_status queue_say(struct queue *queue, enum queue_topic topic, const char *id, const char *text)
{
    char subject[SUBJECT_MAX];
    enum nq_status status = NQ_BROKEN;
    subject_of(topics[topic], id, subject);
    enter(queue);
    if (nats_connected(queue->nats))
        status = nats_judge(natsConnection_PublishString(queue->nats->connection, subject, text), (jsErrCode)0);
    return leave(queue, status);
}

static enum nq_status hear_one(struct queue *queue, enum queue_topic topic, unsigned milliseconds, struct heard *heard)
{
    natsMsg *message = NULL;
    const natsStatus status = natsSubscription_NextMsg(&message, queue->heard[topic], (int64_t)milliseconds);
    if (status != NATS_OK)
        return status == NATS_TIMEOUT ? NQ_TIMEOUT : nats_judge(status, (jsErrCode)0);
    heard->topic = topic;
    (void)snprintf(heard->id, sizeof heard->id, "%s", natsMsg_GetSubject(message) + strlen(topics[topic]));
    bytes_add(&heard->text, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    natsMsg_Destroy(message);
    return heard->text.failed ? NQ_NOMEM : NQ_OK;
}

static void on_job(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    struct queue *queue = closure;
    (void)connection, (void)subscription;
    queue->told(queue->who, natsMsg_GetSubject(message) + sizeof NATS_JOBS - 1, natsMsg_GetData(message),
                (size_t)natsMsg_GetDataLength(message));
    natsMsg_Destroy(message);
}

static void on_unwatched(void *queue)
{
    atomic_store(&((struct queue *)queue)->watched, false);
}

/* Told is not being called any more when this returns. */
static void unwatch(struct queue *queue)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    if (!queue->jobs)
        return;
    (void)natsSubscription_Unsubscribe(queue->jobs); /* a connection that is closed has done so */
    for (int i = 0; i < UNWATCH_MS && atomic_load(&queue->watched); i++)
        nanosleep(&moment, NULL);
    natsSubscription_Destroy(queue->jobs);
    queue->jobs = NULL;
}

/* By a consumer: what the stream does not take is not heard of. It begins with all there is. */
static natsStatus subscribe(struct queue *queue)
{
    jsSubOptions options;
    nats_consumer(&options, NATS_JOB_STREAM, BEAT_MS);
    options.Config.DeliverPolicy = js_DeliverLastPerSubject;
    return js_Subscribe(&queue->jobs, queue->nats->js, NATS_JOBS "*", on_job, queue, NULL, &options, NULL);
}

/* For writing: watches, from the beginning, if somebody wants it. When that fails it is tried again. */
static void watch(struct queue *queue)
{
    if (!queue->told || !nats_connected(queue->nats))
        return;
    unwatch(queue);
    atomic_store(&queue->nats->gap, false);
    if (subscribe(queue) != NATS_OK)
        return;
    atomic_store(&queue->watched, true);
    if (natsSubscription_SetOnCompleteCB(queue->jobs, on_unwatched, queue) != NATS_OK)
        atomic_store(&queue->watched, false);
}

static void watch_anew(struct queue *queue)
{
    pthread_rwlock_wrlock(&queue->use);
    watch(queue);
    pthread_rwlock_unlock(&queue->use);
}

/* libnats has given the connection up: nothing is heard, or said, until there is another. */
static void mend(struct queue *queue)
{
    pthread_rwlock_wrlock(&queue->use);
    unwatch(queue);
    deafen(queue);
    nats_mend(queue->nats);
    if (queue->nats->js && !natsConnection_IsClosed(queue->nats->connection) && listen(queue) == NATS_OK)
        watch(queue);
    pthread_rwlock_unlock(&queue->use);
}

/* Waits for the last topic listened to only: reports, of which there are most, for who hears them. */
enum nq_status queue_hear(struct queue *queue, unsigned milliseconds, struct heard *heard)
{
    const struct timespec moment = {.tv_nsec = (long)milliseconds * 1000000};
    enum nq_status status = NQ_TIMEOUT;
    int last = QUEUE_TOPICS - 1;
    enter(queue);
    const bool gap = queue->told && (!queue->jobs || atomic_load(&queue->nats->gap));
    while (last > 0 && !queue->listen[last])
        last--;
    for (int topic = 0; topic <= last && status != NQ_OK; topic++)
        if (queue->listen[topic])
            status = queue->heard[topic]
                         ? hear_one(queue, (enum queue_topic)topic, topic == last ? milliseconds : 0, heard)
                         : NQ_BROKEN;
    (void)leave(queue, NQ_OK);
    if (gap)
        watch_anew(queue);
    if (status == NQ_OK || status == NQ_TIMEOUT || status == NQ_NOMEM)
        return status;
    mend(queue);
    nanosleep(&moment, NULL);
    return NQ_TIMEOUT;
}

void queue_watch_jobs(struct queue *queue, queue_teller told, void *who)
{
    pthread_rwlock_wrlock(&queue->use);
    queue->told = told;
    queue->who = who;
    watch(queue);
    pthread_rwlock_unlock(&queue->use);
}

void queue_unwatch_jobs(struct queue *queue)
{
    pthread_rwlock_wrlock(&queue->use);
    unwatch(queue);
    queue->told = NULL;
    pthread_rwlock_unlock(&queue->use);
}

/* ---- Who has work ---- */

/* Whose a claim is: NQ_OK, ours; NQ_DENIED, another's; NQ_NONE, nobody's. */
static enum nq_status look(struct queue *queue, const char *id, uint64_t *claim)
{
    kvEntry *entry = NULL;
    const natsStatus status = kvStore_Get(&entry, queue->claims, id);
    if (status != NATS_OK)
        return nats_judge(status, (jsErrCode)0);
    const bool ours =
        kvEntry_ValueLen(entry) == OWNER_SIZE - 1 && memcmp(kvEntry_Value(entry), queue->owner, OWNER_SIZE - 1) == 0;
    if (ours)
        *claim = kvEntry_Revision(entry);
    kvEntry_Destroy(entry);
    return ours ? NQ_OK : NQ_DENIED;
}

/* An acknowledgement may be lost, and a claim may have lapsed: what failed is looked at. */
static enum nq_status claim_it(struct queue *queue, const char *id, uint64_t *claim)
{
    enum nq_status status = make(queue);
    if (status != NQ_OK)
        return status;
    if (*claim && kvStore_UpdateString(claim, queue->claims, id, queue->owner, *claim) == NATS_OK)
        return NQ_OK;
    if (kvStore_CreateString(claim, queue->claims, id, queue->owner) == NATS_OK)
        return NQ_OK;
    status = look(queue, id, claim);
    if (status == NQ_NONE || status == NQ_BROKEN)
        forget_made(queue);
    return status == NQ_NONE ? NQ_BROKEN : status;
}

enum nq_status queue_claim(struct queue *queue, const char *id, uint64_t *claim)
{
    enter(queue);
    return leave(queue, claim_it(queue, id, claim));
}

static natsStatus make_consumer(struct queue *queue, const char *id, jsErrCode *code)
{
    char subject[SUBJECT_MAX];
    jsConsumerConfig config;
    subject_of(BATCH_SUBJECT, id, subject);
    jsConsumerConfig_Init(&config);
    config.Durable = id;
    config.FilterSubject = subject;
    config.AckPolicy = js_AckExplicit;
    config.AckWait = nanoseconds(queue->lease_ms);
    config.MaxDeliver = QUEUE_DELIVERIES;
    config.MaxAckPending = -1;
    config.MaxWaiting = 1 << 20;
    return js_AddConsumer(NULL, queue->nats->js, BATCHES, &config, NULL, code);
}

static natsStatus purge(struct queue *queue, const char *id, jsErrCode *code)
{
    char subject[SUBJECT_MAX];
    jsOptions options;
    subject_of(BATCH_SUBJECT, id, subject);
    jsOptions_Init(&options);
    options.Wait = NATS_WAIT_MS;
    options.Stream.Purge.Subject = subject;
    return js_PurgeStream(queue->nats->js, BATCHES, &options, code);
}

static natsStatus delete_consumer(struct queue *queue, const char *id, jsErrCode *code)
{
    const natsStatus status = js_DeleteConsumer(queue->nats->js, BATCHES, id, NULL, code);
    return status == NATS_NOT_FOUND ? NATS_OK : status;
}

/* A consumer of an earlier claim may have another lease, and still counts how often it has handed batches out. */
static enum nq_status clear(struct queue *queue, const char *id)
{
    jsErrCode code = (jsErrCode)0;
    const enum nq_status made = make(queue);
    if (made != NQ_OK)
        return made;
    natsStatus status = delete_consumer(queue, id, &code);
    if (status == NATS_OK)
        status = purge(queue, id, &code);
    if (status == NATS_OK)
        status = make_consumer(queue, id, &code);
    return judge(queue, status, code);
}

enum nq_status queue_clear(struct queue *queue, const char *id)
{
    enter(queue);
    return leave(queue, clear(queue, id));
}

enum nq_status queue_post(struct queue *queue, const char *id, const char *text)
{
    char subject[SUBJECT_MAX];
    jsErrCode code = (jsErrCode)0;
    enum nq_status status = NQ_BROKEN;
    subject_of(BATCH_SUBJECT, id, subject);
    enter(queue);
    if (nats_connected(queue->nats))
        status = judge(queue, js_Publish(NULL, queue->nats->js, subject, text, (int)strlen(text), NULL, &code), code);
    return leave(queue, status);
}

enum nq_status queue_depth(struct queue *queue, const char *id, struct queue_depth *depth)
{
    jsConsumerInfo *info = NULL;
    jsErrCode code = (jsErrCode)0;
    natsStatus status = NATS_CONNECTION_DISCONNECTED;
    enter(queue);
    if (nats_connected(queue->nats))
        status = js_GetConsumerInfo(&info, queue->nats->js, BATCHES, id, NULL, &code);
    if (status == NATS_OK)
        *depth = (struct queue_depth){.ready = info->NumPending, .leased = (uint64_t)info->NumAckPending};
    jsConsumerInfo_Destroy(info);
    return leave(queue, nats_judge(status, code));
}

/* Only who has the claim may: another's work has the same consumer. */
static enum nq_status finish(struct queue *queue, const char *id)
{
    uint64_t claim = 0;
    jsErrCode code = (jsErrCode)0;
    const enum nq_status made = claim_it(queue, id, &claim);
    if (made != NQ_OK)
        return made;
    natsStatus status = delete_consumer(queue, id, &code);
    if (status == NATS_OK)
        status = purge(queue, id, &code);
    if (status == NATS_OK)
        status = kvStore_Delete(queue->claims, id);
    return judge(queue, status, code);
}

enum nq_status queue_finish(struct queue *queue, const char *id)
{
    enter(queue);
    return leave(queue, finish(queue, id));
}

/* ---- Who works ---- */

enum nq_status queue_intake(struct queue *queue, const char *id, struct intake **out)
{
    char subject[SUBJECT_MAX];
    jsErrCode code = (jsErrCode)0;
    jsSubOptions options;
    struct intake *intake = calloc(1, sizeof *intake);
    if (!intake)
        return NQ_NOMEM;
    intake->queue = queue;
    (void)snprintf(intake->id, sizeof intake->id, "%s", id);
    subject_of(BATCH_SUBJECT, id, subject);
    jsSubOptions_Init(&options);
    options.Stream = BATCHES;
    options.Consumer = id;
    const natsStatus status = nats_connected(queue->nats) ? js_PullSubscribe(&intake->subscription, queue->nats->js,
                                                                             subject, id, NULL, &options, &code)
                                                          : NATS_CONNECTION_DISCONNECTED;
    if (status == NATS_OK)
        *out = intake;
    else
        free(intake);
    return nats_judge(status, code);
}

void intake_close(struct intake *intake)
{
    natsSubscription_Destroy(intake->subscription);
    free(intake);
}

/* Why nothing can be taken: libnats has but one word for all that a consumer's end comes to, and who asks a consumer
   that was over before is not answered at all. */
static enum nq_status intake_ails(const struct intake *intake, natsStatus status, jsErrCode code)
{
    struct queue_depth depth;
    const bool in_time = status == NATS_TIMEOUT || status == NATS_OK;
    const enum nq_status judged = in_time ? NQ_TIMEOUT : nats_judge(status, code);
    const bool unsaid = judged == NQ_TIMEOUT || judged == NQ_BROKEN;
    return unsaid && queue_depth(intake->queue, intake->id, &depth) == NQ_NONE ? NQ_NONE : judged;
}

/* Without a connection nothing is asked for: it would be sent later, and be for nobody. */
enum nq_status intake_take(struct intake *intake, unsigned milliseconds, struct lease **out)
{
    natsMsgList list = {0};
    jsErrCode code = (jsErrCode)0;
    if (!queue_connected(intake->queue))
        return NQ_BROKEN;
    struct lease *lease = malloc(sizeof *lease);
    if (!lease)
        return NQ_NOMEM;
    const natsStatus status = natsSubscription_Fetch(&list, intake->subscription, 1, (int64_t)milliseconds, &code);
    if (status == NATS_OK && list.Count == 1) {
        lease->message = list.Msgs[0];
        list.Msgs[0] = NULL;
        natsMsgList_Destroy(&list);
        *out = lease;
        return NQ_OK;
    }
    free(lease);
    natsMsgList_Destroy(&list);
    return intake_ails(intake, status, code);
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
