/* journal_reads.c - reads facts: entries that still wait are younger than what the store has. A caller takes its
 * request back when there is no answer in time. */
#include "engine/journal/journal_reads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"

/* How often a caller that waits looks at its stop flag. */
enum { LOOK_MS = 20 };

/* ---- On the journal's thread ---- */

static bool concerns(const struct entry *entry, enum store_kind kind, const char *key)
{
    if (entry->fact.kind != kind || entry->change)
        return false;
    return entry->drop ? strncmp(key, entry->fact.key, strlen(entry->fact.key)) == 0
                       : strcmp(key, entry->fact.key) == 0;
}

static void read_request_free(struct read_request *request)
{
    bytes_free(&request->found);
    free(request);
}

static bool find(void *context, const char *key, const void *value, size_t size)
{
    struct read_request *request = context;
    bytes_add(&request->found, key, strlen(key) + 1);
    bytes_add(&request->found, &size, sizeof size);
    bytes_add(&request->found, value, size);
    return !request->found.failed;
}

/* Under the lock: what waits of a single fact; false when nothing does. */
static bool find_waiting(const struct journal *journal, struct read_request *request)
{
    const struct entry *last = NULL;
    for (const struct entry *entry = journal->head; entry; entry = entry->next)
        if (concerns(entry, request->kind, request->key))
            last = entry;
    if (!last)
        return false;
    request->status = last->fact.value ? NQ_OK : NQ_NONE;
    if (last->fact.value)
        bytes_add(&request->found, last->fact.value, last->fact.size);
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
static void find_all_waiting(const struct journal *journal, struct read_request *request)
{
    request->status = NQ_BROKEN;
    for (const struct entry *entry = journal->head; entry && !request->found.failed; entry = entry->next) {
        const struct store_fact *fact = &entry->fact;
        if (fact->kind != request->kind || entry->change)
            continue;
        if (entry->drop)
            unfind(&request->found, fact->key);
        else if (strncmp(fact->key, request->key, strlen(request->key)) == 0)
            (void)find(request, fact->key, fact->value, fact->size);
    }
}

/* Under the lock, which it leaves while the store works. */
static void grant(struct journal *journal, struct read_request *request)
{
    const bool stored = journal->gone >= request->put;
    request->state = READ_TAKEN;
    if (!stored && !request->single) {
        find_all_waiting(journal, request);
    } else if (stored || !find_waiting(journal, request)) {
        journal_begin_use(journal);
        request->status = request->single ? store_get(journal->store, request->kind, request->key, &request->found)
                                          : store_each(journal->store, request->kind, request->key, find, request);
        journal_end_use(journal);
        journal->stats.failures += request->status == NQ_BROKEN;
    }
    if (request->found.failed)
        request->status = NQ_NOMEM;
    if (request->state == READ_GIVEN_UP)
        read_request_free(request);
    else
        request->state = READ_GRANTED;
    pthread_cond_broadcast(&journal->settled);
}

void reads_grant(struct journal *journal)
{
    for (struct read_request **at = &journal->requests; *at;) {
        struct read_request *request = *at;
        assert(request->state == READ_LISTED);
        if (journal->gone < request->put && !journal->stuck) {
            at = &request->next;
            continue;
        }
        *at = request->next;
        grant(journal, request);
        at = &journal->requests; /* others may have come or gone */
    }
}

/* ---- On the thread of the caller ---- */

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

/* Under the lock: takes a request back; it is freed, or will be. */
static void give_up(struct journal *journal, struct read_request *request)
{
    if (request->state == READ_TAKEN) {
        request->state = READ_GIVEN_UP;
        return;
    }
    struct read_request **at = &journal->requests;
    assert(request->state == READ_LISTED);
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    read_request_free(request);
}

/* Waits until a request is granted: *out is it then, for the caller to free. */
static enum nq_status request(struct journal *journal, enum store_kind kind, const char *key, bool single,
                              struct deadline deadline, struct read_request **out)
{
    const size_t key_size = strlen(key) + 1;
    struct read_request *request = calloc(1, sizeof *request + key_size);
    const uint64_t since = clock_now();
    if (!request)
        return NQ_NOMEM;
    request->kind = kind;
    request->single = single;
    memcpy(request->key, key, key_size);
    lock_take(&journal->lock);
    request->put = journal->put;
    request->next = journal->requests;
    journal->requests = request;
    pthread_cond_signal(&journal->news);
    enum nq_status status;
    while ((status = wait_status(journal, deadline, since)) == NQ_OK && request->state != READ_GRANTED)
        (void)timed_wait(&journal->settled, &journal->lock, timed_in(LOOK_MS));
    if (request->state == READ_GRANTED)
        status = NQ_OK;
    if (status != NQ_OK)
        give_up(journal, request);
    lock_release(&journal->lock);
    *out = request;
    return status;
}

enum nq_status journal_get(struct journal *journal, enum store_kind kind, const char *key, struct deadline deadline,
                           struct bytes *value)
{
    struct read_request *granted;
    enum nq_status status = request(journal, kind, key, true, deadline, &granted);
    if (status != NQ_OK)
        return status;
    status = granted->status;
    if (status == NQ_OK)
        bytes_add(value, granted->found.data, granted->found.size);
    read_request_free(granted);
    return status;
}

enum nq_status journal_each(struct journal *journal, enum store_kind kind, const char *prefix, struct deadline deadline,
                            journal_reader read, void *context)
{
    struct read_request *granted;
    enum nq_status status = request(journal, kind, prefix, false, deadline, &granted);
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
    read_request_free(granted);
    return status;
}
