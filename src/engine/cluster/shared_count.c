/* shared_count.c - what a count's tasks ask of the coordinator. */
#include "engine/cluster/shared_count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/stop.h"
#include "base/timed.h"
#include "engine/cluster/audits.h"
#include "engine/cluster/waits.h"

/* Milliseconds between two looks into the store, while it follows. */
enum { LOOK_MS = 500 };

struct shared_count *shared_count_open(struct coordinator *coordinator, const char *query,
                                       const struct shared_count_class *class, void *who)
{
    struct shared_count *shared = calloc(1, sizeof *shared);
    if (!shared)
        return NULL;
    *shared = (struct shared_count){
        .home = coordinator, .class = class, .who = who, .query = strdup(query), .moved_at = clock_now()};
    if (!shared->query) {
        free(shared);
        return NULL;
    }
    work_id(query, shared->id);
    shared->busy = true;
    coordinator_add(coordinator, shared); /* before the claim: an earlier count of the same must not end the work now */
    (void)shared_count_claim(shared, 0);  /* or the thread does it */
    shared_count_leave(shared);
    return shared;
}

static void on_stored(void *who, enum nq_status status)
{
    (void)status;
    struct shared_count *shared = who;
    lock_take(&shared->home->lock);
    shared->stored = true;
    lock_release(&shared->home->lock);
}

void shared_count_close(struct shared_count *shared, bool kept)
{
    assert(!shared->closed);
    struct coordinator *coordinator = shared->home;
    lock_take(&coordinator->lock);
    while (shared->busy)
        (void)timed_wait(&coordinator->left, &coordinator->lock, timed_in(RECEIVE_MS));
    shared->kept = kept;
    shared->closed = true; /* the thread frees it, as soon as it is stored if it is kept */
    lock_release(&coordinator->lock);
    if (kept && !journal_notify(coordinator->options.journal, on_stored, shared))
        on_stored(shared, NQ_NOMEM);
}

/* Another server leads it: its result will be in the store. */
static bool follows(const struct shared_count *shared)
{
    return shared->state == FOLLOWS;
}

/* One task at a time. */
static enum nq_status attend(struct shared_count *shared, const struct slice *slice, const atomic_bool *stop)
{
    assert(atomic_load(&shared->attended));
    if (!follows(shared))
        return shared->begun ? NQ_OK : shared->class->begin(shared->who, stop);
    if (!timed_long_ago(shared->looked_at, LOOK_MS))
        return slice_rest(slice);
    const enum nq_status status = shared->class->look(shared->who, slice, stop);
    if (status == NQ_OK) {
        atomic_store(&shared->complete, true);
        return NQ_END;
    }
    if (status != NQ_NONE)
        return status;
    shared->looked_at = clock_now();
    return slice_rest(slice);
}

enum nq_status shared_count_admit(struct shared_count *shared, const struct slice *slice, const atomic_bool *stop)
{
    if (atomic_load(&shared->complete))
        return NQ_END;
    if (!follows(shared) && shared->begun)
        return NQ_OK;
    if (atomic_exchange(&shared->attended, true))
        return slice_rest(slice);
    const enum nq_status status = attend(shared, slice, stop);
    atomic_store(&shared->attended, false);
    return status;
}

void shared_count_begin(struct shared_count *shared)
{
    atomic_store(&shared->begun, true);
}

void shared_count_recalled(struct shared_count *shared, size_t unit, nq_wide parts)
{
    audits_begin(shared, unit, parts, "the store");
}

/* settled: every worker there is has been received. */
static unsigned threads_now(struct coordinator *coordinator, bool *settled)
{
    lock_take(&coordinator->lock);
    const unsigned threads = coordinator->connected ? workers_threads(coordinator) : 0;
    *settled = coordinator->connected && timed_long_ago(coordinator->connected, SETTLE_MS);
    lock_release(&coordinator->lock);
    return threads;
}

unsigned shared_count_threads(struct shared_count *shared, const atomic_bool *stop)
{
    const struct timespec moment = {.tv_nsec = RECEIVE_MS * CLOCK_MILLISECOND};
    const uint64_t until = timed_in(SETTLE_MS);
    bool settled;
    unsigned threads;
    while (!(threads = threads_now(shared->home, &settled)) && !settled && clock_now() < until && !stop_wanted(stop))
        nanosleep(&moment, NULL);
    return threads;
}

bool shared_count_alone(struct shared_count *shared)
{
    bool settled;
    return !threads_now(shared->home, &settled) && settled;
}

bool shared_count_take_audit(struct shared_count *shared, size_t *unit)
{
    return audits_take(shared, unit);
}

void shared_count_audited(struct shared_count *shared, size_t unit, nq_wide parts)
{
    audits_check(shared, unit, parts, "this server");
}

bool shared_count_doubts(struct shared_count *shared)
{
    return audits_open(shared);
}

enum nq_status shared_count_verdict(struct shared_count *shared, struct fault *fault)
{
    lock_take(&shared->home->lock);
    const enum nq_status status = shared->verdict;
    *fault = shared->fault;
    lock_release(&shared->home->lock);
    return status;
}

void shared_count_progress(struct shared_count *shared, struct progress *progress)
{
    lock_take(&shared->home->lock);
    if (follows(shared) || !shared->begun)
        *progress = shared->progress;
    else
        progress->seconds =
            shared->home->connected ? shared->seconds : 0; /* without a broker it is not kept up to date */
    lock_release(&shared->home->lock);
    if (atomic_load(&shared->complete)) { /* found in the store before the leader has published it */
        progress->weight_done = progress->weight;
        progress->units_done = progress->units;
    }
}
