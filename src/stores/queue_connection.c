/* queue_connection.c - opens and closes a queue, makes its streams on first use, and keeps its subscriptions while
 * connections come and go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/process.h"
#include "stores/queue_state.h"

enum { UNWATCH_MS = 5000, BEAT_MS = 3000 };

/* Nanoseconds, after which the broker forgets a claim that is not renewed. */
#define CLAIM_KEPT_NS INT64_C(12000000000)

void queue_subject(const struct queue *queue, char subject[static QUEUE_SUBJECT_MAX])
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

enum nq_status queue_make(struct queue *queue)
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

void queue_forget_made(struct queue *queue)
{
    lock_take(&queue->lock);
    queue->made = false;
    lock_release(&queue->lock);
}

enum nq_status queue_judge(struct queue *queue, natsStatus status, jsErrCode code)
{
    if (code == JSStreamNotFoundErr)
        queue_forget_made(queue);
    return nats_judge(status, code);
}

void queue_enter(struct queue *queue)
{
    shared_lock_read(&queue->use);
}

enum nq_status queue_leave(struct queue *queue, enum nq_status status)
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
