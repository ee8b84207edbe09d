/* journal_writer.c - writes entries in batches, in order: facts that were put in one go or shortly one after the other
 * are one transaction of the store. Between batches it grants read requests and notifies barriers. */
#include "engine/journal/journal_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "engine/journal/journal_barriers.h"
#include "engine/journal/journal_reads.h"

enum {
    GATHER_MS = 50,  /* for facts to be written together */
    RETRY_MS = 250,  /* before a store that is stuck is tried again */
    CHECK_MS = 1000, /* between two checks of a remote store that nobody uses */
};

/* Under the lock: waits for so many milliseconds, less if a reader or a barrier waits, or a whole batch: 64 threads
 * with units of 3 ms fill four of them while it gathers. For a store that is stuck only closing ends the wait early. */
static void wait_ms(struct journal *journal, unsigned milliseconds)
{
    const uint64_t until = timed_in(milliseconds);
    const bool closing = journal->closing;
    bool early = true;
    while (early && journal->closing == closing && !journal->requests &&
           (journal->stats.broken || !journal->barriers) && (journal->stuck || journal->stats.waiting < JOURNAL_BATCH))
        early = timed_wait(&journal->news, &journal->lock, until);
}

void journal_release(struct journal *journal, size_t count)
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

static enum nq_status write_batch(struct journal *journal, const struct store_fact *facts, size_t count,
                                  const struct entry *first)
{
    assert(count <= JOURNAL_BATCH && first);
    const struct store_fact *fact = &first->fact;
    if (count)
        return store_put(journal->store, facts, count);
    if (first->change)
        return store_amend(journal->store, fact->kind, fact->key, first->change, first->context);
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
    if (broken)
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
    const enum nq_status status = store_check(journal->store);
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
    while (!journal->head && !journal->barriers && !journal->requests && !journal->closing) {
        if (!journal->remote)
            lock_wait(&journal->news, &journal->lock);
        else if (!timed_wait(&journal->news, &journal->lock, journal->checked + CHECK_MS * CLOCK_MILLISECOND))
            check(journal);
    }
}

void *journal_run(void *arg)
{
    struct journal *journal = arg;
    thread_name("journal");
    lock_take(&journal->lock);
    if (journal->remote)
        check(journal);
    while (journal->head || !journal->closing) {
        enum nq_status status = NQ_OK;
        idle(journal);
        barriers_notify(journal, outlook(journal));
        reads_grant(journal);
        if (journal->stuck)
            wait_ms(journal, RETRY_MS);
        else if (journal->head && !journal->head->change && !journal->singly &&
                 !journal->closing) /* nothing goes with a change */
            wait_ms(journal, GATHER_MS);
        reads_grant(journal);
        if (journal->head)
            status = write_some(journal);
        barriers_notify(journal, status == NQ_NOMEM ? status : outlook(journal));
        if (journal->stuck && journal->closing && timed_in(RETRY_MS) >= journal->until)
            break; /* there is no time for another attempt */
    }
    reads_grant(journal);
    journal->ended = true; /* from now on requests and barriers are not put on lists */
    pthread_cond_broadcast(&journal->settled);
    barriers_notify(journal, NQ_CLOSED);
    lock_release(&journal->lock);
    return NULL;
}
