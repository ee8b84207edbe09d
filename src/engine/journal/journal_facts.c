/* journal_facts.c - starts and ends a journal, accepts the facts to be stored, and reports its state. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/journal/journal_barriers.h"
#include "engine/journal/journal_writer.h"

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
        barriers_notify(journal, NQ_CLOSED);
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

enum nq_status journal_amend(struct journal *journal, enum store_kind kind, const char *key, store_change *change,
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
    uint64_t younger = UINT64_MAX;
    if (!lock_take_to_check(&journal->lock))
        return;
    check_entries(journal);
    for (const struct barrier *barrier = journal->barriers; barrier; younger = barrier->put, barrier = barrier->next) {
        assert(barrier->put <= journal->put); /* or it would wait for ever */
        assert(barrier->put <= younger && barrier->notify);
    }
    for (const struct read_request *request = journal->requests; request; request = request->next)
        assert(request->state == READ_LISTED && request->put <= journal->put);
    assert(journal->singly <= journal->stats.waiting);
    assert(journal->stuck || !journal->stats.broken || journal->remote);
    lock_release(&journal->lock);
}
#endif
