/* store_nats.c - a store in NATS JetStream that any number of processes share: a bucket for each kind, laid out so that
 * NATS's own tools for key-value buckets can read it. It knows no threads: whoever calls sees to it that one call ends
 * before the next. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "stores/nats.h"

enum {
    SUBJECT_MAX = 3500,  /* a line of NATS's protocol, with a subject and some more in it, is 4096 long at most */
    SPARE_BYTES = 128,   /* of the largest message: what goes with a value in its header */
    MESSAGE_BYTES = 160, /* likewise on the server's disk, beside subject and value */
    BEAT_MS = 1000,      /* how often a consumer says that it is there */
    LOOK_MS = 100,       /* how long to wait for a message before asking whether one is to come */
    FRESH_MS = 200,      /* figures are not asked for more often */
    TRIES = 100,         /* to change a fact that others change, too: each in vain is another's success */
};

/* The subject of a fact is this, the kind's and its key's; that of the stream where they lie has other dots. */
#define SUBJECT NATS_FACTS
#define STREAM NATS_STREAMS
#define SUM "Nq-Sum"

/* A kind's share is of four quarters of the capacity. What can be found out again is given up where room is needed. */
static const struct layout {
    const char *subject, *all, *stream;
    unsigned quarters;
    jsDiscardPolicy discard;
} layouts[STORE_KINDS] = {
    [STORE_RESULT] = {SUBJECT "result.", SUBJECT "result.>", STREAM "result", 1, js_DiscardOld},
    [STORE_UNIT] = {SUBJECT "unit.", SUBJECT "unit.>", STREAM "unit", 2, js_DiscardOld},
    [STORE_JOB] = {SUBJECT "job.", SUBJECT "job.>", STREAM "job", 1, js_DiscardNew},
};

struct bucket {
    bool made, changed;          /* changed: it was written since its figures were asked for */
    uint64_t bytes, facts, last; /* last: the number of its last message, gone or not */
};

struct keeper {
    struct nats *nats;
    uint64_t capacity;
    uint64_t asked; /* clock_now(), for figures */
    uint64_t damaged;
    struct bucket buckets[STORE_KINDS];
    char trouble[STORE_ERROR_MAX];
};

__attribute__((format(printf, 2, 3))) static enum nq_status broken(struct keeper *keeper, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(keeper->trouble, sizeof keeper->trouble, format, args);
    va_end(args);
    return NQ_BROKEN;
}

/* What a call about a kind came to. A bucket that is gone has no facts, and is made when it is needed again; so it may
 * be with one that failed. */
static enum nq_status judge(struct keeper *keeper, enum store_kind kind, natsStatus status, jsErrCode code)
{
    const enum nq_status judged = nats_judge(status, code);
    if (judged == NQ_BROKEN || code == JSStreamNotFoundErr)
        keeper->buckets[kind].made = false;
    if (judged != NQ_BROKEN)
        return judged;
    const char *words = code ? nats_GetLastError(&status) : NULL;
    return broken(keeper, "NATS has trouble with the stream %s: %s", layouts[kind].stream,
                  words ? words : natsStatus_GetText(status));
}

/* ---- Buckets ----------------------------------------------------------------------------------------------------- */

static uint64_t share(const struct keeper *keeper, enum store_kind kind)
{
    return keeper->capacity / 4 * layouts[kind].quarters;
}

static enum nq_status make(struct keeper *keeper, enum store_kind kind)
{
    const struct layout *layout = &layouts[kind];
    jsErrCode code = 0;
    jsStreamConfig config;
    (void)jsStreamConfig_Init(&config);
    config.Name = layout->stream;
    config.Subjects = (const char *[]){layout->all};
    config.SubjectsLen = 1;
    config.MaxMsgsPerSubject = 1;
    config.MaxBytes = (int64_t)share(keeper, kind);
    config.Discard = layout->discard;
    config.Storage = js_FileStorage;
    config.Replicas = keeper->nats->replicas;
    config.AllowRollup = true;
    config.DenyDelete = true;
    const natsStatus status = js_AddStream(NULL, keeper->nats->js, &config, NULL, &code);
    /* Another process, which was told another capacity, has made it in between. */
    return code == JSStreamNameExistErr ? NQ_OK : judge(keeper, kind, status, code);
}

static enum nq_status ask(struct keeper *keeper, enum store_kind kind)
{
    struct bucket *bucket = &keeper->buckets[kind];
    jsErrCode code = 0;
    jsStreamInfo *info = NULL;
    const natsStatus status = js_GetStreamInfo(&info, keeper->nats->js, layouts[kind].stream, NULL, &code);
    if (status == NATS_OK) {
        bucket->bytes = info->State.Bytes;
        bucket->facts = info->State.Msgs;
        bucket->last = info->State.LastSeq;
        bucket->changed = false;
    }
    jsStreamInfo_Destroy(info);
    return judge(keeper, kind, status, code);
}

/* Begins a call about a kind: nothing is tried while there is no connection. */
static enum nq_status enter(struct keeper *keeper, enum store_kind kind)
{
    struct bucket *bucket = &keeper->buckets[kind];
    if (!nats_connected(keeper->nats))
        nats_mend(keeper->nats);
    if (!nats_connected(keeper->nats)) {
        bucket->made = false;
        return broken(keeper, "there is no connection to NATS: %s", nats_reason(keeper->nats));
    }
    if (bucket->made)
        return NQ_OK;
    enum nq_status status = ask(keeper, kind);
    if (status == NQ_NONE)
        status = make(keeper, kind);
    bucket->made = status == NQ_OK;
    return status;
}

/* Asks, for a connection says little: the server may hang, or a bucket have no leader. */
static enum nq_status nats_check(void *self)
{
    struct keeper *keeper = self;
    enum nq_status status = NQ_OK;
    for (int kind = 0; status == NQ_OK && kind < STORE_KINDS; kind++) {
        status = enter(keeper, (enum store_kind)kind);
        if (status == NQ_OK)
            status = ask(keeper, (enum store_kind)kind);
        if (status == NQ_NONE) /* it was removed since, and will be made */
            status = NQ_OK;
    }
    return status;
}

/* Whatever that comes to: the call under way does not hang on it. */
static void refresh(struct keeper *keeper)
{
    if (clock_now() - keeper->asked < FRESH_MS * CLOCK_MILLISECOND)
        return;
    for (int kind = 0; kind < STORE_KINDS; kind++)
        if (keeper->buckets[kind].changed && nats_connected(keeper->nats))
            (void)ask(keeper, (enum store_kind)kind);
    keeper->asked = clock_now();
}

static void store_nats_close(void *self)
{
    struct keeper *keeper = self;
    nats_close(keeper->nats);
    free(keeper);
}

static enum nq_status store_nats_open(const char *where, const struct store_options *options, void **self,
                                      char error[static STORE_ERROR_MAX])
{
    struct keeper *keeper = calloc(1, sizeof *keeper);
    (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
    if (!keeper)
        return NQ_NOMEM;
    keeper->capacity = options->capacity;
    const enum nq_status status = nats_open(where, &options->nats, "nqueensd store", &keeper->nats, error);
    if (status == NQ_OK)
        *self = keeper;
    else
        free(keeper);
    return status;
}

/* ---- Facts as messages ------------------------------------------------------------------------------------------- */

/* The subject of a key, for the caller to free; NULL when memory is out. */
static char *subject_of(enum store_kind kind, const char *key)
{
    struct bytes subject = {0};
    bytes_text(&subject, layouts[kind].subject);
    nats_encode(key, &subject);
    return bytes_take(&subject);
}

/* Enters for one fact: its subject is for the caller to free, whatever the status. */
static enum nq_status enter_at(struct keeper *keeper, enum store_kind kind, const char *key, char **subject)
{
    const enum nq_status status = enter(keeper, kind);
    *subject = subject_of(kind, key);
    return *subject ? status : NQ_NOMEM;
}

/* What was damaged on its way or on a disk, or put there by hand, would give a wrong number. */
static void sum_of(const char *key, const void *value, size_t size, char text[static 17])
{
    hash_hex(hash_bytes(hash_text(HASH_START, key), value, size), text);
}

/* A message without a sum is none of ours. */
static bool is_sound(struct keeper *keeper, natsMsg *message, const char *key)
{
    const char *told;
    char sum[17];
    if (natsMsgHeader_Get(message, SUM, &told) != NATS_OK)
        return false;
    sum_of(key, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message), sum);
    const bool sound = strcmp(told, sum) == 0;
    keeper->damaged += !sound;
    return sound;
}

/* Whether a fact can be there at all: otherwise it would push out all others, or be refused by the server. */
static bool fits(struct keeper *keeper, const struct store_fact *fact, const char *subject)
{
    const int64_t most = natsConnection_GetMaxPayload(keeper->nats->connection);
    const size_t length = strlen(subject);
    return length <= SUBJECT_MAX && fact->size < INT32_MAX && (int64_t)(fact->size + SPARE_BYTES) <= most &&
           fact->size + length + MESSAGE_BYTES <= share(keeper, fact->kind);
}

static enum nq_status publish(struct keeper *keeper, const struct store_fact *fact, const char *subject,
                              jsPubOptions *options)
{
    char sum[17];
    natsMsg *message = NULL;
    jsErrCode code = 0;
    if (!fits(keeper, fact, subject))
        return NQ_LIMIT;
    sum_of(fact->key, fact->value, fact->size, sum);
    natsStatus status = natsMsg_Create(&message, subject, NULL, fact->value, (int)fact->size);
    if (status == NATS_OK)
        status = natsMsgHeader_Set(message, SUM, sum);
    if (status == NATS_OK)
        status = js_PublishMsg(NULL, keeper->nats->js, message, options, &code);
    natsMsg_Destroy(message);
    keeper->buckets[fact->kind].changed = true;
    return judge(keeper, fact->kind, status, code);
}

/* Takes out what a subject, perhaps with a wildcard at its end, stands for. */
static enum nq_status purge(struct keeper *keeper, enum store_kind kind, const char *subject)
{
    jsErrCode code = 0;
    jsOptions options;
    if (strlen(subject) > SUBJECT_MAX)
        return NQ_OK; /* nothing can be there */
    (void)jsOptions_Init(&options);
    options.Wait = NATS_WAIT_MS;
    options.Stream.Purge.Subject = subject;
    const natsStatus status = js_PurgeStream(keeper->nats->js, layouts[kind].stream, &options, &code);
    keeper->buckets[kind].changed = true;
    const enum nq_status judged = judge(keeper, kind, status, code);
    return judged == NQ_NONE ? NQ_OK : judged;
}

static enum nq_status put_one(struct keeper *keeper, const struct store_fact *fact)
{
    char *subject;
    enum nq_status status = enter_at(keeper, fact->kind, fact->key, &subject);
    if (status == NQ_OK)
        status = fact->value ? publish(keeper, fact, subject, NULL) : purge(keeper, fact->kind, subject);
    free(subject);
    return status;
}

static enum nq_status nats_put(void *self, const struct store_fact *facts, size_t count)
{
    struct keeper *keeper = self;
    enum nq_status status = NQ_OK;
    for (size_t i = 0; status == NQ_OK && i < count; i++)
        status = put_one(keeper, &facts[i]);
    if (status == NQ_OK)
        refresh(keeper);
    return status;
}

static enum nq_status last_message(struct keeper *keeper, enum store_kind kind, const char *subject, natsMsg **message)
{
    jsErrCode code = 0;
    if (strlen(subject) > SUBJECT_MAX)
        return NQ_NONE;
    const natsStatus status = js_GetLastMsg(message, keeper->nats->js, layouts[kind].stream, subject, NULL, &code);
    return judge(keeper, kind, status, code);
}

/* What is there, to be replaced. A cluster before 2.11 heeds the number of a subject's last message only as far as it
 * has come: of two on their way at the same time it may take both. The stream's it heeds in any case. So that is asked
 * for, and then what was there when it was so; which nobody needs where there is nothing. */
static enum nq_status message_to_replace(struct keeper *keeper, enum store_kind kind, const char *subject,
                                         natsMsg **message)
{
    enum nq_status status = last_message(keeper, kind, subject, message);
    if (status != NQ_OK)
        return status;
    natsMsg_Destroy(*message);
    *message = NULL;
    status = ask(keeper, kind);
    return status == NQ_OK ? last_message(keeper, kind, subject, message) : status;
}

/* Writes in place of what is there, be it a fact or not; NQ_AGAIN: it is there no more. */
static enum nq_status replace(struct keeper *keeper, const struct store_fact *fact, const char *subject,
                              natsMsg *former)
{
    jsPubOptions expected;
    (void)jsPubOptions_Init(&expected);
    expected.ExpectNoMessage = !former;
    expected.ExpectLastSubjectSeq = former ? natsMsg_GetSequence(former) : 0;
    expected.ExpectLastSeq = former ? keeper->buckets[fact->kind].last : 0;
    const enum nq_status status = publish(keeper, fact, subject, &expected);
    return status == NQ_DENIED ? NQ_AGAIN : status;
}

static enum nq_status try_to_amend(struct keeper *keeper, enum store_kind kind, const char *key, const char *subject,
                                   store_change *change, void *context)
{
    natsMsg *former = NULL;
    struct bytes next = {0};
    enum nq_status status = message_to_replace(keeper, kind, subject, &former);
    if (status != NQ_OK && status != NQ_NONE)
        return status;
    const bool sound = former && is_sound(keeper, former, key);
    const size_t size = sound ? (size_t)natsMsg_GetDataLength(former) : 0;
    status = change(context, key, size ? natsMsg_GetData(former) : sound ? "" : NULL, size, &next);
    const struct store_fact fact = {.kind = kind, .key = key, .value = next.data ? next.data : "", .size = next.size};
    if (status == NQ_OK)
        status = next.failed ? NQ_NOMEM : replace(keeper, &fact, subject, former);
    natsMsg_Destroy(former);
    bytes_free(&next);
    return status;
}

static enum nq_status nats_amend(void *self, enum store_kind kind, const char *key, store_change *change, void *context)
{
    struct keeper *keeper = self;
    char *subject;
    enum nq_status status = enter_at(keeper, kind, key, &subject);
    if (status == NQ_OK)
        status = NQ_AGAIN;
    for (int i = 0; i < TRIES && status == NQ_AGAIN; i++)
        status = try_to_amend(keeper, kind, key, subject, change, context);
    free(subject);
    if (status == NQ_AGAIN)
        return broken(keeper, "others change the same fact in NATS again and again");
    if (status == NQ_OK)
        refresh(keeper);
    return status;
}

/* Without looking first: nearly always there is nothing. */
static enum nq_status nats_add(void *self, const struct store_fact *fact)
{
    struct keeper *keeper = self;
    char *subject;
    enum nq_status status = enter_at(keeper, fact->kind, fact->key, &subject);
    if (status == NQ_OK)
        status = replace(keeper, fact, subject, NULL);
    free(subject);
    if (status == NQ_OK)
        refresh(keeper);
    return status;
}

/* From the stream's leader, who has all that anybody was told is there. */
static enum nq_status nats_get(void *self, enum store_kind kind, const char *key, struct bytes *value)
{
    struct keeper *keeper = self;
    natsMsg *message = NULL;
    char *subject;
    enum nq_status status = enter_at(keeper, kind, key, &subject);
    if (status == NQ_OK)
        status = last_message(keeper, kind, subject, &message);
    if (status == NQ_OK && !is_sound(keeper, message, key))
        status = NQ_NONE;
    if (status == NQ_OK)
        bytes_add(value, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    natsMsg_Destroy(message);
    free(subject);
    return value->failed ? NQ_NOMEM : status;
}

/* ---- Many facts -------------------------------------------------------------------------------------------------- */

/* Which subjects the keys with a prefix have. `all` stands for them and perhaps for others. Where the prefix ends with
 * the border of a token it is for no others, and it is not for the prefix itself as a key, which would end with an
 * empty token: that has a subject of its `own`, NULL in any other case. */
struct range {
    char *all, *own;
};

/* The subject, with a wildcard, of all keys that begin with so much and have more; NULL when no token ends there, or
 * memory is out. */
static char *wildcard(enum store_kind kind, const char *prefix, size_t size)
{
    struct bytes longer = {0};
    bytes_add(&longer, prefix, size);
    bytes_char(&longer, 'x');
    char *key = bytes_take(&longer), *subject = key ? subject_of(kind, key) : NULL;
    const size_t end = subject ? strlen(subject) : 0;
    free(key);
    if (!subject || subject[end - 2] != '.') {
        free(subject);
        return NULL;
    }
    subject[end - 1] = '>';
    return subject;
}

/* False: memory is out. A wildcard that is not had for want of it is a wider one: what it lets in is looked at. */
static bool range_open(enum store_kind kind, const char *prefix, struct range *range)
{
    const size_t whole = strlen(prefix);
    *range = (struct range){.all = NULL};
    for (size_t size = whole; size && !range->all; size--)
        if (prefix[size - 1] == '#' && (range->all = wildcard(kind, prefix, size)) && size == whole &&
            !(range->own = subject_of(kind, prefix)))
            return false;
    if (!range->all)
        range->all = strdup(layouts[kind].all);
    return range->all;
}

static void range_close(struct range *range)
{
    free(range->all);
    free(range->own);
}

struct found {
    char *key;
    natsMsg *message;
    uint64_t sequence;
};

struct finding {
    const char *prefix;
    size_t skip;   /* of a subject, before that of a key */
    uint64_t seen; /* messages of the consumer, facts or not */
    struct found *list;
    size_t count, room;
};

static void finding_close(struct finding *finding)
{
    for (size_t i = 0; i < finding->count; i++) {
        free(finding->list[i].key);
        natsMsg_Destroy(finding->list[i].message);
    }
    free(finding->list);
}

/* Takes a message over; false: memory is out. */
static bool take(struct finding *finding, natsMsg *message, uint64_t sequence)
{
    struct bytes text = {0};
    const char *subject = natsMsg_GetSubject(message);
    const bool named = strlen(subject) > finding->skip && nats_decode(subject + finding->skip, &text);
    bool kept = !text.failed;
    char *key = named ? bytes_take(&text) : NULL;
    if (finding->count == finding->room) {
        const size_t room = 2 * finding->room + 16;
        struct found *list = realloc(finding->list, room * sizeof *list);
        kept = kept && list;
        finding->list = list ? list : finding->list;
        finding->room = list ? room : finding->room;
    }
    if (kept && key && strncmp(key, finding->prefix, strlen(finding->prefix)) == 0) {
        finding->list[finding->count++] = (struct found){key, message, sequence};
        return true;
    }
    bytes_free(&text);
    natsMsg_Destroy(message);
    free(key);
    return kept && (key || !named);
}

/* One message: NQ_AGAIN, or NQ_OK when it was the last. */
static enum nq_status take_next(struct keeper *keeper, struct finding *finding, natsMsg *message)
{
    jsMsgMetaData *data = NULL;
    if (natsMsg_GetMetaData(&data, message) != NATS_OK) {
        natsMsg_Destroy(message);
        return broken(keeper, "NATS sent what it was not asked for");
    }
    const jsMsgMetaData got = *data;
    jsMsgMetaData_Destroy(data);
    if (got.Sequence.Consumer != ++finding->seen) {
        natsMsg_Destroy(message);
        return broken(keeper, "a message from NATS was lost on its way");
    }
    if (!take(finding, message, got.Sequence.Stream))
        return NQ_NOMEM;
    return got.NumPending ? NQ_AGAIN : NQ_OK;
}

/* Whether there are messages to come: those that were may have been taken out since. NQ_AGAIN, or NQ_OK: none. */
static enum nq_status look_ahead(struct keeper *keeper, enum store_kind kind, const struct finding *finding,
                                 natsSubscription *subscription)
{
    jsConsumerInfo *info = NULL;
    jsErrCode code = 0;
    const natsStatus status = natsSubscription_GetConsumerInfo(&info, subscription, NULL, &code);
    const bool all = status == NATS_OK && info->NumPending == 0 && info->Delivered.Consumer <= finding->seen;
    jsConsumerInfo_Destroy(info);
    const enum nq_status judged = judge(keeper, kind, status, code);
    if (judged == NQ_NONE)
        return broken(keeper, "NATS has forgotten who reads");
    return judged == NQ_OK && !all ? NQ_AGAIN : judged;
}

static enum nq_status read_all(struct keeper *keeper, enum store_kind kind, struct finding *finding,
                               natsSubscription *subscription)
{
    enum nq_status status = look_ahead(keeper, kind, finding, subscription);
    uint64_t heard = clock_now();
    while (status == NQ_AGAIN) {
        natsMsg *message = NULL;
        const natsStatus next = natsSubscription_NextMsg(&message, subscription, LOOK_MS);
        if (next == NATS_OK) {
            status = take_next(keeper, finding, message);
            heard = clock_now();
        } else if (next != NATS_TIMEOUT) {
            status = judge(keeper, kind, next, 0);
        } else if (!nats_connected(keeper->nats) || clock_now() - heard > NATS_WAIT_MS * CLOCK_MILLISECOND) {
            status = judge(keeper, kind, NATS_TIMEOUT, 0);
        } else {
            status = look_ahead(keeper, kind, finding, subscription);
        }
    }
    return status;
}

static enum nq_status find_all(struct keeper *keeper, enum store_kind kind, const char *subject, bool keys_only,
                               struct finding *finding)
{
    natsSubscription *subscription = NULL;
    jsErrCode code = 0;
    jsSubOptions options;
    nats_consumer(&options, layouts[kind].stream, BEAT_MS);
    options.Config.HeadersOnly = keys_only;
    const natsStatus status = js_SubscribeSync(&subscription, keeper->nats->js, subject, NULL, &options, &code);
    if (status == NATS_OK)
        (void)natsSubscription_SetPendingLimits(subscription, -1, -1);
    enum nq_status judged = judge(keeper, kind, status, code);
    if (judged == NQ_OK)
        judged = read_all(keeper, kind, finding, subscription);
    if (subscription)
        (void)natsSubscription_Unsubscribe(subscription); /* now, not when the server finds that nobody listens */
    natsSubscription_Destroy(subscription);
    return judged == NQ_NONE ? NQ_OK : judged; /* there is no such bucket any more */
}

static enum nq_status find_own(struct keeper *keeper, enum store_kind kind, const char *subject,
                               struct finding *finding)
{
    natsMsg *message = NULL;
    const enum nq_status status = last_message(keeper, kind, subject, &message);
    if (status != NQ_OK)
        return status == NQ_NONE ? NQ_OK : status;
    return take(finding, message, natsMsg_GetSequence(message)) ? NQ_OK : NQ_NOMEM;
}

/* What was written again meanwhile is there several times, the last one last. */
static int compare(const void *a, const void *b)
{
    const struct found *left = a, *right = b;
    const int keys = strcmp(left->key, right->key);
    return keys ? keys : (left->sequence > right->sequence) - (left->sequence < right->sequence);
}

static enum nq_status find(struct keeper *keeper, enum store_kind kind, const struct range *range, bool keys_only,
                           struct finding *finding)
{
    enum nq_status status = NQ_OK;
    finding->skip = strlen(layouts[kind].subject);
    if (strlen(range->all) <= SUBJECT_MAX)
        status = find_all(keeper, kind, range->all, keys_only, finding);
    if (status == NQ_OK && range->own)
        status = find_own(keeper, kind, range->own, finding);
    if (status == NQ_OK && finding->count)
        qsort(finding->list, finding->count, sizeof *finding->list, compare);
    return status;
}

static bool is_latest(const struct finding *finding, size_t i)
{
    return i + 1 == finding->count || strcmp(finding->list[i].key, finding->list[i + 1].key) != 0;
}

static enum nq_status nats_each(void *self, enum store_kind kind, const char *prefix, store_visit *visit, void *context)
{
    struct finding finding = {.prefix = prefix};
    struct range range;
    enum nq_status status = enter(self, kind);
    if (!range_open(kind, prefix, &range))
        status = NQ_NOMEM;
    if (status == NQ_OK)
        status = find(self, kind, &range, false, &finding);
    bool on = status == NQ_OK;
    for (size_t i = 0; on && i < finding.count; i++) {
        const struct found *at = &finding.list[i];
        if (is_latest(&finding, i) && is_sound(self, at->message, at->key))
            on = visit(context, at->key, natsMsg_GetData(at->message), (size_t)natsMsg_GetDataLength(at->message));
    }
    finding_close(&finding);
    range_close(&range);
    return status;
}

/* Where no subject stands for all of them, key by key. */
static enum nq_status purge_found(struct keeper *keeper, enum store_kind kind, const char *prefix,
                                  const struct range *range)
{
    struct finding finding = {.prefix = prefix};
    enum nq_status status = find(keeper, kind, range, true, &finding);
    for (size_t i = 0; status == NQ_OK && i < finding.count; i++)
        if (is_latest(&finding, i))
            status = purge(keeper, kind, natsMsg_GetSubject(finding.list[i].message));
    finding_close(&finding);
    return status;
}

static enum nq_status nats_delete_prefix(void *self, enum store_kind kind, const char *prefix)
{
    struct keeper *keeper = self;
    struct range range;
    enum nq_status status = enter(keeper, kind);
    if (!range_open(kind, prefix, &range))
        status = NQ_NOMEM;
    if (status == NQ_OK && *prefix && !range.own)
        status = purge_found(keeper, kind, prefix, &range);
    else if (status == NQ_OK)
        status = purge(keeper, kind, range.all);
    if (status == NQ_OK && range.own)
        status = purge(keeper, kind, range.own);
    range_close(&range);
    if (status == NQ_OK)
        refresh(keeper);
    return status;
}

static struct store_figures nats_figures(const void *self)
{
    const struct keeper *keeper = self;
    struct store_figures figures = {.damaged = keeper->damaged};
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        figures.bytes += keeper->buckets[kind].bytes;
        figures.facts += keeper->buckets[kind].facts;
    }
    return figures;
}

static const char *nats_trouble(const void *self)
{
    const struct keeper *keeper = self;
    return keeper->trouble;
}

const struct store_class store_nats = {
    .name = "nats",
    .summary = "in NATS JetStream: shared by all who use it",
    .where = "URL[,URL...]",
    .open = store_nats_open,
    .put = nats_put,
    .amend = nats_amend,
    .add = nats_add,
    .get = nats_get,
    .each = nats_each,
    .delete_prefix = nats_delete_prefix,
    .check = nats_check,
    .figures = nats_figures,
    .trouble = nats_trouble,
    .close = store_nats_close,
};
