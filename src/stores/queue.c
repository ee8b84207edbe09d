/* queue.c - work over NATS JetStream: the connection with what is made on first use and what is listened to, works that
 * are led and posted, and batches that are taken. */
#include "stores/queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/process.h"
#include "stores/nats.h"

/* The stream of batches, which go when they are done. Their subjects have four tokens more: the release, the id of the
 * work, who posted them, and "batch", as in earlier releases. A release has one consumer for all works, of its name. */
#define QUEUE_BATCHES "NQUEENS_BATCHES"
#define QUEUE_BATCH_SUBJECT "nqueens.work."

/* Nanoseconds, an hour, after which the broker gives up batches that no worker has asked for, and the consumer of a
 * release without workers. Batches that are needed wait for seconds; should one wait so long, its server finds that it
 * is lost. */
#define QUEUE_FORGOTTEN_NS INT64_C(3600000000000)

/* The bucket of the leaders' keys, named by the works. A value is the id of the leader and the note. */
#define QUEUE_LEADERS "nqueens_claim"

/* Subjects of messages, before an id. */
static const char *const topics[] = {
    [QUEUE_WORKER] = "nqueens.say.worker.",
    [QUEUE_REPORT] = "nqueens.say.report.",
    [QUEUE_AUDIT] = "nqueens.audit.",
};
enum { QUEUE_TOPICS = QUEUE_AUDIT + 1 };

/* Nanoseconds. */
#define LEADER_KEPT_NS (LEADER_KEPT_MS * INT64_C(1000000))

enum { QUEUE_SUBJECT_MAX = 120, QUEUE_NAME_SIZE = 16 + 1, LEADER_NOTE = 16 };

struct queue {
    struct shared_lock use; /* held for reading while the connection is used, for writing while it is made anew */
    struct nats *nats;
    enum queue_role role;
    natsSubscription *messages; /* NULL: not listened to now */
    queue_on_job on_job;        /* NULL: nobody watches jobs */
    void *who;
    natsSubscription *jobs; /* only the thread that receives uses it; NULL: not watched now */
    unsigned lease_ms;
    char self[QUEUE_NAME_SIZE];
    char release[QUEUE_NAME_SIZE]; /* in subjects */
    struct lock lock;              /* guards what follows, which is made on first use; held while the broker is asked */
    bool made;
    kvStore *leaders;
};

enum { BEAT_MS = 3000, JOBS_MOST = 1024 /* that are told in one go */ };

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

/* A bucket that was made with other tools may keep keys for ever: nobody could take over. */
static natsStatus let_keys_lapse(struct queue *queue)
{
    jsStreamInfo *info = NULL;
    natsStatus status = js_GetStreamInfo(&info, queue->nats->js, "KV_" QUEUE_LEADERS, NULL, NULL);
    if (status == NATS_OK && info->Config->MaxAge != LEADER_KEPT_NS) {
        info->Config->MaxAge = LEADER_KEPT_NS;
        info->Config->Duplicates = LEADER_KEPT_NS; /* no longer than MaxAge */
        status = js_UpdateStream(NULL, queue->nats->js, info->Config, NULL, NULL);
    }
    jsStreamInfo_Destroy(info);
    return status;
}

/* Keeps a handle that exists: other threads may use it. */
static natsStatus make_leaders(struct queue *queue)
{
    kvConfig config;
    kvStore *leaders = NULL;
    natsStatus status = js_KeyValue(&leaders, queue->nats->js, QUEUE_LEADERS);
    if (status == NATS_OK) {
        status = let_keys_lapse(queue);
    } else if (status == NATS_NOT_FOUND) {
        kvConfig_Init(&config);
        config.Bucket = QUEUE_LEADERS;
        config.Description = "nqueensd: who leads which work";
        config.History = 1;
        config.TTL = LEADER_KEPT_NS;
        config.Replicas = (int)queue->nats->replicas;
        status = js_CreateKeyValue(&leaders, queue->nats->js, &config);
    }
    if (status == NATS_OK && !queue->leaders)
        queue->leaders = leaders;
    else
        kvStore_Destroy(leaders);
    return status;
}

/* Makes the stream of batches and the bucket of leaders' keys, unless they exist. queue_forget_made: they may be gone.
 */
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
            status = make_leaders(queue);
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
    char subject[QUEUE_SUBJECT_MAX] = "nqueens.say.*.*";
    if (queue->role == QUEUE_COUNTS)
        (void)snprintf(subject, sizeof subject, "%s%s", topics[QUEUE_AUDIT], queue->self);
    return natsConnection_SubscribeSync(&queue->messages, queue->nats->connection, subject);
}

/* Gives up what belongs to the connection. */
static void detach(struct queue *queue)
{
    natsSubscription_Destroy(queue->messages);
    queue->messages = NULL;
    kvStore_Destroy(queue->leaders);
    queue->leaders = NULL;
    queue->made = false;
}

/* ---- Jobs watched ---- */

/* Any client of the broker may write there: only what a store would read is a job. An empty message is a key that was
 * deleted by NATS's own tools. */
static void tell_job(struct queue *queue, natsMsg *message)
{
    const char *token = natsMsg_GetSubject(message) + sizeof NATS_JOBS - 1;
    const int size = natsMsg_GetDataLength(message);
    struct bytes decoded = {0};
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

static void unwatch(struct queue *queue)
{
    (void)natsSubscription_Unsubscribe(queue->jobs); /* a connection that is closed has done so */
    natsSubscription_Destroy(queue->jobs);
    queue->jobs = NULL;
}

/* By a consumer: it gets what the stream has accepted, and begins with everything that is there. */
static natsStatus subscribe(void *context)
{
    struct queue *queue = context;
    jsSubOptions options;
    nats_consumer(&options, NATS_JOB_STREAM, BEAT_MS);
    options.Config.DeliverPolicy = js_DeliverLastPerSubject;
    return js_SubscribeSync(&queue->jobs, queue->nats->js, NATS_JOBS "*", NULL, &options, NULL);
}

/* When it fails it is tried again. */
static void watch(struct queue *queue)
{
    queue_enter(queue);
    atomic_store(&queue->nats->gap, false);
    if (nats_connected(queue->nats) && nats_call_quietly(subscribe, queue) == NATS_OK)
        (void)natsSubscription_SetPendingLimits(queue->jobs, -1, -1);
    (void)queue_leave(queue, NQ_OK);
}

/* Tells what has come of jobs; watches from the beginning where something may be lost. */
static void receive_jobs(struct queue *queue)
{
    natsStatus status = NATS_OK;
    natsMsg *message = NULL;
    for (int i = 0; queue->jobs && status == NATS_OK && i < JOBS_MOST; i++) {
        status = natsSubscription_NextMsg(&message, queue->jobs, 0);
        if (status == NATS_OK)
            tell_job(queue, message);
    }
    if (queue->jobs && (status == NATS_OK || status == NATS_TIMEOUT) && !atomic_load(&queue->nats->gap))
        return;
    unwatch(queue);
    watch(queue);
}

static void mend(struct queue *queue)
{
    unwatch(queue);
    shared_lock_write(&queue->use);
    detach(queue);
    nats_mend(queue->nats);
    if (queue->nats->js && !natsConnection_IsClosed(queue->nats->connection))
        (void)listen_to_messages(queue); /* or it is mended again */
    shared_lock_release(&queue->use);
}

void queue_watch_jobs(struct queue *queue, queue_on_job on_job, void *who)
{
    shared_lock_write(&queue->use);
    queue->on_job = on_job;
    queue->who = who;
    shared_lock_release(&queue->use);
}

/* ---- Messages published and received ---- */

enum nq_status queue_publish(struct queue *queue, enum queue_topic topic, const char *id, const char *text)
{
    char subject[QUEUE_SUBJECT_MAX];
    enum nq_status status = NQ_BROKEN;
    (void)snprintf(subject, sizeof subject, "%s%.*s", topics[topic], QUEUE_ID_MAX, id);
    queue_enter(queue);
    if (nats_connected(queue->nats))
        status = nats_judge(natsConnection_PublishString(queue->nats->connection, subject, text), (jsErrCode)0);
    return queue_leave(queue, status);
}

/* One of no such topic is nobody's, of whatever topic. */
static enum nq_status receive(struct queue *queue, unsigned milliseconds, struct queue_message *received)
{
    natsMsg *message = NULL;
    const natsStatus status = natsSubscription_NextMsg(&message, queue->messages, (int64_t)milliseconds);
    if (status != NATS_OK)
        return status == NATS_TIMEOUT ? NQ_TIMEOUT : nats_judge(status, (jsErrCode)0);
    const char *subject = natsMsg_GetSubject(message), *id = "";
    for (int topic = 0; topic < QUEUE_TOPICS; topic++)
        if (strncmp(subject, topics[topic], strlen(topics[topic])) == 0) {
            received->topic = (enum queue_topic)topic;
            id = subject + strlen(topics[topic]);
        }
    (void)snprintf(received->id, sizeof received->id, "%s", queue_id_is_sound(id) ? id : "");
    bytes_add(&received->text, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    natsMsg_Destroy(message);
    return received->text.failed ? NQ_NOMEM : NQ_OK;
}

static bool is_lost(const struct queue *queue)
{
    return nats_is_stale(queue->nats) || !queue->nats->js || natsConnection_IsClosed(queue->nats->connection) ||
           !queue->messages;
}

void queue_tend(struct queue *queue, unsigned milliseconds)
{
    const struct timespec moment = {.tv_nsec = (long)milliseconds * 1000000};
    queue_enter(queue);
    const bool lost = is_lost(queue);
    (void)queue_leave(queue, NQ_OK);
    if (lost)
        mend(queue);
    nanosleep(&moment, NULL);
}

enum nq_status queue_poll(struct queue *queue, struct queue_message *received)
{
    queue_enter(queue);
    return queue_leave(queue, queue->messages ? receive(queue, 0, received) : NQ_BROKEN);
}

enum nq_status queue_receive(struct queue *queue, unsigned milliseconds, struct queue_message *received)
{
    queue_enter(queue);
    const bool watched = queue->on_job, stale = nats_is_stale(queue->nats);
    const enum nq_status status = queue->messages && !stale ? receive(queue, milliseconds, received) : NQ_BROKEN;
    (void)queue_leave(queue, NQ_OK);
    if (watched)
        receive_jobs(queue);
    if (status == NQ_OK || status == NQ_TIMEOUT || status == NQ_NOMEM)
        return status;
    queue_tend(queue, milliseconds);
    return NQ_TIMEOUT;
}

/* ---- Who leads a work ---- */

/* Whose the key of a work is, by the leader of its stream; one that was given up is an empty message. NQ_OK: ours, at
 * that revision; NQ_DENIED, NQ_NONE, or why it is not known. */
static enum nq_status judge_key(struct queue *queue, const char *id, uint64_t *revision, struct bytes *theirs)
{
    char subject[QUEUE_SUBJECT_MAX];
    natsMsg *message = NULL;
    jsErrCode code = (jsErrCode)0;
    (void)snprintf(subject, sizeof subject, "$KV." QUEUE_LEADERS ".%s", id);
    const natsStatus read = js_GetLastMsg(&message, queue->nats->js, "KV_" QUEUE_LEADERS, subject, NULL, &code);
    const size_t size = read == NATS_OK ? (size_t)natsMsg_GetDataLength(message) : 0;
    const char *text = size ? natsMsg_GetData(message) : "";
    enum nq_status status = nats_judge(read, code);
    if (status == NQ_OK)
        status = size < LEADER_NOTE ? NQ_NONE : memcmp(text, queue->self, LEADER_NOTE) == 0 ? NQ_OK : NQ_DENIED;
    *revision = status == NQ_OK ? natsMsg_GetSequence(message) : 0;
    if (status == NQ_DENIED && theirs)
        bytes_add(theirs, text + LEADER_NOTE, size - LEADER_NOTE);
    natsMsg_Destroy(message);
    return theirs && theirs->failed ? NQ_NOMEM : status;
}

static bool write_text(struct queue *queue, const char *id, const char *text, struct leader *leader)
{
    const uint64_t now = clock_now();
    const bool written = (leader->revision && kvStore_UpdateString(&leader->revision, queue->leaders, id, text,
                                                                   leader->revision) == NATS_OK) ||
                         kvStore_CreateString(&leader->revision, queue->leaders, id, text) == NATS_OK;
    if (written)
        leader->since = now;
    return written;
}

/* A text or its acknowledgement may be lost: when writing fails, the key is read, and with its revision it can be
 * written if it is ours. */
static enum nq_status write_key(struct queue *queue, const char *id, const char *text, struct leader *leader,
                                struct bytes *theirs)
{
    enum nq_status status = NQ_OK;
    for (int i = 0; i < 2 && status == NQ_OK; i++) {
        if (write_text(queue, id, text, leader))
            return NQ_OK;
        status = judge_key(queue, id, &leader->revision, theirs);
    }
    if (status == NQ_DENIED || status == NQ_NOMEM)
        return status;
    queue_forget_made(queue);
    return status == NQ_OK && leader_is_sure(leader) ? NQ_OK : NQ_BROKEN;
}

static enum nq_status lead(struct queue *queue, const char *id, const char *note, struct leader *leader,
                           struct bytes *theirs)
{
    struct bytes value = {0};
    enum nq_status status = queue_make(queue);
    if (status != NQ_OK)
        return status;
    bytes_format(&value, "%s%s", queue->self, note);
    char *text = bytes_take(&value);
    status = text ? write_key(queue, id, text, leader, theirs) : NQ_NOMEM;
    free(text);
    return status;
}

enum nq_status queue_lead(struct queue *queue, const char *id, const char *note, struct leader *leader,
                          struct bytes *theirs)
{
    queue_enter(queue);
    return queue_leave(queue, lead(queue, id, note, leader, theirs));
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

static void subject_of(const struct queue *queue, const char *id, const char *poster,
                       char subject[static QUEUE_SUBJECT_MAX])
{
    (void)snprintf(subject, QUEUE_SUBJECT_MAX, QUEUE_BATCH_SUBJECT "%s.%.*s.%s.batch", queue->release, QUEUE_ID_MAX, id,
                   poster);
}

enum nq_status queue_post(struct queue *queue, const char *id, const char *text)
{
    char subject[QUEUE_SUBJECT_MAX];
    jsErrCode code = (jsErrCode)0;
    enum nq_status status = NQ_BROKEN;
    subject_of(queue, id, queue->self, subject);
    queue_enter(queue);
    if (nats_connected(queue->nats))
        status =
            queue_judge(queue, js_Publish(NULL, queue->nats->js, subject, text, (int)strlen(text), NULL, &code), code);
    return queue_leave(queue, status);
}

/* The first message of a subject, from *sequence on; NQ_NONE: there is none, or no stream. libnats has no function for
 * it. */
static enum nq_status find_batch(struct queue *queue, const char *subject, uint64_t *sequence)
{
    char request[QUEUE_SUBJECT_MAX + 64];
    natsMsg *reply = NULL;
    json_int_t number, code = 0;
    (void)snprintf(request, sizeof request, "{\"seq\":%" PRIu64 ",\"next_by_subj\":\"%s\"}", *sequence, subject);
    const natsStatus status =
        natsConnection_RequestString(&reply, queue->nats->connection, "$JS.API.STREAM.MSG.GET." QUEUE_BATCHES, request,
                                     (int64_t)queue->nats->wait_ms);
    if (status != NATS_OK)
        return nats_judge(status, (jsErrCode)0);
    json_t *json = NULL;
    const enum nq_status judged =
        json_read(natsMsg_GetData(reply), (size_t)natsMsg_GetDataLength(reply), 0, &json, NULL);
    natsMsg_Destroy(reply);
    if (judged == NQ_NOMEM)
        return judged;
    const bool found = json_unpack(json, "{s:{s:I}}", "message", "seq", &number) == 0;
    if (found)
        *sequence = (uint64_t)number;
    else
        (void)json_unpack(json, "{s:{s:I}}", "error", "code", &code);
    json_decref(json);
    return found ? NQ_OK : code == 404 ? NQ_NONE : NQ_BROKEN;
}

/* One by one: when NATS 2.9 purges a subject, its consumer skips batches of other works, too, and, after a restart, one
 * that is posted later. */
static enum nq_status delete_batches(struct queue *queue, const char *id)
{
    char subject[QUEUE_SUBJECT_MAX];
    jsErrCode code = (jsErrCode)0;
    uint64_t sequence = 1;
    enum nq_status status = nats_connected(queue->nats) ? NQ_OK : NQ_BROKEN;
    subject_of(queue, id, "*", subject);
    for (; status == NQ_OK; sequence++) {
        status = find_batch(queue, subject, &sequence);
        if (status == NQ_OK) /* or it is done by now */
            (void)js_DeleteMsg(queue->nats->js, QUEUE_BATCHES, sequence, NULL, &code);
    }
    return status == NQ_NONE ? NQ_OK : status;
}

enum nq_status queue_delete(struct queue *queue, const char *id)
{
    queue_enter(queue);
    return queue_leave(queue, delete_batches(queue, id));
}

enum nq_status queue_has(struct queue *queue, const char *id)
{
    char subject[QUEUE_SUBJECT_MAX];
    uint64_t sequence = 1;
    subject_of(queue, id, "*", subject);
    queue_enter(queue);
    return queue_leave(queue, nats_connected(queue->nats) ? find_batch(queue, subject, &sequence) : NQ_BROKEN);
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

static enum nq_status finish(struct queue *queue, const char *id, struct leader *leader)
{
    enum nq_status status = lead(queue, id, "", leader, NULL);
    if (status == NQ_OK)
        status = delete_batches(queue, id);
    if (status == NQ_OK)
        status = queue_judge(queue, kvStore_Delete(queue->leaders, id), (jsErrCode)0);
    leader->revision = 0;
    return status;
}

enum nq_status queue_finish(struct queue *queue, const char *id, struct leader *leader)
{
    queue_enter(queue);
    return queue_leave(queue, finish(queue, id, leader));
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

enum nq_status batch_source_take(struct batch_source *source, unsigned milliseconds, struct lease **out)
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

/* ---- Opening ---- */

enum nq_status queue_open(const char *where, const struct nats_options *options, unsigned lease_ms,
                          enum queue_role role, struct queue **out, char error[static STORE_ERROR_MAX])
{
    struct queue *queue = calloc(1, sizeof *queue);
    (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
    if (!queue)
        return NQ_NOMEM;
    process_draw_id(queue->self);
    queue->lease_ms = lease_ms;
    hash_hex(hash_text(HASH_START, build_id), queue->release);
    queue->role = role;
    lock_init(&queue->lock, LOCK_QUEUE);
    shared_lock_init(&queue->use, LOCK_QUEUE_USE);
    enum nq_status status = nats_open(where, options, "nqueensd work", &queue->nats, error);
    /* A broker that refuses us, or is away, may have closed the connection by now: queue_tend() mends that. */
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
    unwatch(queue);
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

bool queue_forbidden(struct queue *queue)
{
    return atomic_exchange(&queue->nats->forbidden, false);
}

const char *queue_self(const struct queue *queue)
{
    return queue->self;
}
