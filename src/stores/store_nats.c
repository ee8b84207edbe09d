/* store_nats.c - a store in NATS JetStream that any number of processes share: a bucket for each kind, laid out so that
 * NATS's own tools for key-value buckets can read it. It knows no threads: its caller makes one call at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stores/nats_scan.h"

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
    if (status == NQ_OK)
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
    if (status == NQ_OK)
        bucket_refresh(store);
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

static enum nq_status nats_look(void *self, enum store_kind kind, const char *key, struct bytes *value,
                                struct store_version *version)
{
    struct nats_store *store = self;
    natsMsg *former = NULL;
    char *subject;
    uint64_t last = 0;
    enum nq_status status = enter_at(store, kind, key, &subject);
    *version = (struct store_version){0};
    if (status == NQ_OK)
        status = message_to_replace(store, kind, subject, &former, &last);
    if (status == NQ_OK) {
        *version = (struct store_version){.last = last, .former = natsMsg_GetSequence(former)};
        if (bucket_is_sound(store, former, key))
            bytes_add(value, natsMsg_GetData(former), (size_t)natsMsg_GetDataLength(former));
        else
            status = NQ_NONE;
    }
    natsMsg_Destroy(former);
    free(subject);
    return value->failed ? NQ_NOMEM : status;
}

static enum nq_status nats_replace(void *self, const struct store_fact *fact, const struct store_version *version)
{
    struct nats_store *store = self;
    jsPubOptions expected;
    char *subject;
    enum nq_status status = enter_at(store, fact->kind, fact->key, &subject);
    (void)jsPubOptions_Init(&expected);
    expected.ExpectNoMessage = !version->former;
    expected.ExpectLastSubjectSeq = version->former;
    expected.ExpectLastSeq = version->last;
    if (status == NQ_OK)
        status = bucket_publish(store, fact, subject, &expected);
    free(subject);
    if (status == NQ_OK)
        bucket_refresh(store);
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
    struct finding finding = {.prefix = prefix};
    struct subjects subjects;
    enum nq_status status = bucket_enter(self, kind);
    if (!subjects_open(kind, prefix, &subjects))
        status = NQ_NOMEM;
    if (status == NQ_OK)
        status = nats_find(self, kind, &subjects, false, &finding);
    bool on = status == NQ_OK;
    for (size_t i = 0; on && i < finding.count; i++) {
        const struct found *at = &finding.list[i];
        if (bucket_is_sound(self, at->message, at->key))
            on = visit(context, at->key, natsMsg_GetData(at->message), (size_t)natsMsg_GetDataLength(at->message));
    }
    finding_close(&finding);
    subjects_close(&subjects);
    return status;
}

/* Where no subject stands for all of them, key by key. */
static enum nq_status purge_found(struct nats_store *store, enum store_kind kind, const char *prefix,
                                  const struct subjects *subjects)
{
    struct finding finding = {.prefix = prefix};
    enum nq_status status = nats_find(store, kind, subjects, true, &finding);
    for (size_t i = 0; status == NQ_OK && i < finding.count; i++)
        status = bucket_purge(store, kind, natsMsg_GetSubject(finding.list[i].message));
    finding_close(&finding);
    return status;
}

static enum nq_status nats_delete_prefix(void *self, enum store_kind kind, const char *prefix)
{
    struct nats_store *store = self;
    struct subjects subjects;
    enum nq_status status = bucket_enter(store, kind);
    if (!subjects_open(kind, prefix, &subjects))
        status = NQ_NOMEM;
    if (status == NQ_OK && *prefix && !subjects.own)
        status = purge_found(store, kind, prefix, &subjects);
    else if (status == NQ_OK)
        status = bucket_purge(store, kind, subjects.all);
    if (status == NQ_OK && subjects.own)
        status = bucket_purge(store, kind, subjects.own);
    subjects_close(&subjects);
    if (status == NQ_OK)
        bucket_refresh(store);
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
    .look = nats_look,
    .replace = nats_replace,
    .get = nats_get,
    .each = nats_each,
    .delete_prefix = nats_delete_prefix,
    .check = nats_check,
    .stats = nats_stats,
    .trouble = nats_trouble,
    .close = store_nats_close,
};
