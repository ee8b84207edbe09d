/* nats_bucket.c - makes buckets, and writes and reads single messages. */
#include "stores/nats_bucket.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

enum {
    SPARE_BYTES = 128,   /* of the largest message: what goes with a value in its header */
    MESSAGE_BYTES = 160, /* on the server's disk, beside subject and value */
    FRESH_MS = 200,      /* between two readings of a bucket's numbers */
    AWAY_S = 5,          /* a server is away that its leader has not heard from for so long: it hears once a second */
};

/* The subject of a fact is this, the kind's and its key's; that of the stream where they lie has other dots. */
#define SUBJECT NATS_FACTS
#define STREAM NATS_STREAMS
#define SUM "Nq-Sum"

const struct bucket_layout bucket_layouts[STORE_KINDS] = {
    [STORE_RESULT] = {SUBJECT "result.", SUBJECT "result.>", STREAM "result", 1, js_DiscardOld},
    [STORE_UNIT] = {SUBJECT "unit.", SUBJECT "unit.>", STREAM "unit", 2, js_DiscardOld},
    [STORE_JOB] = {SUBJECT "job.", SUBJECT "job.>", STREAM "job", 1, js_DiscardNew},
};

enum nq_status bucket_broken(struct nats_store *store, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(store->trouble, sizeof store->trouble, format, args);
    va_end(args);
    return NQ_BROKEN;
}

enum nq_status bucket_judge(struct nats_store *store, enum store_kind kind, natsStatus status, jsErrCode code)
{
    const enum nq_status judged = nats_judge(status, code);
    if (judged == NQ_BROKEN || code == JSStreamNotFoundErr)
        store->buckets[kind].made = false;
    if (judged != NQ_BROKEN)
        return judged;
    const char *words = code ? nats_GetLastError(&status) : NULL;
    return bucket_broken(store, "NATS has trouble with the stream %s: %s", bucket_layouts[kind].stream,
                         words ? words : natsStatus_GetText(status));
}

static uint64_t share(const struct nats_store *store, enum store_kind kind)
{
    return store->capacity / 4 * bucket_layouts[kind].quarters;
}

static enum nq_status make(struct nats_store *store, enum store_kind kind)
{
    const struct bucket_layout *layout = &bucket_layouts[kind];
    jsErrCode code = 0;
    jsStreamConfig config;
    (void)jsStreamConfig_Init(&config);
    config.Name = layout->stream;
    config.Subjects = (const char *[]){layout->all};
    config.SubjectsLen = 1;
    config.MaxMsgsPerSubject = 1;
    config.MaxBytes = (int64_t)share(store, kind);
    config.Discard = layout->discard;
    config.Storage = js_FileStorage;
    config.Replicas = store->nats->replicas;
    config.AllowRollup = true;
    config.DenyDelete = true;
    const natsStatus status = js_AddStream(NULL, store->nats->js, &config, NULL, &code);
    /* Another process, with another capacity, has made it in between. */
    return code == JSStreamNameExistErr ? NQ_OK : bucket_judge(store, kind, status, code);
}

/* Servers that have lost the majority still answer what the stream is: at first as its leader, for up to 20 seconds,
 * and then for ever without one. They neither store nor return facts. */
static enum nq_status judge_majority(struct nats_store *store, enum store_kind kind, const jsClusterInfo *cluster)
{
    const char *stream = bucket_layouts[kind].stream;
    if (!cluster) /* a single server */
        return NQ_OK;
    if (!cluster->Leader || !*cluster->Leader)
        return bucket_broken(store, "NATS has no majority: the stream %s has no leader", stream);
    int here = 1;
    const int all = cluster->ReplicasLen + 1;
    for (int i = 0; i < cluster->ReplicasLen; i++)
        here += !cluster->Replicas[i]->Offline && cluster->Replicas[i]->Active <= AWAY_S * (int64_t)CLOCK_SECOND;
    return 2 * here > all ? NQ_OK
                          : bucket_broken(store, "NATS has no majority: %d of the %d servers of the stream %s are away",
                                          all - here, all, stream);
}

enum nq_status bucket_ask(struct nats_store *store, enum store_kind kind)
{
    struct bucket *bucket = &store->buckets[kind];
    jsErrCode code = 0;
    jsStreamInfo *info = NULL;
    const natsStatus status = js_GetStreamInfo(&info, store->nats->js, bucket_layouts[kind].stream, NULL, &code);
    if (status == NATS_OK) {
        bucket->bytes = info->State.Bytes;
        bucket->facts = info->State.Msgs;
        bucket->last = info->State.LastSeq;
        bucket->replicas = info->Config ? info->Config->Replicas : 0;
        bucket->changed = false;
    }
    enum nq_status judged = bucket_judge(store, kind, status, code);
    if (judged == NQ_OK)
        judged = judge_majority(store, kind, info->Cluster);
    bucket->made &= judged == NQ_OK;
    jsStreamInfo_Destroy(info);
    return judged;
}

enum nq_status bucket_connect(struct nats_store *store)
{
    if (!nats_connected(store->nats) || nats_is_stale(store->nats))
        nats_mend(store->nats);
    if (nats_connected(store->nats))
        return NQ_OK;
    for (int kind = 0; kind < STORE_KINDS; kind++)
        store->buckets[kind].made = false;
    return bucket_broken(store, "there is no connection to NATS: %s", nats_reason(store->nats));
}

enum nq_status bucket_enter(struct nats_store *store, enum store_kind kind)
{
    struct bucket *bucket = &store->buckets[kind];
    enum nq_status status = bucket_connect(store);
    if (status != NQ_OK || bucket->made)
        return status;
    status = bucket_ask(store, kind);
    if (status == NQ_NONE)
        status = make(store, kind);
    bucket->made = status == NQ_OK;
    return status;
}

/* The call under way does not depend on the outcome. */
void bucket_refresh(struct nats_store *store)
{
    if (clock_now() - store->asked < FRESH_MS * CLOCK_MILLISECOND)
        return;
    for (int kind = 0; kind < STORE_KINDS; kind++)
        if (store->buckets[kind].changed && nats_connected(store->nats))
            (void)bucket_ask(store, (enum store_kind)kind);
    store->asked = clock_now();
}

/* ---- Facts as messages ---- */

char *bucket_subject(enum store_kind kind, const char *key)
{
    struct bytes subject = {0};
    bytes_text(&subject, bucket_layouts[kind].subject);
    nats_encode(key, &subject);
    return bytes_take(&subject);
}

/* What was damaged on its way or on a disk, or put there by hand, would give a wrong number. */
static void sum_of(const char *key, const void *value, size_t size, char text[static 17])
{
    hash_hex(hash_bytes(hash_text(HASH_START, key), value, size), text);
}

enum fact_state fact_judge(natsMsg *message, const char *key)
{
    const char *expected;
    char sum[17];
    if (natsMsgHeader_Get(message, SUM, &expected) != NATS_OK)
        return FACT_FOREIGN;
    sum_of(key, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message), sum);
    return strcmp(expected, sum) == 0 ? FACT_SOUND : FACT_DAMAGED;
}

bool bucket_is_sound(struct nats_store *store, natsMsg *message, const char *key)
{
    const enum fact_state state = fact_judge(message, key);
    store->damaged += state == FACT_DAMAGED;
    return state == FACT_SOUND;
}

/* Whether a fact can be there at all: otherwise it would push out all others, or be refused by the server. */
static bool fits(struct nats_store *store, const struct store_fact *fact, const char *subject)
{
    const int64_t most = natsConnection_GetMaxPayload(store->nats->connection);
    const size_t length = strlen(subject);
    return length <= NATS_SUBJECT_MAX && fact->size < INT32_MAX && (int64_t)(fact->size + SPARE_BYTES) <= most &&
           fact->size + length + MESSAGE_BYTES <= share(store, fact->kind);
}

enum nq_status bucket_publish(struct nats_store *store, const struct store_fact *fact, const char *subject,
                              jsPubOptions *options)
{
    char sum[17];
    natsMsg *message = NULL;
    jsErrCode code = 0;
    if (!fits(store, fact, subject))
        return NQ_LIMIT;
    sum_of(fact->key, fact->value, fact->size, sum);
    natsStatus status = natsMsg_Create(&message, subject, NULL, fact->value, (int)fact->size);
    if (status == NATS_OK)
        status = natsMsgHeader_Set(message, SUM, sum);
    if (status == NATS_OK)
        status = js_PublishMsg(NULL, store->nats->js, message, options, &code);
    natsMsg_Destroy(message);
    store->buckets[fact->kind].changed = true;
    return bucket_judge(store, fact->kind, status, code);
}

enum nq_status bucket_purge(struct nats_store *store, enum store_kind kind, const char *subject)
{
    jsErrCode code = 0;
    jsOptions options;
    if (strlen(subject) > NATS_SUBJECT_MAX)
        return NQ_OK; /* nothing can be there */
    (void)jsOptions_Init(&options);
    options.Wait = store->nats->wait_ms;
    options.Stream.Purge.Subject = subject;
    const natsStatus status = js_PurgeStream(store->nats->js, bucket_layouts[kind].stream, &options, &code);
    store->buckets[kind].changed = true;
    const enum nq_status judged = bucket_judge(store, kind, status, code);
    return judged == NQ_NONE ? NQ_OK : judged;
}

enum nq_status bucket_last_message(struct nats_store *store, enum store_kind kind, const char *subject,
                                   natsMsg **message)
{
    jsErrCode code = 0;
    if (strlen(subject) > NATS_SUBJECT_MAX)
        return NQ_NONE;
    const natsStatus status =
        js_GetLastMsg(message, store->nats->js, bucket_layouts[kind].stream, subject, NULL, &code);
    return bucket_judge(store, kind, status, code);
}
