/* ledger.c - a queue of facts between whoever finds them and the one thread that stores them. What waits is written in
 * batches, in order: whatever is one transaction in the store was put in one go or shortly one after the other. */
#include "engine/ledger.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 256 };

/* How long facts may lie to be written together, and how long a broken store is left alone. */
enum { GATHER_MS = 50, RETRY_MS = 250 };

/* A fact on its way, or a prefix to be forgotten. */
struct entry {
    struct entry *next;
    struct store_fact fact;
    bool drop;
    size_t size; /* of all of it */
    char text[];
};

/* Somebody to be told when an entry is stored. */
struct notice {
    struct notice *next;
    uint64_t put;
    void (*notify)(void *who);
    void *who;
};

struct ledger {
    struct store *store;
    ledger_trouble trouble;
    void *who;
    size_t most;
    pthread_t thread;
    pthread_mutex_t lock;   /* guards all below; never held while the store works */
    pthread_cond_t news;    /* for the thread */
    pthread_cond_t settled; /* for those who sync */
    struct entry *head, **tail;
    size_t bytes;
    uint64_t put,
        gone;         /* entries ever put, and those that are stored: what was put by now is stored when gone >= put */
    unsigned syncing; /* how many wait: no gathering then */
    struct notice *notices;
    size_t singly; /* entries to be written one by one */
    bool closing, ended;
    struct ledger_figures figures;
};

/* Waits for so many milliseconds, unless somebody is in a hurry. Under the lock. A broken store is not hurried. */
static void wait_ms(struct ledger *ledger, unsigned milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int timeout = 0;
    while (!timeout && !ledger->closing && (ledger->figures.broken || !(ledger->syncing || ledger->notices)))
        timeout = pthread_cond_timedwait(&ledger->news, &ledger->lock, &until);
}

/* How many of the first entries can be written at once: facts in a row, or one prefix to be forgotten. */
static size_t gather(const struct ledger *ledger, struct store_fact facts[static BATCH])
{
    size_t count = 0;
    for (const struct entry *entry = ledger->head; entry && !entry->drop && count < BATCH; entry = entry->next)
        facts[count++] = entry->fact;
    return count;
}

static enum nq_status write_batch(struct ledger *ledger, const struct store_fact *facts, size_t count,
                                  const struct entry *drop)
{
    if (!count)
        return store_delete_prefix(ledger->store, drop->fact.kind, drop->fact.key);
    return store_put(ledger->store, facts, count);
}

/* Under the lock: the first entries are done with. */
static void release(struct ledger *ledger, size_t count)
{
    for (struct entry *entry; count && (entry = ledger->head); count--) {
        ledger->head = entry->next;
        if (!ledger->head)
            ledger->tail = &ledger->head;
        ledger->bytes -= entry->size;
        ledger->figures.waiting--;
        ledger->gone++;
        free(entry);
    }
}

/* Under the lock, which it leaves while the store works: one batch. When the store has no room for all of it, its facts
 * are written one by one: what is too large is lost, and nothing else. */
static void write_some(struct ledger *ledger)
{
    struct store_fact facts[BATCH];
    size_t count = gather(ledger, facts);
    if (ledger->singly && count > 1)
        count = 1;
    const struct entry *first = ledger->head; /* only this thread takes entries off */
    pthread_mutex_unlock(&ledger->lock);
    const enum nq_status status = write_batch(ledger, facts, count, first);
    const bool broken = status != NQ_OK && status != NQ_LIMIT;
    pthread_mutex_lock(&ledger->lock);
    if (status == NQ_OK)
        ledger->figures.written += count;
    else if (status == NQ_LIMIT && count == 1)
        ledger->figures.lost++;
    if (status == NQ_LIMIT && count > 1)
        ledger->singly = count;
    else if (ledger->singly && !broken)
        ledger->singly--;
    if (!broken && !(status == NQ_LIMIT && count > 1))
        release(ledger, count ? count : 1);
    const bool turned = broken != ledger->figures.broken;
    ledger->figures.broken = broken;
    pthread_cond_broadcast(&ledger->settled);
    if (turned) {
        pthread_mutex_unlock(&ledger->lock);
        ledger->trouble(ledger->who, broken);
        pthread_mutex_lock(&ledger->lock);
    }
}

/* Under the lock, which it leaves meanwhile: tells those whose time has come; all of them when nothing more will. */
static void notify_all(struct ledger *ledger, bool end)
{
    struct notice *ready = NULL;
    for (struct notice **at = &ledger->notices; *at;) {
        struct notice *notice = *at;
        if (!end && ledger->gone < notice->put && !ledger->figures.broken) {
            at = &notice->next;
            continue;
        }
        *at = notice->next;
        notice->next = ready;
        ready = notice;
    }
    if (!ready)
        return;
    pthread_mutex_unlock(&ledger->lock);
    while (ready) {
        struct notice *notice = ready;
        ready = notice->next;
        notice->notify(notice->who);
        free(notice);
    }
    pthread_mutex_lock(&ledger->lock);
}

static void *keep(void *arg)
{
    struct ledger *ledger = arg;
    pthread_mutex_lock(&ledger->lock);
    while (ledger->head || !ledger->closing) {
        if (!ledger->head && !ledger->notices)
            pthread_cond_wait(&ledger->news, &ledger->lock);
        notify_all(ledger, false); /* a broken store is waited for by nobody */
        if (ledger->head)
            wait_ms(ledger, ledger->figures.broken ? RETRY_MS : GATHER_MS);
        if (ledger->head)
            write_some(ledger);
        notify_all(ledger, false);
        if (ledger->figures.broken && ledger->closing)
            break; /* it was tried once more */
    }
    ledger->ended = true; /* nobody is put on the list any more */
    pthread_cond_broadcast(&ledger->settled);
    notify_all(ledger, true);
    pthread_mutex_unlock(&ledger->lock);
    return NULL;
}

struct ledger *ledger_new(struct store *store, size_t most, ledger_trouble trouble, void *who)
{
    struct ledger *ledger = calloc(1, sizeof *ledger);
    pthread_condattr_t monotonic;
    if (!ledger)
        return NULL;
    *ledger = (struct ledger){.store = store, .most = most, .trouble = trouble, .who = who};
    ledger->tail = &ledger->head;
    pthread_mutex_init(&ledger->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&ledger->news, &monotonic);
    pthread_cond_init(&ledger->settled, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&ledger->thread, NULL, keep, ledger) == 0)
        return ledger;
    pthread_cond_destroy(&ledger->settled);
    pthread_cond_destroy(&ledger->news);
    pthread_mutex_destroy(&ledger->lock);
    free(ledger);
    return NULL;
}

void ledger_close(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->lock);
    ledger->closing = true;
    pthread_cond_signal(&ledger->news);
    pthread_mutex_unlock(&ledger->lock);
    pthread_join(ledger->thread, NULL);
}

void ledger_free(struct ledger *ledger)
{
    release(ledger, ledger->figures.waiting); /* the store would not have them */
    pthread_cond_destroy(&ledger->settled);
    pthread_cond_destroy(&ledger->news);
    pthread_mutex_destroy(&ledger->lock);
    free(ledger);
}

static bool add(struct ledger *ledger, enum store_kind kind, const char *key, const char *value, bool drop)
{
    const size_t key_size = strlen(key) + 1, value_size = value ? strlen(value) : 0;
    struct entry *entry = malloc(sizeof *entry + key_size + value_size);
    pthread_mutex_lock(&ledger->lock);
    const size_t size = sizeof *entry + key_size + value_size;
    const bool added = entry && ledger->bytes + size <= ledger->most;
    if (added) {
        memcpy(entry->text, key, key_size); /* with its NUL */
        if (value_size)
            memcpy(entry->text + key_size, value, value_size); /* NOLINT(bugprone-not-null-terminated-result): sized */
        entry->next = NULL;
        entry->drop = drop;
        entry->size = size;
        entry->fact = (struct store_fact){
            .kind = kind, .key = entry->text, .value = value ? entry->text + key_size : NULL, .size = value_size};
        *ledger->tail = entry;
        ledger->tail = &entry->next;
        ledger->bytes += size;
        ledger->put++;
        ledger->figures.waiting++;
        pthread_cond_signal(&ledger->news);
    } else {
        ledger->figures.lost++;
    }
    pthread_mutex_unlock(&ledger->lock);
    if (!added)
        free(entry);
    return added;
}

bool ledger_put(struct ledger *ledger, enum store_kind kind, const char *key, const char *value)
{
    return add(ledger, kind, key, value, false);
}

void ledger_drop(struct ledger *ledger, enum store_kind kind, const char *prefix)
{
    (void)add(ledger, kind, prefix, NULL, true);
}

bool ledger_sync(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->lock);
    const uint64_t mine = ledger->put;
    ledger->syncing++;
    pthread_cond_signal(&ledger->news);
    while (ledger->gone < mine && !ledger->figures.broken && !ledger->ended)
        pthread_cond_wait(&ledger->settled, &ledger->lock);
    ledger->syncing--;
    const bool stored = ledger->gone >= mine;
    pthread_mutex_unlock(&ledger->lock);
    return stored;
}

bool ledger_notify(struct ledger *ledger, void (*notify)(void *who), void *who)
{
    struct notice *notice = malloc(sizeof *notice);
    if (!notice)
        return false;
    pthread_mutex_lock(&ledger->lock);
    const bool ended = ledger->ended;
    *notice = (struct notice){.next = ledger->notices, .put = ledger->put, .notify = notify, .who = who};
    if (!ended)
        ledger->notices = notice;
    pthread_cond_signal(&ledger->news);
    pthread_mutex_unlock(&ledger->lock);
    if (ended) {
        free(notice);
        notify(who);
    }
    return true;
}

/* ---- Reading: the store first, then what still waits, which is younger ---- */

static bool concerns(const struct entry *entry, enum store_kind kind, const char *key)
{
    if (entry->fact.kind != kind)
        return false;
    return entry->drop ? strncmp(key, entry->fact.key, strlen(entry->fact.key)) == 0
                       : strcmp(key, entry->fact.key) == 0;
}

enum nq_status ledger_get(struct ledger *ledger, enum store_kind kind, const char *key, struct bytes *value)
{
    if (ledger_sync(ledger))
        return store_get(ledger->store, kind, key, value);
    const struct entry *last = NULL;
    enum nq_status status = NQ_NONE;
    pthread_mutex_lock(&ledger->lock);
    for (const struct entry *entry = ledger->head; entry; entry = entry->next)
        if (concerns(entry, kind, key))
            last = entry;
    const bool found = last;
    if (found && last->fact.value) {
        bytes_add(value, last->fact.value, last->fact.size);
        status = NQ_OK;
    }
    pthread_mutex_unlock(&ledger->lock);
    return found ? status : store_get(ledger->store, kind, key, value);
}

/* Under the lock: whether something that waits, from an entry on, says anything about a key. */
static bool changed(const struct entry *entry, enum store_kind kind, const char *key)
{
    while (entry && !concerns(entry, kind, key))
        entry = entry->next;
    return entry;
}

struct reading {
    ledger_reader read;
    void *context;
};

static bool read_stored(void *context, const char *key, const void *value, size_t size)
{
    const struct reading *reading = context;
    reading->read(reading->context, key, value, size);
    return true;
}

enum nq_status ledger_each(struct ledger *ledger, enum store_kind kind, const char *prefix, ledger_reader read,
                           void *context)
{
    struct reading reading = {.read = read, .context = context};
    if (ledger_sync(ledger))
        return store_each(ledger->store, kind, prefix, read_stored, &reading);
    pthread_mutex_lock(&ledger->lock);
    for (const struct entry *entry = ledger->head; entry; entry = entry->next) {
        const struct store_fact *fact = &entry->fact;
        if (fact->kind == kind && fact->value && strncmp(fact->key, prefix, strlen(prefix)) == 0 &&
            !changed(entry->next, kind, fact->key))
            read(context, fact->key, fact->value, fact->size);
    }
    pthread_mutex_unlock(&ledger->lock);
    return NQ_BROKEN;
}

struct ledger_figures ledger_figures(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->lock);
    const struct ledger_figures figures = ledger->figures;
    pthread_mutex_unlock(&ledger->lock);
    return figures;
}
