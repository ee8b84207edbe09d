/* crew_post.c - what a server hands out, and takes back when nothing comes of it. */
#include "engine/crew_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/batching.h"

static double seconds_per_weight(const struct crew *crew)
{
    return crew->reports >= ENOUGH_REPORTS ? crew->seconds_back / crew->weight_back
                                           : crew->home->options.seconds_per_weight;
}

/* A unit more in a batch: false when there is no room for it. */
static bool add_unit(struct batch_slip *batch, const struct slip_run *unit)
{
    struct slip_run *last = batch->runs ? &batch->run[batch->runs - 1] : NULL;
    const struct slip_place next = last ? slip_place(last, last->count) : unit->from;
    if (last && next.term == unit->from.term && next.unit == unit->from.unit && next.piece == unit->from.piece) {
        last->count++;
        return true;
    }
    batch->run[batch->runs++] = *unit;
    return batch->runs < SLIP_RUNS_MAX;
}

/* Under the lock: one that was handed out in vain, and is still wanted. */
bool crew_take_again(struct crew *crew, size_t *unit)
{
    while (pending_pop(&crew->again, unit))
        if (!crew->class->over(crew->who, *unit))
            return true;
    return false;
}

static bool take_next(struct crew *crew, size_t *unit)
{
    pthread_mutex_lock(&crew->home->lock);
    const bool again = crew_take_again(crew, unit);
    pthread_mutex_unlock(&crew->home->lock);
    return again || crew->class->take(crew->who, unit);
}

/* Takes units for so much weight. */
static void make_batch(struct crew *crew, double most)
{
    size_t unit;
    double weight = 0;
    bool more = true;
    crew->batch = (struct batch_slip){.runs = 0};
    while (more && weight < most && pending_reserve(&crew->out, 1) && take_next(crew, &unit)) {
        struct slip_run run;
        crew->class->place(crew->who, unit, &run);
        more = add_unit(&crew->batch, &run);
        const double one = crew->class->weight(crew->who, unit);
        pending_add(&crew->out, unit, one);
        weight += one;
    }
}

static enum nq_status post(struct crew *crew, const struct batch_slip *batch)
{
    struct bytes text = {0};
    batch_slip_write(batch, &text);
    char *taken = bytes_take(&text);
    const enum nq_status status = taken ? queue_post(crew->home->options.queue, crew->id, taken) : NQ_NOMEM;
    free(taken);
    if (status == NQ_OK) {
        pthread_mutex_lock(&crew->home->lock);
        crew->home->figures.posted++;
        pthread_mutex_unlock(&crew->home->lock);
    }
    return status;
}

/* Whether there is too little that nobody has taken yet: what is out is not all of that, when units take long. */
static bool wants_more(const struct crew *crew, unsigned hands, double each)
{
    return crew->out.weight * each < batching_ahead(hands) || crew->out.count < 2 * (size_t)hands;
}

/* Posts what lies ready too little. A batch that cannot be posted now is the first one later. */
void crew_post_more(struct crew *crew, unsigned hands)
{
    const double each = seconds_per_weight(crew);
    struct work_slip slip = {.query = NULL};
    crew->class->describe(crew->who, &slip);
    double left = ((double)(slip.progress.weight - slip.progress.weight_done) - crew->out.weight) * each;
    for (int i = 0; i < POSTS; i++) {
        if (!crew->batch.runs && wants_more(crew, hands, each))
            make_batch(crew, batching_seconds(left, hands) / each);
        if (!crew->batch.runs || post(crew, &crew->batch) != NQ_OK)
            return;
        crew->batch.runs = 0;
        left -= batching_seconds(left, hands);
    }
}

static void forget_audits(struct crew *crew)
{
    pthread_mutex_lock(&crew->home->lock);
    for (struct audit **at = &crew->audits; *at;) {
        struct audit *audit = *at;
        if (!audit->over) {
            at = &audit->next;
            continue;
        }
        *at = audit->next;
        free(audit);
    }
    pthread_mutex_unlock(&crew->home->lock);
}

/* Only the thread changes the list; lanes what is said in it. */
void crew_post_audits(struct crew *crew)
{
    struct crews *crews = crew->home;
    forget_audits(crew);
    for (struct audit *audit = crew->audits; audit; audit = audit->next) {
        struct batch_slip batch = {.runs = 1};
        pthread_mutex_lock(&crews->lock);
        const bool lonely = !crew_anyone_but(crews, audit->worker);
        const unsigned patience = lonely ? SETTLE_MS : AUDIT_MS + waits_for(audit->weight * seconds_per_weight(crew));
        audit->mine |= timed_long_ago(audit->since, patience);
        const bool wanted = !audit->over && !audit->mine && !audit->posted && !lonely;
        memcpy(batch.not_for, audit->worker, sizeof batch.not_for);
        pthread_mutex_unlock(&crews->lock);
        crew->class->place(crew->who, audit->unit, &batch.run[0]);
        if (wanted && !(audit->posted = post(crew, &batch) == NQ_OK))
            break; /* the broker is away */
    }
}

void crew_say(struct crew *crew)
{
    struct work_slip slip = {.query = crew->query};
    struct bytes text = {0};
    crew->class->describe(crew->who, &slip);
    work_slip_write(&slip, &text);
    char *taken = bytes_take(&text);
    if (taken)
        (void)queue_say(crew->home->options.queue, QUEUE_WORK, crew->id, taken);
    free(taken);
}

/* Takes all back that is out: for others, or for the server's lanes. */
void crew_take_back(struct crew *crew)
{
    if (queue_clear(crew->home->options.queue, crew->id) != NQ_OK)
        return;
    pthread_mutex_lock(&crew->home->lock);
    if (pending_reserve(&crew->again, crew->out.count)) {
        crew->home->figures.reposted += crew->out.count;
        for (size_t i = 0; i < crew->out.count; i++)
            pending_add(&crew->again, crew->out.at[i].unit, crew->out.at[i].weight);
        pending_close(&crew->out);
    } else {
        crew_fail(crew, NQ_NOMEM, "");
    }
    crew->batch.runs = 0;
    pthread_mutex_unlock(&crew->home->lock);
}

/* Nothing has come back for a while: reports may have been lost, and then batches, and those that no worker survives
 * are not handed out any more. */
void crew_unstall(struct crew *crew, unsigned hands)
{
    struct queue_depth depth;
    char why[WORK_WHY_MAX];
    const size_t out = crew->out.count;
    crew->moved = clock_now();
    crew->class->recall(crew->who);
    for (size_t i = crew->out.count; i-- > 0;)
        if (crew->class->over(crew->who, crew->out.at[i].unit))
            (void)crew_settle(crew, crew->out.at[i].unit);
    if (!crew->out.count)
        return;
    const enum nq_status status = queue_depth(crew->home->options.queue, crew->id, &depth);
    const bool lost = status == NQ_NONE || (status == NQ_OK && !depth.ready && !depth.leased);
    if (!hands || lost)
        crew_take_back(crew);
    if (hands && lost && ++crew->reposts > REPOSTS) {
        (void)snprintf(why, sizeof why, "%zu units were handed out again and again, and no worker could count them.",
                       out);
        pthread_mutex_lock(&crew->home->lock);
        crew_fail(crew, NQ_BROKEN, why);
        pthread_mutex_unlock(&crew->home->lock);
    }
}

/* Milliseconds for something to come back. */
unsigned crew_patience(const struct crew *crew)
{
    return STALL_MS + waits_for(crew->out.weight * seconds_per_weight(crew) / (double)crew->out.count);
}

void crew_look_at_depth(struct crew *crew)
{
    struct queue_depth depth = {0};
    if (queue_depth(crew->home->options.queue, crew->id, &depth) != NQ_OK)
        return;
    pthread_mutex_lock(&crew->home->lock);
    crew->ready = depth.ready;
    crew->leased = depth.leased;
    pthread_mutex_unlock(&crew->home->lock);
}
