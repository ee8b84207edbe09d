/* ledger.c - a queue of facts between whoever finds them and the one thread that uses the store. What waits is written
 * in batches, in order: whatever is one transaction in the store was put in one go or shortly one after the other.
 * Whoever reads leaves a request on a list, and takes it back when there is no answer in time. */
#include "engine/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/timed.h"

enum { BATCH = 256 };

/* How long facts may lie to be written together, and how long a store that is stuck is left alone. */
enum { GATHER_MS = 50, RETRY_MS = 250 };

/* How often a store that is elsewhere is looked after while nobody uses it. */
enum { CHECK_MS = 1000 };

/* How often who waits for an answer looks about, after how long a store is called silent, and how long closing may
 * take.
 */
enum { LOOK_MS = 20, SILENT_MS = 2000, CLOSE_MS = 5000 };

/* A fact on its way, or a prefix to be forgotten, or a fact to be changed by whoever can. */
struct entry {
    struct entry *next;
    struct store_fact fact;
    bool drop;
    store_change *change; /* NULL: it is to be as it is here */
    void *context;
    size_t size; /* of all of it */
    char text[];
};

/* Somebody to be told when an entry is stored. */
struct notice {
    struct notice *next;
    uint64_t put;
    ledger_notice notify;
    enum nq_status status;
    void *who;
};

/* Somebody who wants to read: facts with a prefix, or the one with a key. */
struct wish {
    struct wish *next;
    uint64_t put; /* what was put by then is to be seen */
    enum store_kind kind;
    bool single;
    enum {
        WISH_LISTED,
        WISH_TAKEN,
        WISH_GRANTED,
        WISH_GIVEN_UP
    } state; /* who has it: the list, the ledger's thread,
                who wished, the thread to free it */
    enum nq_status status;
    struct bytes found; /* of each fact its key, its size and its value; of a single one only that */
    char key[];
};

struct ledger {
    struct store *store;
    bool remote;
    uint64_t checked; /* clock_now(), by the thread */
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
        gone; /* entries ever put, and those that are stored: what was put by now is stored when gone >= put */
    struct notice *notices;
    struct wish *wishes;
    uint64_t busy_since;            /* clock_now(): the store is at work; 0: it is not */
    size_t singly;                  /* entries to be written one by one */
    bool stuck;                     /* the store did not take the last ones, which are tried again */
    bool closing, ended, abandoned; /* abandoned: it did not end in time, and nobody waits any more */
    struct ledger_figures figures;
    char why[STORE_ERROR_MAX]; /* it is broken */
};

/* Waits for so many milliseconds, unless somebody is in a hurry. Under the lock. A store that is stuck is not hurried.
 */
static void wait_ms(struct ledger *ledger, unsigned milliseconds)
{
    const uint64_t until = timed_in(milliseconds);
    bool early = true;
    while (early && !ledger->closing && !ledger->wishes && (ledger->figures.broken || !ledger->notices))
        early = timed_wait(&ledger->news, &ledger->lock, until);
}

/* The store is about to be used: leaves the lock. */
static void begin_use(struct ledger *ledger)
{
    ledger->busy_since = clock_now();
    pthread_mutex_unlock(&ledger->lock);
}

static void end_use(struct ledger *ledger)
{
    const struct store_figures figures = store_figures(ledger->store);
    pthread_mutex_lock(&ledger->lock);
    ledger->busy_since = 0;
    ledger->figures.store = figures;
}

/* Under the lock: whether the store has been at one thing for longer than that. */
static bool silent(const struct ledger *ledger, unsigned milliseconds)
{
    return ledger->busy_since && clock_now() - ledger->busy_since > milliseconds * CLOCK_MILLISECOND;
}

/* How many of the first entries can be written at once: facts in a row; 0: the first is none, and written alone. */
static size_t gather(const struct ledger *ledger, struct store_fact facts[static BATCH])
{
    size_t count = 0;
    for (const struct entry *entry = ledger->head; entry && !entry->drop && !entry->change && count < BATCH;
         entry = entry->next)
        facts[count++] = entry->fact;
    return count;
}

static enum nq_status write_batch(struct ledger *ledger, const struct store_fact *facts, size_t count,
                                  const struct entry *first)
{
    const struct store_fact *fact = &first->fact;
    if (count)
        return store_put(ledger->store, facts, count);
    if (first->change)
        return store_amend(ledger->store, fact->kind, fact->key, first->change, first->context);
    return store_delete_prefix(ledger->store, fact->kind, fact->key);
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

/* Under the lock, which it leaves to tell of a change. */
static void set_broken(struct ledger *ledger, bool broken, const char why[static STORE_ERROR_MAX])
{
    const bool turned = broken != ledger->figures.broken;
    memcpy(ledger->why, why, STORE_ERROR_MAX);
    ledger->figures.broken = broken;
    pthread_cond_broadcast(&ledger->settled);
    if (turned) {
        pthread_mutex_unlock(&ledger->lock);
        ledger->trouble(ledger->who, broken);
        pthread_mutex_lock(&ledger->lock);
    }
}

/* Under the lock, which it leaves while the store works: one batch. When the store has no room for all of it, its facts
 * are written one by one: what is too large is lost, and nothing else. */
static enum nq_status write_some(struct ledger *ledger)
{
    struct store_fact facts[BATCH];
    size_t count = gather(ledger, facts);
    if (ledger->singly && count > 1)
        count = 1;
    const struct entry *first = ledger->head; /* only this thread takes entries off */
    begin_use(ledger);
    const uint64_t began = clock_now();
    const enum nq_status status = write_batch(ledger, facts, count, first);
    const uint64_t took = clock_now() - began;
    /* For want of memory it is not broken: that may be over with the next try, which notices hurry. */
    const bool stuck = status != NQ_OK && status != NQ_LIMIT, broken = stuck && status != NQ_NOMEM;
    char why[STORE_ERROR_MAX] = "";
    if (broken)
        store_trouble(ledger->store, why);
    end_use(ledger);
    ledger->figures.batches++;
    ledger->figures.write_ns += took;
    ledger->figures.failures += broken;
    const size_t told = first->change ? 1 : count;
    if (status == NQ_OK)
        ledger->figures.written += told;
    else if (status == NQ_LIMIT && told == 1)
        ledger->figures.lost++;
    if (status == NQ_LIMIT && count > 1)
        ledger->singly = count;
    else if (ledger->singly && !stuck)
        ledger->singly--;
    if (!stuck && !(status == NQ_LIMIT && count > 1))
        release(ledger, count ? count : 1);
    ledger->stuck = stuck;
    set_broken(ledger, broken, why);
    return status;
}

/* Under the lock, which it leaves while the store works: whether it is there. What waits will show that by itself. */
static void check(struct ledger *ledger)
{
    ledger->checked = clock_now();
    if (ledger->head)
        return;
    char why[STORE_ERROR_MAX] = "";
    begin_use(ledger);
    const enum nq_status status = store_check(ledger->store);
    if (status == NQ_BROKEN)
        store_trouble(ledger->store, why);
    end_use(ledger);
    if (status == NQ_OK || status == NQ_BROKEN)
        set_broken(ledger, status == NQ_BROKEN, why);
}

/* Under the lock, which it leaves meanwhile: tells those whose time has come, and with another `rest` than NQ_AGAIN the
 * others too, that it is that. */
static void notify_all(struct ledger *ledger, enum nq_status rest)
{
    struct notice *ready = NULL;
    for (struct notice **at = &ledger->notices; *at;) {
        struct notice *notice = *at;
        notice->status = ledger->gone < notice->put ? rest : NQ_OK;
        if (notice->status == NQ_AGAIN) {
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
        notice->notify(notice->who, notice->status);
        free(notice);
    }
    pthread_mutex_lock(&ledger->lock);
}

/* ---- Reading: what still waits is younger than what the store has ---- */

static bool concerns(const struct entry *entry, enum store_kind kind, const char *key)
{
    if (entry->fact.kind != kind || entry->change)
        return false;
    return entry->drop ? strncmp(key, entry->fact.key, strlen(entry->fact.key)) == 0
                       : strcmp(key, entry->fact.key) == 0;
}

static void wish_free(struct wish *wish)
{
    bytes_free(&wish->found);
    free(wish);
}

static bool find(void *context, const char *key, const void *value, size_t size)
{
    struct wish *wish = context;
    bytes_add(&wish->found, key, strlen(key) + 1);
    bytes_add(&wish->found, &size, sizeof size);
    bytes_add(&wish->found, value, size);
    return !wish->found.failed;
}

/* Under the lock: what waits of a single fact; false when nothing does. */
static bool find_waiting(const struct ledger *ledger, struct wish *wish)
{
    const struct entry *last = NULL;
    for (const struct entry *entry = ledger->head; entry; entry = entry->next)
        if (concerns(entry, wish->kind, wish->key))
            last = entry;
    if (!last)
        return false;
    wish->status = last->fact.value ? NQ_OK : NQ_NONE;
    if (last->fact.value)
        bytes_add(&wish->found, last->fact.value, last->fact.size);
    return true;
}

/* Takes facts with a prefix out of what was found. */
static void unfind(struct bytes *found, const char *prefix)
{
    size_t kept = 0;
    for (size_t at = 0, next; at < found->size; at = next) {
        size_t size;
        const size_t key_size = strlen(found->data + at) + 1;
        memcpy(&size, found->data + at + key_size, sizeof size);
        next = at + key_size + sizeof size + size;
        if (strncmp(found->data + at, prefix, strlen(prefix)) == 0)
            continue;
        memmove(found->data + kept, found->data + at, next - at);
        kept += next - at;
    }
    found->size = kept;
}

/* Under the lock: all that wait, but for those that are dropped later on. */
static void find_all_waiting(const struct ledger *ledger, struct wish *wish)
{
    wish->status = NQ_BROKEN;
    for (const struct entry *entry = ledger->head; entry && !wish->found.failed; entry = entry->next) {
        const struct store_fact *fact = &entry->fact;
        if (fact->kind != wish->kind || entry->change)
            continue;
        if (entry->drop)
            unfind(&wish->found, fact->key);
        else if (strncmp(fact->key, wish->key, strlen(wish->key)) == 0)
            (void)find(wish, fact->key, fact->value, fact->size);
    }
}

/* Under the lock, which it leaves while the store works. */
static void grant(struct ledger *ledger, struct wish *wish)
{
    const bool stored = ledger->gone >= wish->put;
    wish->state = WISH_TAKEN;
    if (!stored && !wish->single) {
        find_all_waiting(ledger, wish);
    } else if (stored || !find_waiting(ledger, wish)) {
        begin_use(ledger);
        wish->status = wish->single ? store_get(ledger->store, wish->kind, wish->key, &wish->found)
                                    : store_each(ledger->store, wish->kind, wish->key, find, wish);
        end_use(ledger);
        ledger->figures.failures += wish->status == NQ_BROKEN;
    }
    if (wish->found.failed)
        wish->status = NQ_NOMEM;
    if (wish->state == WISH_GIVEN_UP)
        wish_free(wish);
    else
        wish->state = WISH_GRANTED;
    pthread_cond_broadcast(&ledger->settled);
}

/* Under the lock, which it leaves meanwhile: those whose time has come. Nobody waits to read until a store
 * that is stuck has taken the rest. */
static void grant_all(struct ledger *ledger)
{
    for (struct wish **at = &ledger->wishes; *at;) {
        struct wish *wish = *at;
        if (ledger->gone < wish->put && !ledger->stuck) {
            at = &wish->next;
            continue;
        }
        *at = wish->next;
        grant(ledger, wish);
        at = &ledger->wishes; /* others may have come or gone */
    }
}

/* Under the lock: what those are told whose facts are not stored. A broken store is waited for by nobody. */
static enum nq_status outlook(const struct ledger *ledger)
{
    return ledger->figures.broken ? NQ_BROKEN : NQ_AGAIN;
}

/* Under the lock, which it leaves meanwhile: until somebody wants something. */
static void idle(struct ledger *ledger)
{
    while (!ledger->head && !ledger->notices && !ledger->wishes && !ledger->closing) {
        if (!ledger->remote)
            pthread_cond_wait(&ledger->news, &ledger->lock);
        else if (!timed_wait(&ledger->news, &ledger->lock, ledger->checked + CHECK_MS * CLOCK_MILLISECOND))
            check(ledger);
    }
}

static void *keep(void *arg)
{
    struct ledger *ledger = arg;
    pthread_mutex_lock(&ledger->lock);
    if (ledger->remote)
        check(ledger);
    while (ledger->head || !ledger->closing) {
        enum nq_status status = NQ_OK;
        idle(ledger);
        notify_all(ledger, outlook(ledger));
        grant_all(ledger);
        if (ledger->head && (ledger->stuck || !ledger->head->change)) /* nothing goes with a change */
            wait_ms(ledger, ledger->stuck ? RETRY_MS : GATHER_MS);
        grant_all(ledger);
        if (ledger->head)
            status = write_some(ledger);
        notify_all(ledger, status == NQ_NOMEM ? status : outlook(ledger));
        if (ledger->stuck && ledger->closing)
            break; /* it was tried once more */
    }
    grant_all(ledger);
    ledger->ended = true; /* nobody is put on a list any more */
    pthread_cond_broadcast(&ledger->settled);
    notify_all(ledger, NQ_CLOSED);
    pthread_mutex_unlock(&ledger->lock);
    return NULL;
}

struct ledger *ledger_new(struct store *store, size_t most, ledger_trouble trouble, void *who)
{
    struct ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger)
        return NULL;
    *ledger = (struct ledger){
        .store = store, .remote = store && store_is_remote(store), .most = most, .trouble = trouble, .who = who};
    ledger->tail = &ledger->head;
    if (store)
        ledger->figures.store = store_figures(store);
    pthread_mutex_init(&ledger->lock, NULL);
    timed_init(&ledger->news);
    timed_init(&ledger->settled);
    if (pthread_create(&ledger->thread, NULL, keep, ledger) == 0)
        return ledger;
    pthread_cond_destroy(&ledger->settled);
    pthread_cond_destroy(&ledger->news);
    pthread_mutex_destroy(&ledger->lock);
    free(ledger);
    return NULL;
}

bool ledger_close(struct ledger *ledger)
{
    const uint64_t until = timed_in(CLOSE_MS);
    bool early = true;
    pthread_mutex_lock(&ledger->lock);
    ledger->closing = true;
    pthread_cond_signal(&ledger->news);
    while (!ledger->ended && early)
        early = timed_wait(&ledger->settled, &ledger->lock, until);
    const bool ended = ledger->ended;
    ledger->abandoned = !ended;
    if (!ended)
        notify_all(ledger, NQ_CLOSED);
    pthread_mutex_unlock(&ledger->lock);
    if (ended)
        pthread_join(ledger->thread, NULL);
    return ended;
}

void ledger_free(struct ledger *ledger)
{
    release(ledger, ledger->figures.waiting); /* the store would not have them */
    pthread_cond_destroy(&ledger->settled);
    pthread_cond_destroy(&ledger->news);
    pthread_mutex_destroy(&ledger->lock);
    free(ledger);
}

/* Puts an entry at the end, with a copy of its fact. */
static enum nq_status add(struct ledger *ledger, struct entry model)
{
    const size_t key_size = strlen(model.fact.key) + 1, size = sizeof model + key_size + model.fact.size;
    struct entry *entry = malloc(size);
    pthread_mutex_lock(&ledger->lock);
    const bool added = entry && ledger->bytes + size <= ledger->most;
    if (added) {
        *entry = model;
        memcpy(entry->text, model.fact.key, key_size); /* with its NUL */
        if (model.fact.size)
            memcpy(entry->text + key_size, model.fact.value, model.fact.size);
        entry->fact.key = entry->text;
        if (model.fact.value)
            entry->fact.value = entry->text + key_size;
        entry->size = size;
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
    if (added)
        return NQ_OK;
    free(entry);
    return entry ? NQ_LIMIT : NQ_NOMEM;
}

enum nq_status ledger_keep(struct ledger *ledger, enum store_kind kind, const char *key, const void *value, size_t size)
{
    return add(ledger, (struct entry){.fact = {kind, key, value ? value : "", size}});
}

enum nq_status ledger_amend(struct ledger *ledger, enum store_kind kind, const char *key, store_change *change,
                            void *context)
{
    return add(ledger, (struct entry){.fact = {.kind = kind, .key = key}, .change = change, .context = context});
}

bool ledger_put(struct ledger *ledger, enum store_kind kind, const char *key, const char *value)
{
    return ledger_keep(ledger, kind, key, value, strlen(value)) == NQ_OK;
}

void ledger_drop(struct ledger *ledger, enum store_kind kind, const char *prefix)
{
    (void)add(ledger, (struct entry){.fact = {.kind = kind, .key = prefix}, .drop = true});
}

bool ledger_notify(struct ledger *ledger, ledger_notice notify, void *who)
{
    struct notice *notice = malloc(sizeof *notice);
    if (!notice)
        return false;
    pthread_mutex_lock(&ledger->lock);
    const bool stored = ledger->gone == ledger->put;
    const bool at_once =
        stored || ledger->figures.broken || ledger->ended || ledger->abandoned || silent(ledger, SILENT_MS);
    *notice = (struct notice){.next = ledger->notices, .put = ledger->put, .notify = notify, .who = who};
    if (!at_once)
        ledger->notices = notice;
    pthread_cond_signal(&ledger->news);
    pthread_mutex_unlock(&ledger->lock);
    if (at_once) {
        free(notice);
        notify(who, stored ? NQ_OK : NQ_BROKEN);
    }
    return true;
}

/* ---- Wishes, by whoever has them ---- */

/* Under the lock: whether it is no use to wait any longer. */
static enum nq_status impatience(const struct ledger *ledger, struct patience patience, uint64_t since)
{
    if (ledger->ended)
        return NQ_CLOSED;
    if (!patience.stop)
        return NQ_OK;
    if (stop_wanted(patience.stop))
        return NQ_CANCELLED;
    const bool long_enough = clock_now() - since > patience.milliseconds * CLOCK_MILLISECOND;
    return long_enough || silent(ledger, patience.milliseconds) ? NQ_TIMEOUT : NQ_OK;
}

/* Under the lock: takes a wish back; it is freed, or will be. */
static void give_up(struct ledger *ledger, struct wish *wish)
{
    if (wish->state == WISH_TAKEN) {
        wish->state = WISH_GIVEN_UP;
        return;
    }
    struct wish **at = &ledger->wishes;
    while (*at != wish)
        at = &(*at)->next;
    *at = wish->next;
    wish_free(wish);
}

/* Waits until a wish is granted: *out is it then, for the caller to free. */
static enum nq_status wish(struct ledger *ledger, enum store_kind kind, const char *key, bool single,
                           struct patience patience, struct wish **out)
{
    const size_t key_size = strlen(key) + 1;
    struct wish *wish = calloc(1, sizeof *wish + key_size);
    const uint64_t since = clock_now();
    if (!wish)
        return NQ_NOMEM;
    wish->kind = kind;
    wish->single = single;
    memcpy(wish->key, key, key_size);
    pthread_mutex_lock(&ledger->lock);
    wish->put = ledger->put;
    wish->next = ledger->wishes;
    ledger->wishes = wish;
    pthread_cond_signal(&ledger->news);
    enum nq_status status;
    while ((status = impatience(ledger, patience, since)) == NQ_OK && wish->state != WISH_GRANTED)
        (void)timed_wait(&ledger->settled, &ledger->lock, timed_in(LOOK_MS));
    if (wish->state == WISH_GRANTED)
        status = NQ_OK;
    if (status != NQ_OK)
        give_up(ledger, wish);
    pthread_mutex_unlock(&ledger->lock);
    *out = wish;
    return status;
}

enum nq_status ledger_get(struct ledger *ledger, enum store_kind kind, const char *key, struct patience patience,
                          struct bytes *value)
{
    struct wish *granted;
    enum nq_status status = wish(ledger, kind, key, true, patience, &granted);
    if (status != NQ_OK)
        return status;
    status = granted->status;
    if (status == NQ_OK)
        bytes_add(value, granted->found.data, granted->found.size);
    wish_free(granted);
    return status;
}

enum nq_status ledger_each(struct ledger *ledger, enum store_kind kind, const char *prefix, struct patience patience,
                           ledger_reader read, void *context)
{
    struct wish *granted;
    enum nq_status status = wish(ledger, kind, prefix, false, patience, &granted);
    if (status != NQ_OK)
        return status;
    status = granted->status;
    const char *at = granted->found.data, *end = at ? at + granted->found.size : NULL;
    while (status != NQ_NOMEM && at < end) {
        const char *key = at, *value;
        size_t size;
        at += strlen(key) + 1;
        memcpy(&size, at, sizeof size);
        value = at + sizeof size;
        at = value + size;
        read(context, key, value, size);
    }
    wish_free(granted);
    return status;
}

struct ledger_figures ledger_figures(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->lock);
    struct ledger_figures figures = ledger->figures;
    figures.broken |= silent(ledger, SILENT_MS);
    pthread_mutex_unlock(&ledger->lock);
    return figures;
}

bool ledger_is_shared(struct ledger *ledger)
{
    return ledger->remote && !ledger_figures(ledger).broken;
}

bool ledger_ails(struct ledger *ledger, char why[static STORE_ERROR_MAX])
{
    pthread_mutex_lock(&ledger->lock);
    const bool mute = silent(ledger, SILENT_MS), broken = ledger->figures.broken;
    if (mute)
        (void)snprintf(why, STORE_ERROR_MAX, "it has not answered for %.0f seconds",
                       (double)(clock_now() - ledger->busy_since) / (double)CLOCK_SECOND);
    else if (broken)
        memcpy(why, ledger->why, sizeof ledger->why);
    pthread_mutex_unlock(&ledger->lock);
    return mute || broken;
}
