/* nats_scan.c - reads many facts by a consumer that is gone with the call. */
#include "stores/nats_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"

enum {
    BEAT_MS = 1000, /* between two heartbeats of a consumer */
    LOOK_MS = 100,  /* to wait for a message before asking whether one is to come */
};

/* The subject, with a wildcard, of all keys that begin with so much and have more; NULL when no token ends there, or
 * memory is out. */
static char *wildcard(enum store_kind kind, const char *prefix, size_t size)
{
    struct bytes longer = {0};
    bytes_add(&longer, prefix, size);
    bytes_char(&longer, 'x');
    char *key = bytes_take(&longer), *subject = key ? bucket_subject(kind, key) : NULL;
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
bool subjects_open(enum store_kind kind, const char *prefix, struct subjects *subjects)
{
    const size_t whole = strlen(prefix);
    *subjects = (struct subjects){.all = NULL};
    for (size_t size = whole; size && !subjects->all; size--)
        if (prefix[size - 1] == '#' && (subjects->all = wildcard(kind, prefix, size)) && size == whole &&
            !(subjects->own = bucket_subject(kind, prefix)))
            return false;
    if (!subjects->all)
        subjects->all = strdup(bucket_layouts[kind].all);
    return subjects->all;
}

void subjects_close(struct subjects *subjects)
{
    free(subjects->all);
    free(subjects->own);
}

/* Takes a message over; false: memory is out. */
static bool take(struct finding *finding, natsMsg *message, uint64_t sequence)
{
    struct bytes text = {0};
    const char *subject = natsMsg_GetSubject(message);
    const bool named = strlen(subject) > finding->skip && nats_decode(subject + finding->skip, &text);
    bool kept = !text.failed;
    char *key = named ? bytes_take(&text) : NULL;
    struct found *list = grow_array(finding->list, finding->count, &finding->room, sizeof *list);
    kept = kept && list;
    finding->list = list ? list : finding->list;
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
static enum nq_status take_next(struct nats_store *store, struct finding *finding, natsMsg *message)
{
    jsMsgMetaData *data = NULL;
    if (natsMsg_GetMetaData(&data, message) != NATS_OK) {
        natsMsg_Destroy(message);
        return bucket_broken(store, "NATS sent what it was not asked for");
    }
    const jsMsgMetaData got = *data;
    jsMsgMetaData_Destroy(data);
    if (got.Sequence.Consumer != ++finding->seen) {
        natsMsg_Destroy(message);
        return bucket_broken(store, "a message from NATS was lost on its way");
    }
    if (!take(finding, message, got.Sequence.Stream))
        return NQ_NOMEM;
    return got.NumPending ? NQ_AGAIN : NQ_OK;
}

/* Whether there are messages to come: those that were may have been taken out since. NQ_AGAIN, or NQ_OK: none. */
static enum nq_status look_ahead(struct nats_store *store, enum store_kind kind, const struct finding *finding,
                                 natsSubscription *subscription)
{
    jsConsumerInfo *info = NULL;
    jsErrCode code = 0;
    const natsStatus status = natsSubscription_GetConsumerInfo(&info, subscription, NULL, &code);
    const bool all = status == NATS_OK && info->NumPending == 0 && info->Delivered.Consumer <= finding->seen;
    jsConsumerInfo_Destroy(info);
    const enum nq_status judged = bucket_judge(store, kind, status, code);
    if (judged == NQ_NONE)
        return bucket_broken(store, "NATS has forgotten who reads");
    return judged == NQ_OK && !all ? NQ_AGAIN : judged;
}

static enum nq_status read_all(struct nats_store *store, enum store_kind kind, struct finding *finding,
                               natsSubscription *subscription)
{
    enum nq_status status = look_ahead(store, kind, finding, subscription);
    uint64_t last = clock_now();
    while (status == NQ_AGAIN) {
        natsMsg *message = NULL;
        const natsStatus next = natsSubscription_NextMsg(&message, subscription, LOOK_MS);
        if (next == NATS_OK) {
            status = take_next(store, finding, message);
            last = clock_now();
        } else if (next != NATS_TIMEOUT) {
            status = bucket_judge(store, kind, next, 0);
        } else if (!nats_connected(store->nats) || clock_now() - last > store->nats->wait_ms * CLOCK_MILLISECOND) {
            status = bucket_judge(store, kind, NATS_TIMEOUT, 0);
        } else {
            status = look_ahead(store, kind, finding, subscription);
        }
    }
    return status;
}

static enum nq_status find_all(struct nats_store *store, enum store_kind kind, const char *subject, bool keys_only,
                               struct finding *finding)
{
    natsSubscription *subscription = NULL;
    jsErrCode code = 0;
    jsSubOptions options;
    nats_consumer(&options, bucket_layouts[kind].stream, BEAT_MS);
    options.Config.HeadersOnly = keys_only;
    const natsStatus status = js_SubscribeSync(&subscription, store->nats->js, subject, NULL, &options, &code);
    if (status == NATS_OK)
        (void)natsSubscription_SetPendingLimits(subscription, -1, -1);
    enum nq_status judged = bucket_judge(store, kind, status, code);
    if (judged == NQ_OK)
        judged = read_all(store, kind, finding, subscription);
    if (subscription)
        (void)natsSubscription_Unsubscribe(subscription); /* at once, not when the server notices */
    natsSubscription_Destroy(subscription);
    return judged == NQ_NONE ? NQ_OK : judged; /* there is no such bucket any more */
}

static enum nq_status find_own(struct nats_store *store, enum store_kind kind, const char *subject,
                               struct finding *finding)
{
    natsMsg *message = NULL;
    const enum nq_status status = bucket_last_message(store, kind, subject, &message);
    if (status != NQ_OK)
        return status == NQ_NONE ? NQ_OK : status;
    return take(finding, message, natsMsg_GetSequence(message)) ? NQ_OK : NQ_NOMEM;
}

/* By key, and the latest first. */
static int compare(const void *a, const void *b)
{
    const struct found *left = a, *right = b;
    const int keys = strcmp(left->key, right->key);
    return keys ? keys : (left->sequence < right->sequence) - (left->sequence > right->sequence);
}

static void found_free(struct found *found)
{
    free(found->key);
    natsMsg_Destroy(found->message);
}

/* Sorts, and keeps the latest of the messages of a key that was written again meanwhile. */
static void sort(struct finding *finding)
{
    const size_t count = finding->count;
    if (!count)
        return;
    qsort(finding->list, count, sizeof *finding->list, compare);
    finding->count = 1;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(finding->list[finding->count - 1].key, finding->list[i].key) == 0)
            found_free(&finding->list[i]);
        else
            finding->list[finding->count++] = finding->list[i];
    }
}

enum nq_status nats_find(struct nats_store *store, enum store_kind kind, const struct subjects *subjects,
                         bool keys_only, struct finding *finding)
{
    enum nq_status status = NQ_OK;
    finding->skip = strlen(bucket_layouts[kind].subject);
    if (strlen(subjects->all) <= NATS_SUBJECT_MAX)
        status = find_all(store, kind, subjects->all, keys_only, finding);
    if (status == NQ_OK && subjects->own)
        status = find_own(store, kind, subjects->own, finding);
    if (status == NQ_OK)
        sort(finding);
    return status;
}

void finding_close(struct finding *finding)
{
    for (size_t i = 0; i < finding->count; i++)
        found_free(&finding->list[i]);
    free(finding->list);
}
