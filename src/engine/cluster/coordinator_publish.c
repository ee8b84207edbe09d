/* coordinator_publish.c - batches, audits and announcements of one shared count. */
#include "engine/cluster/coordinator_publish.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timed.h"
#include "engine/cluster/audits.h"
#include "engine/cluster/batching.h"
#include "engine/cluster/waits.h"

/* Milliseconds without any result, beside what units take, after which the store is asked. */
enum { STALL_MS = 5000 };

/* Batches that are posted in one go. */
enum { POSTS = 64 };

/* Reports from which on the workers' speed is known. */
enum { ENOUGH_REPORTS = 8 };

/* Times that all batches may get lost in a row: no worker survives them. */
enum { REPOSTS = 3 };

static double seconds_per_weight(const struct shared_count *shared)
{
    return shared->reports >= ENOUGH_REPORTS ? shared->seconds_back / shared->weight_back
                                             : shared->home->options.seconds_per_weight;
}

/* Adds a unit to a batch. False: then the batch is full. */
static bool add_unit(struct batch_message *batch, const struct message_run *unit)
{
    struct message_run *last = batch->runs ? &batch->run[batch->runs - 1] : NULL;
    const struct message_place next = last ? message_place(last, last->count) : unit->from;
    if (last && next.term == unit->from.term && next.unit == unit->from.unit && next.piece == unit->from.piece) {
        last->count++;
        return true;
    }
    batch->run[batch->runs++] = *unit;
    return batch->runs < MESSAGE_RUNS_MAX;
}

/* Fills the batch with units for so much weight. */
static void make_batch(struct shared_count *shared, double most)
{
    size_t unit;
    double weight = 0;
    bool more = true;
    shared->batch = (struct batch_message){.runs = 0};
    while (more && weight < most && pending_reserve(&shared->out, 1) &&
           (shared_count_take_requeued(shared, &unit) || shared->class->take(shared->who, &unit))) {
        struct message_run run;
        shared->class->place(shared->who, unit, &run);
        more = add_unit(&shared->batch, &run);
        const double one = shared->class->weight(shared->who, unit);
        pending_add(&shared->out, unit, one);
        weight += one;
    }
}

static enum nq_status post(struct shared_count *shared, const struct batch_message *batch)
{
    struct bytes text = {0};
    batch_message_write(batch, &text);
    char *taken = bytes_take(&text);
    const enum nq_status status = taken ? queue_post(shared->home->options.queue, shared->id, taken) : NQ_NOMEM;
    free(taken);
    if (status == NQ_OK) {
        lock_take(&shared->home->lock);
        shared->home->stats.posted++;
        lock_release(&shared->home->lock);
    }
    return status;
}

/* Whether too little is ready: of what is out, the workers have taken a part, most of it when units take long. */
static bool wants_more(const struct shared_count *shared, unsigned threads, double each)
{
    return shared->out.weight * each < batching_ahead(threads) || shared->out.count < 2 * (size_t)threads;
}

/* A batch that cannot be posted now is the first one later. */
void shared_count_post_more(struct shared_count *shared, unsigned threads)
{
    const double each = seconds_per_weight(shared);
    struct work_message message = {.query = NULL};
    shared->class->describe(shared->who, &message);
    double left = ((double)(message.progress.weight - message.progress.weight_done) - shared->out.weight) * each;
    for (int i = 0; i < POSTS; i++) {
        if (!shared->batch.runs && wants_more(shared, threads, each))
            make_batch(shared, batching_seconds(left, threads) / each);
        if (!shared->batch.runs || post(shared, &shared->batch) != NQ_OK)
            return;
        shared->batch.runs = 0;
        left -= batching_seconds(left, threads);
    }
}

void shared_count_post_audits(struct shared_count *shared)
{
    struct coordinator *coordinator = shared->home;
    audits_forget(shared, false);
    for (struct audit *audit = shared->audits; audit; audit = audit->next) {
        struct batch_message batch = {.runs = 1, .run = {{audit->place, 1}}};
        lock_take(&coordinator->lock);
        const bool lonely = !workers_other_than(coordinator, audit->worker);
        const unsigned wait = lonely ? SETTLE_MS : AUDIT_MS + waits_for(audit->weight * seconds_per_weight(shared));
        audit->own |= timed_long_ago(audit->since, wait);
        const bool wanted = !audit->over && !audit->own && !audit->posted && !lonely;
        memcpy(batch.not_for, audit->worker, sizeof batch.not_for);
        lock_release(&coordinator->lock);
        if (wanted && !(audit->posted = post(shared, &batch) == NQ_OK))
            break; /* the broker is away */
    }
}

/* ---- Announcements ---- */

/* Seconds to go, by what workers have needed so far, with all their threads, or the server's if there are none; 0: not
 * known. No less than the longest unit that is out; a unit that is late may be lost: then it comes once more when its
 * lease is over. */
static double seconds_to_go(const struct shared_count *shared, const struct progress *progress, unsigned threads)
{
    const struct coordinator_options *options = &shared->home->options;
    const double each = seconds_per_weight(shared);
    double longest = 0;
    if (shared->reports < ENOUGH_REPORTS)
        return 0;
    for (size_t i = 0; i < shared->out.count; i++)
        longest = fmax(longest, shared->out.at[i].weight * each);
    const double left =
        (double)(progress->weight - progress->weight_done) * each / (threads ? threads : options->threads);
    const bool late =
        shared->out.count && timed_long_ago(shared->moved_at, CLAIM_MS + (unsigned)(1000 * fmin(longest, 3600)));
    return fmin(fmax(left, longest) + (late ? options->lease_ms / 1e3 : 0), MESSAGE_SECONDS_MAX);
}

/* The announcement; NULL: out of memory. */
static char *describe(struct shared_count *shared, unsigned threads)
{
    struct work_message message = {.query = shared->query};
    struct bytes text = {0};
    shared->class->describe(shared->who, &message);
    message.progress.seconds = seconds_to_go(shared, &message.progress, threads);
    lock_take(&shared->home->lock);
    shared->seconds = message.progress.seconds;
    lock_release(&shared->home->lock);
    work_message_write(&message, &text);
    return bytes_take(&text);
}

/* First withdraws what an earlier leader posted: it is not known here. */
static enum nq_status lead(struct shared_count *shared)
{
    const enum nq_status status = queue_clear(shared->home->options.queue, shared->id);
    if (status != NQ_OK)
        return status;
    if (shared->state == FOLLOWS)
        coordinator_log(shared->home, "takeover", "this server goes on with %.300s, which another one led",
                        shared->query);
    shared->state = LEADS;
    return NQ_OK;
}

/* The announcement is left with the claim, too, for a server that takes over. */
bool shared_count_claim(struct shared_count *shared, unsigned threads)
{
    struct queue *queue = shared->home->options.queue;
    struct bytes theirs = {0};
    char *note = shared->begun ? describe(shared, threads) : NULL;
    enum nq_status status = queue_claim(queue, shared->id, note ? note : "", &shared->claim, &theirs);
    shared->claimed_at = clock_now();
    shared->described = note;
    if (status == NQ_OK && shared->state != LEADS)
        status = lead(shared);
    if (status == NQ_DENIED) {
        shared_count_note_progress(shared, theirs.data, theirs.size);
        shared->state = FOLLOWS;
    }
    if (status == NQ_OK && note)
        (void)queue_publish(queue, QUEUE_WORK, shared->id, note);
    bytes_free(&theirs);
    free(note);
    return status == NQ_OK;
}

/* ---- What does not come back ---- */

static void log_withdrawn(const struct shared_count *shared, size_t out, unsigned threads)
{
    if (threads)
        coordinator_log(shared->home, "takeover", "%zu units of %.300s came to nothing and are handed out again", out,
                        shared->query);
    else
        coordinator_log(shared->home, "takeover", "no worker is left: this server itself counts %zu units of %.300s",
                        out, shared->query);
}

void shared_count_withdraw(struct shared_count *shared, unsigned threads)
{
    const size_t out = shared->out.count;
    if (queue_clear(shared->home->options.queue, shared->id) != NQ_OK)
        return;
    lock_take(&shared->home->lock);
    if (pending_reserve(&shared->requeued, shared->out.count)) {
        shared->home->stats.reposted += shared->out.count;
        for (size_t i = 0; i < shared->out.count; i++)
            pending_add(&shared->requeued, shared->out.at[i].unit, shared->out.at[i].weight);
        pending_close(&shared->out);
    } else {
        shared_count_fail(shared, NQ_NOMEM, &(struct fault){0});
    }
    shared->batch.runs = 0;
    lock_release(&shared->home->lock);
    if (out)
        log_withdrawn(shared, out, threads);
}

/* Milliseconds within which a result must come. */
static unsigned stall_ms(const struct shared_count *shared)
{
    return STALL_MS + waits_for(shared->out.weight * seconds_per_weight(shared) / (double)shared->out.count);
}

void shared_count_recover_stalled(struct shared_count *shared, unsigned threads)
{
    struct queue_depth depth;
    struct fault fault;
    const size_t out = shared->out.count;
    if (!out || !timed_long_ago(shared->moved_at, stall_ms(shared)))
        return;
    shared->moved_at = clock_now();
    shared->class->recall(shared->who); /* reports may have been lost */
    for (size_t i = shared->out.count; i-- > 0;)
        if (shared->class->over(shared->who, shared->out.at[i].unit))
            (void)shared_count_settle(shared, shared->out.at[i].unit);
    if (!shared->out.count)
        return;
    const enum nq_status status = queue_depth(shared->home->options.queue, shared->id, &depth);
    const bool lost = status == NQ_NONE || (status == NQ_OK && !depth.ready && !depth.leased);
    if (!threads || lost)
        shared_count_withdraw(shared, threads);
    if (threads && lost && ++shared->reposts > REPOSTS) {
        fault_write(&fault, FAULT_UNITS, (const double[]){(double)out},
                    "%zu units were handed out again and again, and no worker could count them.", out);
        lock_take(&shared->home->lock);
        shared_count_fail(shared, NQ_BROKEN, &fault);
        lock_release(&shared->home->lock);
    }
}

void shared_count_measure(struct shared_count *shared)
{
    struct queue_depth depth = {0};
    if (queue_depth(shared->home->options.queue, shared->id, &depth) != NQ_OK)
        return;
    lock_take(&shared->home->lock);
    shared->ready = depth.ready;
    shared->leased = depth.leased;
    lock_release(&shared->home->lock);
}
