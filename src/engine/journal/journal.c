/* journal.c - facts that wait for the store: callers put them on a list and never wait, one thread writes them.
 * Callbacks and readers wait until what was put before them is stored; then the same thread calls and reads. */
#include "engine/journal/journal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/stop.h"
#include "base/timed.h"

/* Milliseconds without an answer after which a store counts as silent. */
enum { SILENT_MS = 2000 };

/* A fact to be stored, a prefix to be deleted (drop), or a fact to be changed (change). */
struct entry {
    struct entry *next;
    struct store_fact fact;
    bool drop;
    journal_change *change; /* NULL: the fact is stored as it is here */
    journal_stored *stored;
    void *context;
    size_t size; /* of the entry, with its text: key and value */
    char text[];
};

/* Waits until the first `put` entries are stored: a barrier, whose callback is called then; or a reader, of the fact
 * with a key (single) or of all with a prefix. */
struct waiter {
    struct waiter *next;
    uint64_t put;
    journal_barrier notify; /* NULL: a reader */
    void *who;
    enum store_kind kind;
    bool single;
    bool done;           /* a reader has its answer, which is the rest: */
    unsigned references; /* the journal's; and the reader's, until it gives up or takes the answer */
    enum nq_status status;
    struct bytes found; /* of each fact its key, size and value; of a single one the value */
    char key[];
};

enum { JOURNAL_BATCH = 256 }; /* facts that are written together at most */

struct journal {
    struct store *store;
    bool remote;
    uint64_t checked; /* clock_now(), by the thread */
    journal_trouble trouble;
    void *who;
    size_t most;
    pthread_t thread;
    struct lock lock;       /* guards all below; never held while the store works */
    pthread_cond_t news;    /* for the thread */
    pthread_cond_t settled; /* for readers, and for the end */
    struct entry *head, **tail;
    size_t bytes;
    uint64_t put, gone; /* entries ever put, and ever stored: what was put by now is stored when gone >= put */
    struct waiter *waiters, **last; /* in the order in which they came */
    uint64_t busy_since;            /* clock_now(): the store is at work; 0: it is not */
    size_t singly;                  /* entries to be written one by one */
    bool stuck;                     /* the store did not take the last ones, which are tried again */
    bool closing, ended, abandoned; /* abandoned: it did not end in time */
    uint64_t until;                 /* clock_now(), while it is closing: a store that is stuck is tried that long */
    struct journal_stats stats;
    char why[STORE_ERROR_MAX]; /* it is broken */
};

/* Under the lock: whether one call of the store has taken longer than that. */
static inline bool journal_silent(const struct journal *journal, unsigned milliseconds)
{
    return journal->busy_since && clock_now() - journal->busy_since > milliseconds * CLOCK_MILLISECOND;
}

/* Around a use of the store, by the journal's thread: the first leaves the lock, the second takes it again. */
static inline void journal_begin_use(struct journal *journal)
{
    journal->busy_since = clock_now();
    lock_release(&journal->lock);
}

static inline void journal_end_use(struct journal *journal)
{
    const struct store_stats stats = store_stats(journal->store);
    lock_take(&journal->lock);
    journal->busy_since = 0;
    journal->stats.store = stats;
}

/* ---- Who waits, on the journal's thread ---- */

/* Under the lock: one reference less. */
static void waiter_release(struct waiter *waiter)
{
    if (--waiter->references)
        return;
    bytes_free(&waiter->found);
    free(waiter);
}

static bool find(void *context, const char *key, const void *value, size_t size)
{
    struct waiter *reader = context;
    bytes_add(&reader->found, key, strlen(key) + 1);
    bytes_add(&reader->found, &size, sizeof size);
    bytes_add(&reader->found, value, size);
    return !reader->found.failed;
}

/* Under the lock, which it leaves while the store works. stored: so is what was put before; otherwise the store is in
 * trouble, and asked for a single fact only: it may have others that are to be deleted. */
static void read_for(struct journal *journal, struct waiter *reader, bool stored)
{
    reader->status = NQ_BROKEN;
    if (!stored && !reader->single)
        return;
    journal_begin_use(journal);
    reader->status = reader->single ? store_get(journal->store, reader->kind, reader->key, &reader->found)
                                    : store_each(journal->store, reader->kind, reader->key, find, reader);
    journal_end_use(journal);
    journal->stats.failures += reader->status == NQ_BROKEN;
    if (reader->status != NQ_OK) /* a scan may have failed halfway */
        bytes_free(&reader->found);
    if (reader->found.failed)
        reader->status = NQ_NOMEM;
}

/* Under the lock, which it leaves meanwhile. rest: as of answer(). */
static void answer_one(struct journal *journal, struct waiter *waiter, bool stored, enum nq_status rest)
{
    if (waiter->notify) {
        lock_release(&journal->lock);
        waiter->notify(waiter->who, stored ? NQ_OK : rest);
        lock_take(&journal->lock);
    } else {
        waiter->status = rest;
        if (rest != NQ_CLOSED && waiter->references > 1) /* it has not given up */
            read_for(journal, waiter, stored);
        waiter->done = true;
        pthread_cond_broadcast(&journal->settled);
    }
    waiter_release(waiter);
}

/* Under the lock, which it leaves meanwhile: answers all whose facts are stored, and while the store is stuck all who
 * read; the others, too, with the status `rest`, unless that is NQ_AGAIN. NQ_CLOSED: the store is not asked. */
static void answer(struct journal *journal, enum nq_status rest)
{
    lock_assert(&journal->lock);
    for (struct waiter **at = &journal->waiters; *at;) {
        struct waiter *waiter = *at;
        const bool stored = journal->gone >= waiter->put;
        if (!stored && rest == NQ_AGAIN && (waiter->notify || !journal->stuck)) {
            at = &waiter->next;
            continue;
        }
        *at = waiter->next;
        if (!*at)
            journal->last = at;
        answer_one(journal, waiter, stored, rest);
        at = &journal->waiters; /* others may have come or gone */
    }
}

/* ---- Who waits, on the thread of the caller ---- */

/* How often a caller that waits looks at its stop flag. */
enum { LOOK_MS = 20 };

/* Under the lock: NQ_OK, or why it is no use to wait any longer. */
static enum nq_status wait_status(const struct journal *journal, struct deadline deadline, uint64_t since)
{
    if (journal->ended)
        return NQ_CLOSED;
    if (!deadline.stop)
        return NQ_OK;
    if (stop_wanted_locked(deadline.stop))
        return NQ_CANCELLED;
    const bool long_enough = clock_now() - since > deadline.milliseconds * CLOCK_MILLISECOND;
    return long_enough || journal_silent(journal, deadline.milliseconds) ? NQ_TIMEOUT : NQ_OK;
}

/* Under the lock: the thread answers it, and releases it. */
static void wait_in_line(struct journal *journal, struct waiter *waiter)
{
    waiter->put = journal->put;
    waiter->references++;
    *journal->last = waiter;
    journal->last = &waiter->next;
    pthread_cond_signal(&journal->news);
}

bool journal_notify(struct journal *journal, journal_barrier notify, void *who)
{
    struct waiter *barrier = malloc(sizeof *barrier);
    if (!barrier)
        return false;
    *barrier = (struct waiter){.notify = notify, .who = who};
    lock_take(&journal->lock);
    const bool stored = journal->gone == journal->put;
    const bool at_once =
        stored || journal->stats.broken || journal->ended || journal->abandoned || journal_silent(journal, SILENT_MS);
    if (!at_once)
        wait_in_line(journal, barrier);
    lock_release(&journal->lock);
    if (at_once) {
        free(barrier);
        notify(who, stored ? NQ_OK : NQ_BROKEN);
    }
    return true;
}

/* Waits until a reader has its answer; *found, which is empty, is what was found then, for the caller to free. Who
 * would not wait does not stand in line: while the store is silent nobody takes readers off. */
static enum nq_status ask(struct journal *journal, enum store_kind kind, const char *key, bool single,
                          struct deadline deadline, struct bytes *found)
{
    const size_t key_size = strlen(key) + 1;
    struct waiter *reader = calloc(1, sizeof *reader + key_size);
    const uint64_t since = clock_now();
    if (!reader)
        return NQ_NOMEM;
    reader->kind = kind;
    reader->single = single;
    reader->references = 1;
    memcpy(reader->key, key, key_size);
    lock_take(&journal->lock);
    enum nq_status status = wait_status(journal, deadline, since);
    if (status == NQ_OK)
        wait_in_line(journal, reader);
    while (status == NQ_OK && !reader->done) {
        (void)timed_wait(&journal->settled, &journal->lock, timed_in(LOOK_MS));
        status = wait_status(journal, deadline, since);
    }
    if (reader->done) {
        status = reader->status;
        *found = reader->found;
        reader->found = (struct bytes){.size = 0};
    }
    waiter_release(reader);
    lock_release(&journal->lock);
    return status;
}

enum nq_status journal_get(struct journal *journal, enum store_kind kind, const char *key, struct deadline deadline,
                           struct bytes *value)
{
    struct bytes found = {0};
    const enum nq_status status = ask(journal, kind, key, true, deadline, &found);
    if (status == NQ_OK)
        bytes_add(value, found.data, found.size);
    bytes_free(&found);
    return status;
}

enum nq_status journal_each(struct journal *journal, enum store_kind kind, const char *prefix, struct deadline deadline,
                            journal_reader read, void *context)
{
    struct bytes found = {0};
    const enum nq_status status = ask(journal, kind, prefix, false, deadline, &found);
    const char *at = found.data, *end = at ? at + found.size : NULL;
    while (status != NQ_NOMEM && at < end) {
        const char *key = at, *value;
        size_t size;
        at += strlen(key) + 1;
        memcpy(&size, at, sizeof size);
        value = at + sizeof size;
        at = value + size;
        read(context, key, value, size);
    }
    bytes_free(&found);
    return status;
}

/* ---- The thread, the only one that uses the store ---- */

enum {
    GATHER_MS = 50,  /* for facts to be written together */
    RETRY_MS = 250,  /* before a store that is stuck is tried again */
    CHECK_MS = 1000, /* between two checks of a remote store that nobody uses */
};

/* Under the lock: waits for so many milliseconds, less if somebody waits, or a whole batch: 64 threads
 * with units of 3 ms fill four of them while it gathers. For a store that is stuck only closing ends the wait early. */
static void wait_ms(struct journal *journal, unsigned milliseconds)
{
    const uint64_t until = timed_in(milliseconds);
    const bool closing = journal->closing;
    bool early = true;
    while (early && journal->closing == closing && !journal->waiters &&
           (journal->stuck || journal->stats.waiting < JOURNAL_BATCH))
        early = timed_wait(&journal->news, &journal->lock, until);
}

/* Under the lock: removes the first entries. */
static void journal_release(struct journal *journal, size_t count)
{
    for (struct entry *entry; count && (entry = journal->head); count--) {
        journal->head = entry->next;
        assert(journal->bytes >= entry->size && journal->stats.waiting);
        if (!journal->head)
            journal->tail = &journal->head;
        journal->bytes -= entry->size;
        journal->stats.waiting--;
        journal->gone++;
        free(entry);
    }
}

/* How many of the first entries can be written at once: facts in a row; 0: the first is a change or a deletion. */
static size_t gather(const struct journal *journal, struct store_fact facts[static JOURNAL_BATCH])
{
    size_t count = 0;
    for (const struct entry *entry = journal->head; entry && !entry->drop && !entry->change && count < JOURNAL_BATCH;
         entry = entry->next)
        facts[count++] = entry->fact;
    return count;
}

/* Attempts to change a fact that others change, too: each in vain is another's success. */
enum { TRIES = 100 };

static enum nq_status try_to_amend(struct store *store, const struct entry *entry)
{
    const struct store_fact *fact = &entry->fact;
    struct bytes value = {0}, next = {0};
    enum nq_status status = store_get(store, fact->kind, fact->key, &value);
    const char *former = status != NQ_OK ? NULL : value.data ? value.data : ""; /* an empty value is a value */
    if (status == NQ_OK || status == NQ_NONE)
        status = entry->change(entry->context, fact->key, former, value.size, &next);
    const struct store_fact changed = {fact->kind, fact->key, next.data ? next.data : "", next.size};
    if (status == NQ_OK)
        status = next.failed ? NQ_NOMEM : store_swap(store, &changed, former, value.size);
    bytes_free(&value);
    bytes_free(&next);
    return status;
}

/* NQ_AGAIN: others change it again and again. */
static enum nq_status amend(struct store *store, const struct entry *entry)
{
    enum nq_status status = NQ_AGAIN;
    for (int i = 0; i < TRIES && status == NQ_AGAIN; i++)
        status = try_to_amend(store, entry);
    return status == NQ_NONE ? NQ_OK : status;
}

static enum nq_status write_batch(struct journal *journal, const struct store_fact *facts, size_t count,
                                  const struct entry *first)
{
    assert(count <= JOURNAL_BATCH && first);
    const struct store_fact *fact = &first->fact;
    if (count)
        return store_put(journal->store, facts, count);
    if (first->change)
        return amend(journal->store, first);
    return store_delete_prefix(journal->store, fact->kind, fact->key);
}

/* Under the lock, which it leaves while it calls trouble. */
static void set_broken(struct journal *journal, bool broken, const char why[static STORE_ERROR_MAX])
{
    const bool turned = broken != journal->stats.broken;
    memcpy(journal->why, why, STORE_ERROR_MAX);
    journal->stats.broken = broken;
    pthread_cond_broadcast(&journal->settled);
    if (turned) {
        lock_release(&journal->lock);
        journal->trouble(journal->who, broken ? why : NULL);
        lock_take(&journal->lock);
    }
}

/* Under the lock, which it leaves while the store works: one batch. When the store has no room for all of it, its facts
 * are written one by one: what is too large is lost, and nothing else. So they are when a remote store has failed: it
 * writes fact by fact, and one call in ten that fails would have a long batch begin anew for ever. */
static enum nq_status write_some(struct journal *journal)
{
    lock_assert(&journal->lock);
    assert(journal->head);
    struct store_fact facts[JOURNAL_BATCH];
    size_t count = gather(journal, facts);
    if (journal->singly && count > 1)
        count = 1;
    const struct entry *first = journal->head; /* only this thread takes entries off */
    journal_begin_use(journal);
    const uint64_t began = clock_now();
    const enum nq_status status = write_batch(journal, facts, count, first);
    const uint64_t took = clock_now() - began;
    /* NQ_NOMEM may be over with the next attempt, which barriers hurry. */
    const bool stuck = status != NQ_OK && status != NQ_LIMIT, broken = stuck && status != NQ_NOMEM;
    char why[STORE_ERROR_MAX] = "";
    if (status == NQ_AGAIN)
        (void)snprintf(why, sizeof why, "other processes change the same fact again and again");
    else if (broken)
        store_trouble(journal->store, why);
    if (!stuck && first->stored)
        first->stored(first->context, first->fact.key, status);
    journal_end_use(journal);
    assert(journal->head == first); /* only this thread takes entries off */
    journal->stats.batches++;
    journal->stats.write_ns += took;
    journal->stats.failures += broken;
    const size_t written = first->change ? 1 : count;
    if (status == NQ_OK)
        journal->stats.written += written;
    else if (status == NQ_LIMIT && written == 1)
        journal->stats.lost++;
    if (count > 1 && (status == NQ_LIMIT || (broken && journal->remote)))
        journal->singly = count;
    else if (journal->singly && !stuck)
        journal->singly--;
    if (!stuck && !(status == NQ_LIMIT && count > 1))
        journal_release(journal, count ? count : 1);
    journal->stuck = stuck;
    set_broken(journal, broken, why);
    return status;
}

/* Under the lock, which it leaves while the store works: checks a remote store, unless an entry is about to. */
static void check(struct journal *journal)
{
    journal->checked = clock_now();
    if (journal->head)
        return;
    char why[STORE_ERROR_MAX] = "";
    journal_begin_use(journal);
    const enum nq_status status = store_check(journal->store, true);
    if (status == NQ_BROKEN)
        store_trouble(journal->store, why);
    journal_end_use(journal);
    if (status == NQ_OK || status == NQ_BROKEN)
        set_broken(journal, status == NQ_BROKEN, why);
}

/* Under the lock: the status for barriers whose facts are not stored. No barrier waits for a broken store. */
static enum nq_status outlook(const struct journal *journal)
{
    return journal->stats.broken ? NQ_BROKEN : NQ_AGAIN;
}

/* Under the lock, which it leaves meanwhile: waits until there is something to do. */
static void idle(struct journal *journal)
{
    while (!journal->head && !journal->waiters && !journal->closing) {
        if (!journal->remote)
            lock_wait(&journal->news, &journal->lock);
        else if (!timed_wait(&journal->news, &journal->lock, journal->checked + CHECK_MS * CLOCK_MILLISECOND))
            check(journal);
    }
}

/* The start function of the thread; its argument is the journal. */
static void *journal_run(void *arg)
{
    struct journal *journal = arg;
    thread_name("journal");
    lock_take(&journal->lock);
    if (journal->remote)
        check(journal);
    while (journal->head || journal->waiters || !journal->closing) {
        enum nq_status status = NQ_OK;
        idle(journal);
        answer(journal, outlook(journal));
        if (journal->stuck)
            wait_ms(journal, RETRY_MS);
        else if (journal->head && !journal->head->change && !journal->singly &&
                 !journal->closing) /* nothing goes with a change */
            wait_ms(journal, GATHER_MS);
        answer(journal, outlook(journal));
        if (journal->head)
            status = write_some(journal);
        answer(journal, status == NQ_NOMEM ? status : outlook(journal));
        if (journal->stuck && journal->closing && timed_in(RETRY_MS) >= journal->until)
            break; /* there is no time for another attempt */
    }
    assert(!journal->waiters);
    journal->ended = true; /* from now on nobody waits */
    pthread_cond_broadcast(&journal->settled);
    lock_release(&journal->lock);
    return NULL;
}

/* ---- Facts that are put, and the beginning and end ---- */

/* How long closing may take. */
enum { CLOSE_MS = 5000 };

struct journal *journal_new(struct store *store, size_t most, journal_trouble trouble, void *who)
{
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal)
        return NULL;
    *journal = (struct journal){
        .store = store, .remote = store && store_is_remote(store), .most = most, .trouble = trouble, .who = who};
    journal->tail = &journal->head;
    journal->last = &journal->waiters;
    if (store)
        journal->stats.store = store_stats(store);
    lock_init(&journal->lock, LOCK_JOURNAL);
    timed_init(&journal->news);
    timed_init(&journal->settled);
    if (pthread_create(&journal->thread, NULL, journal_run, journal) == 0)
        return journal;
    journal_free(journal);
    return NULL;
}

/* Under the lock. A change without a callback only reads. */
static void count_waiting(const struct journal *journal, size_t counts[static STORE_KINDS])
{
    memset(counts, 0, STORE_KINDS * sizeof *counts);
    for (const struct entry *entry = journal->head; entry; entry = entry->next)
        counts[entry->fact.kind] += !entry->change || entry->stored;
}

void journal_waits(struct journal *journal, size_t counts[static STORE_KINDS])
{
    lock_take(&journal->lock);
    count_waiting(journal, counts);
    lock_release(&journal->lock);
}

enum nq_status journal_close(struct journal *journal)
{
    if (!journal)
        return NQ_OK;
    const uint64_t until = timed_in(CLOSE_MS);
    size_t left[STORE_KINDS], all = 0;
    bool early = true;
    lock_take(&journal->lock);
    journal->until = until;
    journal->closing = true;
    pthread_cond_signal(&journal->news);
    while (!journal->ended && early)
        early = timed_wait(&journal->settled, &journal->lock, until);
    const bool ended = journal->ended;
    journal->abandoned = !ended;
    if (!ended)
        answer(journal, NQ_CLOSED);
    count_waiting(journal, left);
    lock_release(&journal->lock);
    if (!ended)
        return NQ_TIMEOUT;
    pthread_join(journal->thread, NULL);
    for (int kind = 0; kind < STORE_KINDS; kind++)
        all += left[kind];
    return all ? NQ_BROKEN : NQ_OK;
}

void journal_free(struct journal *journal)
{
    if (!journal)
        return;
    journal_release(journal, journal->stats.waiting); /* the store has not accepted them */
    assert(journal->bytes == 0 && !journal->head);
    pthread_cond_destroy(&journal->settled);
    pthread_cond_destroy(&journal->news);
    lock_destroy(&journal->lock);
    free(journal);
}

/* Puts an entry at the end, with a copy of its fact. */
static enum nq_status add(struct journal *journal, struct entry model)
{
    assert(model.fact.key && !(model.drop && model.change));
    const size_t key_size = strlen(model.fact.key) + 1, size = sizeof model + key_size + model.fact.size;
    struct entry *entry = malloc(size);
    lock_take(&journal->lock);
    const bool added = entry && journal->bytes + size <= journal->most;
    if (added) {
        *entry = model;
        memcpy(entry->text, model.fact.key, key_size); /* with its NUL */
        if (model.fact.size)
            memcpy(entry->text + key_size, model.fact.value, model.fact.size);
        entry->fact.key = entry->text;
        if (model.fact.value)
            entry->fact.value = entry->text + key_size;
        entry->size = size;
        *journal->tail = entry;
        journal->tail = &entry->next;
        journal->bytes += size;
        journal->put++;
        journal->stats.waiting++;
        const size_t waiting = journal->stats.waiting;
        if (waiting == 1 || waiting == JOURNAL_BATCH) /* otherwise the thread is at work, or gathers */
            pthread_cond_signal(&journal->news);
    } else {
        journal->stats.lost++;
    }
    lock_release(&journal->lock);
    if (added)
        return NQ_OK;
    free(entry);
    return entry ? NQ_LIMIT : NQ_NOMEM;
}

enum nq_status journal_keep(struct journal *journal, enum store_kind kind, const char *key, const void *value,
                            size_t size)
{
    return add(journal, (struct entry){.fact = {kind, key, value ? value : "", size}});
}

enum nq_status journal_amend(struct journal *journal, enum store_kind kind, const char *key, journal_change *change,
                             journal_stored *stored, void *context)
{
    return add(
        journal,
        (struct entry){.fact = {.kind = kind, .key = key}, .change = change, .stored = stored, .context = context});
}

bool journal_put(struct journal *journal, enum store_kind kind, const char *key, const char *value)
{
    return journal_keep(journal, kind, key, value, strlen(value)) == NQ_OK;
}

void journal_delete(struct journal *journal, enum store_kind kind, const char *key)
{
    (void)add(journal, (struct entry){.fact = {.kind = kind, .key = key}});
}

void journal_drop(struct journal *journal, enum store_kind kind, const char *prefix)
{
    (void)add(journal, (struct entry){.fact = {.kind = kind, .key = prefix}, .drop = true});
}

struct journal_stats journal_stats(struct journal *journal)
{
    lock_take(&journal->lock);
    struct journal_stats stats = journal->stats;
    stats.broken |= journal_silent(journal, SILENT_MS);
    lock_release(&journal->lock);
    return stats;
}

bool journal_lasts(const struct journal *journal)
{
    return journal->store && store_lasts(journal->store);
}

bool journal_is_remote(const struct journal *journal)
{
    return journal->remote;
}

bool journal_is_shared(struct journal *journal)
{
    return journal_is_remote(journal) && !journal_stats(journal).broken;
}

bool journal_fault(struct journal *journal, char why[static STORE_ERROR_MAX])
{
    lock_take(&journal->lock);
    const bool mute = journal_silent(journal, SILENT_MS), broken = journal->stats.broken;
    if (mute)
        (void)snprintf(why, STORE_ERROR_MAX, "it has not answered for %.0f seconds",
                       (double)(clock_now() - journal->busy_since) / (double)CLOCK_SECOND);
    else if (broken)
        memcpy(why, journal->why, sizeof journal->why);
    lock_release(&journal->lock);
    return mute || broken;
}

#ifdef CHECKS
static void check_entries(const struct journal *journal)
{
    size_t waiting = 0, bytes = 0;
    struct entry *const *end = &journal->head;
    for (const struct entry *entry = journal->head; entry; end = &entry->next, entry = entry->next, waiting++) {
        assert(entry->fact.key == entry->text && (int)entry->fact.kind < STORE_KINDS);
        assert(entry->size == sizeof *entry + strlen(entry->text) + 1 + entry->fact.size);
        assert(!(entry->drop && entry->change) && (entry->change || !entry->stored));
        bytes += entry->size;
    }
    assert(journal->tail == end);
    assert(journal->stats.waiting == waiting && journal->put - journal->gone == waiting);
    assert(journal->bytes == bytes && bytes <= journal->most);
}

void journal_check(struct journal *journal)
{
    uint64_t older = 0;
    struct waiter *const *end = &journal->waiters;
    if (!lock_take_to_check(&journal->lock))
        return;
    check_entries(journal);
    for (const struct waiter *waiter = journal->waiters; waiter; older = waiter->put, waiter = waiter->next) {
        assert(waiter->put <= journal->put); /* or it would wait for ever */
        assert(waiter->put >= older && waiter->references && !waiter->done);
        end = &waiter->next;
    }
    assert(journal->last == end);
    assert(journal->singly <= journal->stats.waiting);
    assert(journal->stuck || !journal->stats.broken || journal->remote);
    lock_release(&journal->lock);
}
#endif
