/* coordinator_publish.c - what a server hands out of one shared count, and takes back when nothing comes of it:
 * batches, audits and the claim. */
#include "engine/cluster/coordinator_state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timed.h"
#include "engine/cluster/audits.h"
#include "engine/cluster/waits.h"

/* Milliseconds without any result, beside what units take, after which the store is asked. */
enum { STALL_MS = 5000 };

/* Batches that are posted in one go. */
enum { POSTS = 64 };

/* Reports from which on the workers' speed is known. */
enum { ENOUGH_REPORTS = 8 };

/* Times that all batches may come to nothing in a row: no worker survives them. What workers report may get lost, too:
 * of one message in thirty, a million runs of the simulation lost the same one four times, once. */
enum { REPOSTS = 6 };

static double seconds_per_weight(const struct shared_count *shared)
{
    return shared->reports >= ENOUGH_REPORTS ? shared->seconds_back / shared->weight_back
                                             : shared->home->options.seconds_per_weight;
}

/* Adds a unit to a batch. False: it is of another term, or there is no room. */
static bool add_unit(struct batch_message *batch, const struct message_place *unit)
{
    assert(batch->runs <= MESSAGE_RUNS_MAX);
    struct message_run *last = batch->runs ? &batch->run[batch->runs - 1] : NULL;
    const struct message_place next = last ? message_place(last, last->count) : *unit;
    if (next.term != unit->term)
        return false;
    if (last && next.unit == unit->unit && next.piece == unit->piece)
        return last->count++, true;
    if (batch->runs == MESSAGE_RUNS_MAX)
        return false;
    batch->run[batch->runs++] = (struct message_run){*unit, 1};
    return true;
}

static bool next_unit(struct shared_count *shared, size_t *unit)
{
    if (!shared->has_held)
        return shared->class->take(shared->who, unit);
    shared->has_held = false;
    *unit = shared->held;
    return true;
}

/* Fills the batch with units of a term, for so much weight. */
static void make_batch(struct shared_count *shared, double most)
{
    assert(shared->busy && shared->batch.runs == 0); /* units of a batch that is not posted would be lost */
    size_t unit;
    shared->batch = (struct batch_message){.query = shared->query};
    for (double weight = 0; weight < most && next_unit(shared, &unit);) {
        struct message_place place;
        const char *name = shared->class->place(shared->who, unit, &place);
        const double one = shared->class->weight(shared->who, unit);
        shared->has_held = !add_unit(&shared->batch, &place);
        shared->held = unit;
        if (shared->has_held)
            return;
        shared->batch.name = (char *)name;
        shared->handed_out = true;
        shared->out += one;
        shared->out_count++;
        weight += one;
    }
}

static enum nq_status post(struct shared_count *shared, enum queue_kind kind, const struct batch_message *batch)
{
    struct bytes text = {0};
    batch_message_write(batch, &text);
    char *taken = bytes_take(&text);
    const enum nq_status status =
        taken ? queue_post(shared->home->options.queue, shared->id, &shared->claim, kind, taken) : NQ_NOMEM;
    free(taken);
    if (status == NQ_OK) {
        lock_take(&shared->home->lock);
        shared->home->stats.posted++;
        lock_release(&shared->home->lock);
    }
    return status;
}

/* Seconds of one thread that the next batch should take: long enough that handing it out costs little, and towards the
 * end a fraction of what is left, so that no thread is late. left: seconds of one thread that all units take which are
 * not handed out; threads: of all workers. After guided self-scheduling: C. Polychronopoulos and D. Kuck, IEEE
 * Transactions on Computers C-36 (1987). */
static double seconds_of_batch(double left, unsigned threads)
{
    assert(threads > 0);
    const double most = 1, least = 0.05;
    return fmax(fmin(left / (2.0 * threads), most), least);
}

/* Whether too little is ready: of what is out, the workers have taken a part, most of it when units take long. */
static bool wants_more(const struct shared_count *shared, unsigned threads, double each)
{
    return shared->out * each < 2.0 * threads || shared->out_count < 2 * (size_t)threads;
}

/* A batch that cannot be posted now is the first one later. */
void shared_count_post_more(struct shared_count *shared, unsigned threads)
{
    const double each = seconds_per_weight(shared);
    struct progress progress = {.weight = 0};
    shared->class->progress(shared->who, &progress);
    double left = ((double)(progress.weight - progress.weight_done) - shared->out) * each;
    for (int i = 0; i < POSTS; i++) {
        if (!shared->batch.runs && wants_more(shared, threads, each))
            make_batch(shared, seconds_of_batch(left, threads) / each);
        if (!shared->batch.runs || post(shared, QUEUE_BATCH, &shared->batch) != NQ_OK)
            return;
        shared->batch.runs = 0;
        left -= seconds_of_batch(left, threads);
    }
}

void shared_count_post_audits(struct shared_count *shared)
{
    struct coordinator *coordinator = shared->home;
    int posts = 0;
    audits_forget(shared, false);
    for (struct audit *audit = shared->audits; audit; audit = audit->next) {
        struct batch_message batch = {.query = shared->query, .runs = 1, .run = {{.count = 1}}};
        batch.name = (char *)shared->class->place(shared->who, audit->unit, &batch.run[0].from);
        const double seconds = shared->class->weight(shared->who, audit->unit) * seconds_per_weight(shared);
        lock_take(&coordinator->lock);
        const bool lonely = !workers_other_than(coordinator, audit->worker);
        if (audit->state < AUDIT_OWN &&
            timed_long_ago(audit->since, lonely ? SETTLE_MS : AUDIT_MS + waits_for(seconds)))
            audit->state = AUDIT_OWN;
        const bool wanted = audit->state == AUDIT_NEW && !lonely && posts < POSTS;
        memcpy(batch.not_for, audit->worker, sizeof batch.not_for);
        lock_release(&coordinator->lock);
        if (!wanted)
            continue;
        if (post(shared, QUEUE_AUDIT, &batch) != NQ_OK)
            return; /* the broker is away */
        posts++;
        lock_take(&coordinator->lock);
        if (audit->state == AUDIT_NEW)
            audit->state = AUDIT_POSTED;
        lock_release(&coordinator->lock);
    }
}

/* ---- The claim ---- */

/* Seconds of a unit that is out, on average. */
static double seconds_of_unit(const struct shared_count *shared)
{
    return shared->out_count ? shared->out * seconds_per_weight(shared) / (double)shared->out_count : 0;
}

/* Seconds to go, by what workers have needed so far, with all their threads, or the server's if there are none; 0: not
 * known. No less than a unit that is out; a unit that is late may be lost: then it comes once more when its lease is
 * over. */
static double seconds_to_go(const struct shared_count *shared, const struct progress *progress, unsigned threads)
{
    const struct coordinator_options *options = &shared->home->options;
    const double one = seconds_of_unit(shared);
    if (shared->reports < ENOUGH_REPORTS)
        return 0;
    const double left = (double)(progress->weight - progress->weight_done) * seconds_per_weight(shared) /
                        (threads ? threads : options->threads);
    const bool late =
        shared->out_count && timed_long_ago(shared->moved_at, CLAIM_MS + (unsigned)(1000 * fmin(one, 3600)));
    return fmin(fmax(left, one) + (late ? options->lease_ms / 1e3 : 0), MESSAGE_SECONDS_MAX);
}

/* How far it is, for servers that follow; NULL: out of memory. */
static char *describe(struct shared_count *shared, unsigned threads)
{
    struct progress progress = {.weight = 0};
    struct bytes text = {0};
    shared->class->progress(shared->who, &progress);
    progress.seconds = seconds_to_go(shared, &progress, threads);
    lock_take(&shared->home->lock);
    shared->seconds = progress.seconds;
    lock_release(&shared->home->lock);
    progress_write(&progress, &text);
    return bytes_take(&text);
}

/* Only where its batches can be taken: otherwise they would stay. */
static enum nq_status lead(struct shared_count *shared)
{
    const enum nq_status status = queue_prepare(shared->home->options.queue);
    if (status != NQ_OK)
        return status;
    if (shared->state == FOLLOWS)
        coordinator_log(shared->home, "takeover", "this server goes on with %.300s, which another one led",
                        shared->query);
    shared->state = LEADS;
    return NQ_OK;
}

static void follow(struct shared_count *shared, const struct bytes *note)
{
    struct progress progress;
    shared->state = FOLLOWS;
    if (progress_read(&progress, note->data, note->size) != NQ_OK)
        return;
    lock_take(&shared->home->lock);
    shared->progress = progress;
    lock_release(&shared->home->lock);
}

bool shared_count_claim(struct shared_count *shared, unsigned threads)
{
    struct queue *queue = shared->home->options.queue;
    struct bytes theirs = {0};
    char *note = shared->begun ? describe(shared, threads) : NULL;
    enum nq_status status = queue_claim(queue, shared->id, note ? note : "", &shared->claim, &theirs);
    if (status == NQ_OK || shared->claimed_at || shared->state != LEADS)
        shared->claimed_at = clock_now();
    if (status == NQ_OK && shared->state != LEADS)
        status = lead(shared);
    if (status == NQ_DENIED)
        follow(shared, &theirs);
    bytes_free(&theirs);
    free(note);
    return status == NQ_OK;
}

/* ---- What does not come back ---- */

static void log_withdrawn(const struct shared_count *shared, unsigned threads)
{
    if (threads)
        coordinator_log(shared->home, "takeover", "%zu units of %.300s came to nothing and are handed out again",
                        shared->out_count, shared->query);
    else
        coordinator_log(shared->home, "takeover", "no worker is left: this server itself counts %zu units of %.300s",
                        shared->out_count, shared->query);
}

void shared_count_withdraw(struct shared_count *shared, unsigned threads)
{
    if (shared->out_count)
        log_withdrawn(shared, threads);
    lock_take(&shared->home->lock);
    shared->home->stats.reposted += shared->out_count;
    for (struct audit *audit = shared->audits; audit; audit = audit->next)
        if (audit->state == AUDIT_POSTED)
            audit->state = AUDIT_NEW;
    lock_release(&shared->home->lock);
    shared->out = 0;
    shared->out_count = 0;
    shared->has_held = false;
    shared->handed_out = false;
    shared->batch.runs = 0;
    shared->claim.serial++; /* the batches that were posted are worth nothing: */
    shared->claimed_at = 0; /* as soon as it is claimed so, before others are posted */
    shared->class->rewind(shared->who);
}

void shared_count_recover_stalled(struct shared_count *shared, unsigned threads)
{
    uint64_t batches;
    struct fault fault;
    struct progress progress = {.weight = 0};
    if (!shared->handed_out || !timed_long_ago(shared->moved_at, STALL_MS + waits_for(seconds_of_unit(shared))))
        return;
    shared->moved_at = clock_now();
    shared->class->progress(shared->who, &progress);
    const size_t open = progress.units - progress.units_done, out = shared->out_count;
    if (!open || queue_left(shared->home->options.queue, shared->id, &shared->claim, &batches) != NQ_OK || batches)
        return;
    shared_count_withdraw(shared, threads);
    if (out && ++shared->reposts > REPOSTS) {
        fault_write(&fault, FAULT_UNITS, (const double[]){(double)open},
                    "%zu units were handed out again and again, and no worker could count them.", open);
        lock_take(&shared->home->lock);
        shared_count_fail(shared, NQ_BROKEN, &fault);
        lock_release(&shared->home->lock);
    }
}
