/* store_nats.c - a store in NATS JetStream that any number of processes share: a bucket for each kind, laid out so that
 * NATS's own tools for key-value buckets can read it. It knows no threads: its caller makes one call at a time. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/timed.h"
#include "stores/nats.h"

/* ---- Buckets: made, and their single messages written and read ---- */

enum {
    SPARE_BYTES = 128,   /* of the largest message: what goes with a value in its header */
    MESSAGE_BYTES = 160, /* on the server's disk, beside subject and value */
    AWAY_S = 5,          /* a server is away that its leader has not heard from for so long: it hears once a second */
    SETTLED_MS = 1000, /* a stream is complete, which others have made: NATS 2.9 crashes when a message is asked for of
                        * one that is just being made */
};

/* The subject of a fact is this, the kind's and its key's; that of the stream where they lie has other dots. */
#define SUBJECT NATS_FACTS
#define STREAM NATS_STREAMS
#define SUM "Nq-Sum"

/* A bucket's subjects: before a key, and of all its keys. The stream where they lie. quarters: its share of the
 * capacity. Facts that can be computed again are given up where room is needed. */
static const struct bucket_layout {
    const char *subject, *all, *stream;
    unsigned quarters;
    jsDiscardPolicy discard;
} bucket_layouts[STORE_KINDS] = {
    [STORE_RESULT] = {SUBJECT "result.", SUBJECT "result.>", STREAM "result", 1, js_DiscardOld},
    [STORE_UNIT] = {SUBJECT "unit.", SUBJECT "unit.>", STREAM "unit", 2, js_DiscardOld},
    [STORE_JOB] = {SUBJECT "job.", SUBJECT "job.>", STREAM "job", 1, js_DiscardNew},
};

struct bucket {
    bool made;
    uint64_t bytes, facts, last; /* last: the number of its last message, gone or not */
    int64_t replicas;            /* of its stream; 0: not known */
    uint64_t seen;               /* clock_now(), since when its stream is there; 0: it is not */
};

struct nats_store {
    struct nats *nats;
    uint64_t capacity;
    uint64_t damaged;
    struct bucket buckets[STORE_KINDS];
    char trouble[STORE_ERROR_MAX];
};

/* Keeps a sentence for the log, and returns NQ_BROKEN. */
__attribute__((format(printf, 2, 3))) static enum nq_status bucket_broken(struct nats_store *store, const char *format,
                                                                          ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(store->trouble, sizeof store->trouble, format, args);
    va_end(args);
    return NQ_BROKEN;
}

/* What a call about a kind came to. A bucket that is gone has no facts, and is made when it is needed again; so it may
 * be with one that failed. */
static enum nq_status bucket_judge(struct nats_store *store, enum store_kind kind, natsStatus status, jsErrCode code)
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

/* Reads the numbers of a bucket; NQ_BROKEN also if most of its servers are away. */
static enum nq_status bucket_ask(struct nats_store *store, enum store_kind kind)
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
        bucket->seen = bucket->seen ? bucket->seen : clock_now();
    }
    enum nq_status judged = bucket_judge(store, kind, status, code);
    if (judged == NQ_NONE)
        bucket->seen = 0;
    if (judged == NQ_OK)
        judged = judge_majority(store, kind, info->Cluster);
    bucket->made &= judged == NQ_OK;
    jsStreamInfo_Destroy(info);
    return judged;
}

/* NQ_BROKEN, at once, while there is no connection. */
static enum nq_status bucket_connect(struct nats_store *store)
{
    if (!nats_connected(store->nats) || nats_is_stale(store->nats))
        nats_mend(store->nats);
    if (nats_connected(store->nats))
        return NQ_OK;
    for (int kind = 0; kind < STORE_KINDS; kind++)
        store->buckets[kind].made = false;
    return bucket_broken(store, "there is no connection to NATS: %s", nats_reason(store->nats));
}

/* Begins a call about a kind: connects, and makes the bucket if it is missing. */
static enum nq_status bucket_enter(struct nats_store *store, enum store_kind kind)
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

/* ---- Facts as messages ---- */

/* The subject of a key, for the caller to free; NULL when memory is out. */
static char *bucket_subject(enum store_kind kind, const char *key)
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

/* Whether a message is a fact; counts those that are damaged. */
static bool bucket_is_sound(struct nats_store *store, natsMsg *message, const char *key)
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

/* Writes a fact. NQ_LIMIT: it does not fit into a message or into the bucket. */
static enum nq_status bucket_publish(struct nats_store *store, const struct store_fact *fact, const char *subject,
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
    return bucket_judge(store, fact->kind, status, code);
}

/* Removes what a subject, perhaps with a wildcard at its end, stands for. */
static enum nq_status bucket_purge(struct nats_store *store, enum store_kind kind, const char *subject)
{
    jsErrCode code = 0;
    jsOptions options;
    if (strlen(subject) > NATS_SUBJECT_MAX)
        return NQ_OK; /* nothing can be there */
    (void)jsOptions_Init(&options);
    options.Wait = store->nats->wait_ms;
    options.Stream.Purge.Subject = subject;
    const natsStatus status = js_PurgeStream(store->nats->js, bucket_layouts[kind].stream, &options, &code);
    const enum nq_status judged = bucket_judge(store, kind, status, code);
    return judged == NQ_NONE ? NQ_OK : judged;
}

/* The last message of a subject, from the stream's leader, who has everything that was acknowledged; or NQ_NONE. */
static enum nq_status bucket_last_message(struct nats_store *store, enum store_kind kind, const char *subject,
                                          natsMsg **message)
{
    jsErrCode code = 0;
    if (strlen(subject) > NATS_SUBJECT_MAX)
        return NQ_NONE;
    const natsStatus status =
        js_GetLastMsg(message, store->nats->js, bucket_layouts[kind].stream, subject, NULL, &code);
    return bucket_judge(store, kind, status, code);
}

/* ---- Every fact whose key begins with a prefix: by a consumer that is gone with the call ---- */

struct scan {
    struct nats_store *store;
    enum store_kind kind;
    store_visit *visit;
    void *context;
    uint64_t seen; /* messages of the consumer, facts or not */
};

enum {
    BEAT_MS = 1000, /* between two heartbeats of a consumer */
    LOOK_MS = 100,  /* to wait for a message before asking whether one is to come */
};

/* The subject, with a wildcard, of all keys that begin with a prefix and have more, for the caller to free; NULL when
 * memory is out. Unless it is empty a prefix ends with the border of a token: no wildcard stands for any other. */
static char *subject_of_prefix(enum store_kind kind, const char *prefix)
{
    struct bytes longer = {0};
    bytes_format(&longer, "%sx", prefix);
    char *key = bytes_take(&longer), *subject = key ? bucket_subject(kind, key) : NULL;
    const size_t end = subject ? strlen(subject) : 0;
    free(key);
    if (!subject)
        return NULL;
    assert(subject[end - 2] == '.');
    subject[end - 1] = '>';
    return subject;
}

/* Visits a message's fact, if it is one. NQ_AGAIN: there may be more; NQ_OK: no more are wanted; NQ_NOMEM. */
static enum nq_status visit_message(const struct scan *scan, natsMsg *message)
{
    const char *token = natsMsg_GetSubject(message) + strlen(bucket_layouts[scan->kind].subject);
    struct bytes text = {0};
    const bool named = nats_decode(token, &text);
    const bool lost = text.failed;
    char *key = named ? bytes_take(&text) : NULL;
    bool on = true;
    if (key && bucket_is_sound(scan->store, message, key))
        on = scan->visit(scan->context, key, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    bytes_free(&text);
    free(key);
    return lost || (named && !key) ? NQ_NOMEM : on ? NQ_AGAIN : NQ_OK;
}

/* One message: NQ_AGAIN, or NQ_OK when it was the last. */
static enum nq_status take_next(struct scan *scan, natsMsg *message)
{
    jsMsgMetaData *data = NULL;
    if (natsMsg_GetMetaData(&data, message) != NATS_OK)
        return bucket_broken(scan->store, "NATS sent what it was not asked for");
    const jsMsgMetaData got = *data;
    jsMsgMetaData_Destroy(data);
    if (got.Sequence.Consumer != ++scan->seen)
        return bucket_broken(scan->store, "a message from NATS was lost on its way");
    const enum nq_status status = visit_message(scan, message);
    return status == NQ_AGAIN && !got.NumPending ? NQ_OK : status;
}

/* Whether there are messages to come: those that were may have been taken out since. NQ_AGAIN, or NQ_OK: none. */
static enum nq_status look_ahead(const struct scan *scan, natsSubscription *subscription)
{
    jsConsumerInfo *info = NULL;
    jsErrCode code = 0;
    const natsStatus status = natsSubscription_GetConsumerInfo(&info, subscription, NULL, &code);
    const bool all = status == NATS_OK && info->NumPending == 0 && info->Delivered.Consumer <= scan->seen;
    jsConsumerInfo_Destroy(info);
    const enum nq_status judged = bucket_judge(scan->store, scan->kind, status, code);
    if (judged == NQ_NONE)
        return bucket_broken(scan->store, "NATS has forgotten who reads");
    return judged == NQ_OK && !all ? NQ_AGAIN : judged;
}

static enum nq_status read_all(struct scan *scan, natsSubscription *subscription)
{
    const struct nats *nats = scan->store->nats;
    enum nq_status status = look_ahead(scan, subscription);
    uint64_t last = clock_now();
    while (status == NQ_AGAIN) {
        natsMsg *message = NULL;
        const natsStatus next = natsSubscription_NextMsg(&message, subscription, LOOK_MS);
        if (next == NATS_OK) {
            status = take_next(scan, message);
            natsMsg_Destroy(message);
            last = clock_now();
        } else if (next != NATS_TIMEOUT) {
            status = bucket_judge(scan->store, scan->kind, next, 0);
        } else if (!nats_connected(nats) || clock_now() - last > nats->wait_ms * CLOCK_MILLISECOND) {
            status = bucket_judge(scan->store, scan->kind, NATS_TIMEOUT, 0);
        } else {
            status = look_ahead(scan, subscription);
        }
    }
    return status;
}

static enum nq_status scan_subject(struct scan *scan, const char *subject)
{
    natsSubscription *subscription = NULL;
    jsErrCode code = 0;
    jsSubOptions options;
    if (strlen(subject) > NATS_SUBJECT_MAX)
        return NQ_OK; /* nothing can be there */
    nats_consumer(&options, bucket_layouts[scan->kind].stream, BEAT_MS);
    const natsStatus status = js_SubscribeSync(&subscription, scan->store->nats->js, subject, NULL, &options, &code);
    if (status == NATS_OK)
        (void)natsSubscription_SetPendingLimits(subscription, -1, -1);
    enum nq_status judged = bucket_judge(scan->store, scan->kind, status, code);
    if (judged == NQ_OK)
        judged = read_all(scan, subscription);
    if (subscription)
        (void)natsSubscription_Unsubscribe(subscription); /* at once, not when the server notices */
    natsSubscription_Destroy(subscription);
    return judged == NQ_NONE ? NQ_OK : judged; /* there is no such bucket any more */
}

/* ---- The store ---- */

static void store_nats_close(void *self)
{
    struct nats_store *store = self;
    nats_close(store->nats);
    free(store);
}

static enum nq_status store_nats_open(const char *where, const struct store_options *options, void **self,
                                      char error[static STORE_ERROR_MAX])
{
    struct nats_store *store = calloc(1, sizeof *store);
    (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
    if (!store)
        return NQ_NOMEM;
    store->capacity = options->capacity;
    const enum nq_status status = nats_open(where, &options->nats, "nqueensd store", &store->nats, error);
    if (status == NQ_OK)
        *self = store;
    else
        store_nats_close(store);
    return status;
}

static enum nq_status store_nats_check_settings(const char *where, const struct store_options *options,
                                                char error[static STORE_ERROR_MAX])
{
    return nats_check_options(where, &options->nats, error);
}

static enum nq_status store_nats_reload(void *self, char error[static STORE_ERROR_MAX])
{
    return nats_reload(((struct nats_store *)self)->nats, error);
}

/* Reads a fact that there never is. A cluster without a majority returns none, also if the bucket's only server lives.
 */
static enum nq_status read_nothing(struct nats_store *store)
{
    natsMsg *message = NULL;
    char subject[64];
    (void)snprintf(subject, sizeof subject, "%s=", bucket_layouts[STORE_RESULT].subject); /* that of the empty key */
    const enum nq_status status = bucket_last_message(store, STORE_RESULT, subject, &message);
    natsMsg_Destroy(message);
    return status;
}

/* Asks every bucket: with a connection the server may still hang, or a bucket have no leader. One that is gone was
 * removed since, and will be made. */
static enum nq_status nats_check(void *self, bool all)
{
    struct nats_store *store = self;
    enum nq_status status = bucket_connect(store);
    for (int kind = 0; status == NQ_OK && kind < (all ? STORE_KINDS : STORE_JOB); kind++) {
        if (all)
            status = bucket_enter(store, (enum store_kind)kind);
        if (status == NQ_OK)
            status = bucket_ask(store, (enum store_kind)kind);
        if (status == NQ_NONE)
            status = NQ_OK;
    }
    const uint64_t seen = store->buckets[STORE_RESULT].seen;
    if (status == NQ_OK && seen && timed_long_ago(seen, SETTLED_MS))
        status = read_nothing(store);
    return status == NQ_NONE ? NQ_OK : status;
}

/* Enters for one fact. The caller frees its subject, whatever the status is. */
static enum nq_status enter_at(struct nats_store *store, enum store_kind kind, const char *key, char **subject)
{
    const enum nq_status status = bucket_enter(store, kind);
    *subject = bucket_subject(kind, key);
    return *subject ? status : NQ_NOMEM;
}

/* The same for all facts below a prefix. */
static enum nq_status enter_below(struct nats_store *store, enum store_kind kind, const char *prefix, char **subject)
{
    const enum nq_status status = bucket_enter(store, kind);
    *subject = subject_of_prefix(kind, prefix);
    return *subject ? status : NQ_NOMEM;
}

static enum nq_status put_one(struct nats_store *store, const struct store_fact *fact)
{
    char *subject;
    enum nq_status status = enter_at(store, fact->kind, fact->key, &subject);
    if (status == NQ_OK)
        status = fact->value ? bucket_publish(store, fact, subject, NULL) : bucket_purge(store, fact->kind, subject);
    free(subject);
    return status;
}

static enum nq_status nats_put(void *self, const struct store_fact *facts, size_t count)
{
    struct nats_store *store = self;
    enum nq_status status = NQ_OK;
    for (size_t i = 0; status == NQ_OK && i < count; i++)
        status = put_one(store, &facts[i]);
    return status;
}

/* What is there, to be replaced. It is replaced if it is still its subject's last message: so writers of other keys do
 * not matter. But several servers before 2.11 compare that number only with what they have applied: of two messages
 * under way at the same time they may accept both. They always compare the number of the stream's last message. So for
 * them that number is read first, and then the message; unless there is nothing to replace. *last: that number, 0: it
 * is not to be compared. */
static enum nq_status message_to_replace(struct nats_store *store, enum store_kind kind, const char *subject,
                                         natsMsg **message, uint64_t *last)
{
    struct bucket *bucket = &store->buckets[kind];
    enum nq_status status = bucket_last_message(store, kind, subject, message);
    *last = 0;
    if (status != NQ_OK || bucket->replicas == 1)
        return status;
    natsMsg_Destroy(*message);
    *message = NULL;
    status = bucket_ask(store, kind);
    *last = bucket->replicas == 1 ? 0 : bucket->last;
    return status == NQ_OK ? bucket_last_message(store, kind, subject, message) : status;
}

static enum nq_status nats_swap(void *self, const struct store_fact *fact, const void *former, size_t size)
{
    struct nats_store *store = self;
    natsMsg *message = NULL;
    struct bytes value = {0};
    jsPubOptions expected;
    char *subject;
    enum nq_status status = enter_at(store, fact->kind, fact->key, &subject);
    (void)jsPubOptions_Init(&expected);
    if (status == NQ_OK)
        status = message_to_replace(store, fact->kind, subject, &message, &expected.ExpectLastSeq);
    const bool found = status == NQ_OK && bucket_is_sound(store, message, fact->key);
    if (status == NQ_OK)
        expected.ExpectLastSubjectSeq = natsMsg_GetSequence(message);
    if (found)
        bytes_add(&value, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    expected.ExpectNoMessage = status == NQ_NONE;
    if (value.failed)
        status = NQ_NOMEM;
    else if (status == NQ_OK || status == NQ_NONE)
        status = store_is_former(found ? &value : NULL, former, size) ? bucket_publish(store, fact, subject, &expected)
                                                                      : NQ_AGAIN;
    bytes_free(&value);
    natsMsg_Destroy(message);
    free(subject);
    return status == NQ_DENIED ? NQ_AGAIN : status;
}

static enum nq_status nats_get(void *self, enum store_kind kind, const char *key, struct bytes *value)
{
    struct nats_store *store = self;
    natsMsg *message = NULL;
    char *subject;
    enum nq_status status = enter_at(store, kind, key, &subject);
    if (status == NQ_OK)
        status = bucket_last_message(store, kind, subject, &message);
    if (status == NQ_OK && !bucket_is_sound(store, message, key))
        status = NQ_NONE;
    if (status == NQ_OK)
        bytes_add(value, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    natsMsg_Destroy(message);
    free(subject);
    return value->failed ? NQ_NOMEM : status;
}

static enum nq_status nats_each(void *self, enum store_kind kind, const char *prefix, store_visit *visit, void *context)
{
    struct scan scan = {.store = self, .kind = kind, .visit = visit, .context = context};
    char *subject;
    enum nq_status status = enter_below(self, kind, prefix, &subject);
    if (status == NQ_OK)
        status = scan_subject(&scan, subject);
    free(subject);
    return status;
}

static enum nq_status nats_delete_prefix(void *self, enum store_kind kind, const char *prefix)
{
    char *subject;
    enum nq_status status = enter_below(self, kind, prefix, &subject);
    if (status == NQ_OK)
        status = bucket_purge(self, kind, subject);
    free(subject);
    return status;
}

static struct store_stats nats_stats(const void *self)
{
    const struct nats_store *store = self;
    struct store_stats stats = {.damaged = store->damaged};
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        stats.bytes += store->buckets[kind].bytes;
        stats.facts += store->buckets[kind].facts;
    }
    return stats;
}

static const char *nats_trouble(const void *self)
{
    const struct nats_store *store = self;
    return store->trouble;
}

const struct store_class store_nats = {
    .name = "nats",
    .where = "//HOST:PORT[,URL...]",
    .also = "tls",
    .open = store_nats_open,
    .check_settings = store_nats_check_settings,
    .reload = store_nats_reload,
    .put = nats_put,
    .swap = nats_swap,
    .get = nats_get,
    .each = nats_each,
    .delete_prefix = nats_delete_prefix,
    .check = nats_check,
    .stats = nats_stats,
    .trouble = nats_trouble,
    .close = store_nats_close,
};
