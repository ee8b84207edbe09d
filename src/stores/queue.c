/* queue.c - work over NATS JetStream: the connection with what is made on first use and what is listened to, works that
 * are claimed and posted, and batches that are taken. */
#include "stores/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/lock.h"
#include "base/process.h"
#include "stores/nats.h"

/* The stream of batches, which go when they are done. Their subjects have four tokens more: the release, the id of the
 * work, the mark of the claim with which they were posted, and the kind. A release has one consumer for all works, of
 * its name. */
#define QUEUE_BATCHES "NQUEENS_BATCHES"
#define QUEUE_BATCH_SUBJECT "nqueens.work."

/* Nanoseconds, an hour, after which the broker gives up batches that no worker has asked for, and the consumer of a
 * release without workers. Batches that are needed wait for seconds; should one wait so long, its server finds that it
 * is lost. */
#define QUEUE_FORGOTTEN_NS INT64_C(3600000000000)

/* The bucket of claims. */
#define QUEUE_CLAIMS "nqueens_claim"

/* Of messages, before topic and id. */
#define QUEUE_MESSAGE_SUBJECT "nqueens.say."

enum { QUEUE_SUBJECT_MAX = 120, QUEUE_NAME_SIZE = CLAIM_OWNER + 1 };

struct queue {
    struct shared_lock use; /* held for reading while the connection is used, for writing while it is made anew */
    struct nats *nats;
    bool listen;
    natsSubscription *messages; /* NULL: not listened to */
    bool watch;                 /* jobs are to be watched; what follows is then set: */
    queue_on_job on_job;
    void *who;
    natsSubscription *jobs; /* NULL: not watched now */
    atomic_bool watched;    /* on_job may be called */
    unsigned lease_ms;
    char owner[QUEUE_NAME_SIZE];   /* what claims of ours begin with */
    char release[QUEUE_NAME_SIZE]; /* in subjects */
    struct lock lock;              /* guards what follows, which is made on first use; held while the broker is asked */
    bool made;
    kvStore *claims;
};

enum { UNWATCH_MS = 5000, BEAT_MS = 3000 };

/* Nanoseconds, after which the broker forgets a claim that is not renewed. */
#define CLAIM_KEPT_NS INT64_C(12000000000)

/* Of all batches of this release. */
static void queue_subject(const struct queue *queue, char subject[static QUEUE_SUBJECT_MAX])
{
    (void)snprintf(subject, QUEUE_SUBJECT_MAX, QUEUE_BATCH_SUBJECT "%s.*.*.*", queue->release);
}

/* ---- What is made on first use ---- */

static natsStatus make_batches(struct queue *queue, jsErrCode *code)
{
    const char *subjects[] = {QUEUE_BATCH_SUBJECT "*.*.*.*"};
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = QUEUE_BATCHES;
    config.Description = "nqueensd: batches of units to be counted";
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Retention = js_WorkQueuePolicy;
    config.MaxAge = QUEUE_FORGOTTEN_NS;
    config.Storage = js_FileStorage;
    config.Replicas = queue->nats->replicas;
    natsStatus status = js_AddStream(NULL, queue->nats->js, &config, NULL, code);
    if (status == NATS_ERR && *code == JSStreamNameExistErr) /* made with other settings */
        status = NATS_OK;
    return status;
}

/* Keeps a handle that exists: other threads may use it. */
static natsStatus make_claims(struct queue *queue)
{
    kvConfig config;
    kvStore *claims = NULL;
    natsStatus status = js_KeyValue(&claims, queue->nats->js, QUEUE_CLAIMS);
    if (status == NATS_NOT_FOUND) {
        kvConfig_Init(&config);
        config.Bucket = QUEUE_CLAIMS;
        config.Description = "nqueensd: who hands out which work";
        config.History = 1;
        config.TTL = CLAIM_KEPT_NS;
        config.Replicas = (int)queue->nats->replicas;
        status = js_CreateKeyValue(&claims, queue->nats->js, &config);
    }
    if (status == NATS_OK && !queue->claims)
        queue->claims = claims;
    else
        kvStore_Destroy(claims);
    return status;
}

/* Makes the stream of batches and the bucket of claims, unless they exist. queue_forget_made: they may be gone. */
static enum nq_status queue_make(struct queue *queue)
{
    jsErrCode code = (jsErrCode)0;
    natsStatus status = NATS_OK;
    if (!nats_connected(queue->nats))
        return NQ_BROKEN;
    lock_take(&queue->lock);
    if (!queue->made) {
        status = make_batches(queue, &code);
        if (status == NATS_OK)
            status = make_claims(queue);
    }
    queue->made = status == NATS_OK;
    lock_release(&queue->lock);
    return nats_judge(status, code);
}

static void queue_forget_made(struct queue *queue)
{
    lock_take(&queue->lock);
    queue->made = false;
    lock_release(&queue->lock);
}

/* As nats_judge(); what is missing is made the next time. */
static enum nq_status queue_judge(struct queue *queue, natsStatus status, jsErrCode code)
{
    if (code == JSStreamNotFoundErr)
        queue_forget_made(queue);
    return nats_judge(status, code);
}

/* A call that needs the connection stands between these two. */
static void queue_enter(struct queue *queue)
{
    shared_lock_read(&queue->use);
}

static enum nq_status queue_leave(struct queue *queue, enum nq_status status)
{
    shared_lock_release(&queue->use);
    return status;
}

/* ---- Messages: `use` is held for writing, or no other thread has the queue yet ---- */

static natsStatus listen_to_messages(struct queue *queue)
{
    return queue->listen
               ? natsConnection_SubscribeSync(&queue->messages, queue->nats->connection, QUEUE_MESSAGE_SUBJECT "*.*")
               : NATS_OK;
}

/* Gives up what belongs to the connection. */
static void detach(struct queue *queue)
{
    natsSubscription_Destroy(queue->messages);
    queue->messages = NULL;
    kvStore_Destroy(queue->claims);
    queue->claims = NULL;
    queue->made = false;
}

/* ---- Jobs watched ---- */

/* Any client of the broker may write there: only what a store would read is a job. An empty message is a key that was
 * deleted by NATS's own tools. */
static void on_job_message(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    struct queue *queue = closure;
    const char *token = natsMsg_GetSubject(message) + sizeof NATS_JOBS - 1;
    const int size = natsMsg_GetDataLength(message);
    struct bytes decoded = {0};
    (void)connection, (void)subscription;
    const bool named = nats_decode(token, &decoded), lost = decoded.failed;
    char *key = named ? bytes_take(&decoded) : NULL;
    if (key && fact_judge(message, key) == FACT_SOUND)
        queue->on_job(queue->who, key, natsMsg_GetData(message), (size_t)size);
    else if (size && !lost)
        queue->on_job(queue->who, token, NULL, 0);
    bytes_free(&decoded);
    free(key);
    natsMsg_Destroy(message);
}

static void on_unwatched(void *queue)
{
    atomic_store(&((struct queue *)queue)->watched, false);
}

/* By a consumer: it gets what the stream has accepted, and begins with everything that is there. */
static natsStatus subscribe(void *context)
{
    struct queue *queue = context;
    jsSubOptions options;
    nats_consumer(&options, NATS_JOB_STREAM, BEAT_MS);
    options.Config.DeliverPolicy = js_DeliverLastPerSubject;
    return js_Subscribe(&queue->jobs, queue->nats->js, NATS_JOBS "*", on_job_message, queue, NULL, &options, NULL);
}

/* While `use` is held for writing: watches from the beginning, if that is wanted. When it fails it is tried again. */
static void watch(struct queue *queue)
{
    if (!queue->watch || queue->jobs || !nats_connected(queue->nats))
        return;
    atomic_store(&queue->nats->gap, false);
    if (nats_call_quietly(subscribe, queue) != NATS_OK)
        return;
    atomic_store(&queue->watched, true);
    if (natsSubscription_SetOnCompleteCB(queue->jobs, on_unwatched, queue) != NATS_OK)
        atomic_store(&queue->watched, false);
}

/* Without `use`, for a call of on_job may take a while: waits until none is under way. */
static void unwatch(struct queue *queue, bool watch_again)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    shared_lock_write(&queue->use);
    natsSubscription *jobs = queue->jobs;
    queue->jobs = NULL;
    queue->watch = queue->watch && watch_again;
    shared_lock_release(&queue->use);
    (void)natsSubscription_Unsubscribe(jobs); /* a connection that is closed has done so */
    for (int i = 0; i < UNWATCH_MS && atomic_load(&queue->watched); i++)
        nanosleep(&moment, NULL);
    natsSubscription_Destroy(jobs);
}

static void watch_anew(struct queue *queue)
{
    unwatch(queue, true);
    shared_lock_write(&queue->use);
    watch(queue);
    shared_lock_release(&queue->use);
}

static void mend(struct queue *queue)
{
    unwatch(queue, true);
    shared_lock_write(&queue->use);
    detach(queue);
    nats_mend(queue->nats);
    if (queue->nats->js && !natsConnection_IsClosed(queue->nats->connection) && listen_to_messages(queue) == NATS_OK)
        watch(queue);
    shared_lock_release(&queue->use);
}

void queue_watch_jobs(struct queue *queue, queue_on_job on_job, void *who)
{
    shared_lock_write(&queue->use);
    queue->on_job = on_job;
    queue->who = who;
    queue->watch = true;
    watch(queue);
    shared_lock_release(&queue->use);
}

void queue_unwatch_jobs(struct queue *queue)
{
    unwatch(queue, false);
}

/* ---- Messages published and received ---- */

static const char *const topics[] = {[QUEUE_WORKER] = "worker", [QUEUE_REPORT] = "report"};

enum nq_status queue_publish(struct queue *queue, enum queue_topic topic, const char *id, const char *text)
{
    char subject[QUEUE_SUBJECT_MAX];
    enum nq_status status = NQ_BROKEN;
    (void)snprintf(subject, sizeof subject, QUEUE_MESSAGE_SUBJECT "%s.%.*s", topics[topic], QUEUE_ID_MAX, id);
    queue_enter(queue);
    if (nats_connected(queue->nats))
        status = nats_judge(natsConnection_PublishString(queue->nats->connection, subject, text), (jsErrCode)0);
    return queue_leave(queue, status);
}

/* A message of an unknown topic is nobody's: it has an id, too, and is of the last topic. */
static enum nq_status receive(struct queue *queue, unsigned milliseconds, struct queue_message *received)
{
    natsMsg *message = NULL;
    const natsStatus status = natsSubscription_NextMsg(&message, queue->messages, (int64_t)milliseconds);
    if (status != NATS_OK)
        return status == NATS_TIMEOUT ? NQ_TIMEOUT : nats_judge(status, (jsErrCode)0);
    const char *topic = natsMsg_GetSubject(message) + sizeof QUEUE_MESSAGE_SUBJECT - 1, *id = strchr(topic, '.') + 1;
    received->topic = strncmp(topic, topics[QUEUE_WORKER], (size_t)(id - topic) - 1) == 0 ? QUEUE_WORKER : QUEUE_REPORT;
    (void)snprintf(received->id, sizeof received->id, "%s", queue_id_is_sound(id) ? id : "");
    bytes_add(&received->text, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    natsMsg_Destroy(message);
    return received->text.failed ? NQ_NOMEM : NQ_OK;
}

static bool is_lost(const struct queue *queue)
{
    return nats_is_stale(queue->nats) || !queue->nats->js || natsConnection_IsClosed(queue->nats->connection) ||
           (queue->listen && !queue->messages);
}

enum nq_status queue_receive(struct queue *queue, unsigned milliseconds, struct queue_message *received)
{
    const struct timespec moment = {.tv_nsec = (long)milliseconds * 1000000};
    queue_enter(queue);
    const bool lost = is_lost(queue), gap = queue->watch && (!queue->jobs || atomic_load(&queue->nats->gap));
    const bool stale = nats_is_stale(queue->nats);
    const enum nq_status status = queue->messages && !stale ? receive(queue, milliseconds, received) : NQ_BROKEN;
    (void)queue_leave(queue, NQ_OK);
    if (gap)
        watch_anew(queue);
    if (status == NQ_OK || status == NQ_TIMEOUT || status == NQ_NOMEM)
        return status;
    if (lost)
        mend(queue);
    nanosleep(&moment, NULL);
    return NQ_TIMEOUT;
}

/* ---- Who has work ---- */

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

/* Without the bucket's handle: a worker must not make the bucket. A claim that was given up is an empty message. */
static enum nq_status read_claim(void *self, struct bytes *text, uint64_t *revision)
{
    const struct cell *cell = self;
    const struct nats *nats = cell->queue->nats;
    char subject[QUEUE_SUBJECT_MAX];
    natsMsg *message = NULL;
    jsErrCode code = (jsErrCode)0;
    natsStatus status = NATS_CONNECTION_DISCONNECTED;
    (void)snprintf(subject, sizeof subject, "$KV." QUEUE_CLAIMS ".%s", cell->id);
    if (nats_connected(nats))
        status = js_GetLastMsg(&message, nats->js, "KV_" QUEUE_CLAIMS, subject, NULL, &code);
    if (status == NATS_OK) {
        *revision = natsMsg_GetSequence(message);
        bytes_add(text, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    }
    const enum nq_status judged =
        status == NATS_OK && !natsMsg_GetDataLength(message) ? NQ_NONE : nats_judge(status, code);
    natsMsg_Destroy(message);
    return judged;
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

/* ---- Who works ---- */

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

static enum nq_status check(struct queue *queue, const struct lease *lease)
{
    const char *at = natsMsg_GetSubject(lease->message) + sizeof QUEUE_BATCH_SUBJECT + CLAIM_OWNER;
    const size_t size = strcspn(at, ".");
    char id[QUEUE_ID_MAX + 1];
    struct cell self = {queue, id};
    const struct claim_cell cell = {.self = &self, .read = read_claim};
    (void)snprintf(id, sizeof id, "%.*s", (int)size, at);
    if (size > QUEUE_ID_MAX || !queue_id_is_sound(id) || strlen(at) <= size + CLAIM_MARK)
        return NQ_DENIED; /* it could stand for the claims of all works */
    queue_enter(queue);
    return queue_leave(queue, claim_check(&cell, at + size + 1));
}

enum nq_status batch_source_take(struct batch_source *source, unsigned milliseconds, struct lease **out)
{
    struct lease *lease = NULL;
    const enum nq_status status = fetch(source, milliseconds, &lease);
    return lease ? lease_judge(lease, check(source->queue, lease), out) : status;
}

/* ---- Opening ---- */

enum nq_status queue_open(const char *where, const struct nats_options *options, unsigned lease_ms, bool listen,
                          struct queue **out, char error[static STORE_ERROR_MAX])
{
    struct queue *queue = calloc(1, sizeof *queue);
    (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
    if (!queue)
        return NQ_NOMEM;
    process_draw_id(queue->owner);
    queue->lease_ms = lease_ms;
    hash_hex(hash_text(HASH_START, build_id), queue->release);
    queue->listen = listen;
    lock_init(&queue->lock, LOCK_QUEUE);
    shared_lock_init(&queue->use, LOCK_QUEUE_USE);
    enum nq_status status = nats_open(where, options, "nqueensd work", &queue->nats, error);
    /* A broker that refuses us, or is away, may have closed the connection by now: queue_receive() mends that. */
    if (status == NQ_OK && listen_to_messages(queue) == NATS_NO_MEMORY)
        status = NQ_NOMEM;
    if (status == NQ_OK)
        *out = queue;
    else
        queue_close(queue);
    return status;
}

void queue_close(struct queue *queue)
{
    if (!queue)
        return;
    queue_unwatch_jobs(queue);
    detach(queue);
    nats_close(queue->nats);
    shared_lock_destroy(&queue->use);
    lock_destroy(&queue->lock);
    free(queue);
}

enum nq_status queue_reload(struct queue *queue, char error[static STORE_ERROR_MAX])
{
    queue_enter(queue);
    return queue_leave(queue, nats_reload(queue->nats, error));
}

bool queue_connected(struct queue *queue)
{
    queue_enter(queue);
    const bool connected = nats_connected(queue->nats);
    (void)queue_leave(queue, NQ_OK);
    return connected;
}
