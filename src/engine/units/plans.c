/* plans.c - a list of plans under one lock, which is not held while a plan is made. Plans without tables are not in the
 * list. */
#include "engine/units/plans.h"

#include <assert.h>
#include <stdlib.h>

#include "base/lock.h"
#include "base/timed.h"
#include "count/counting.h"

/* A thread that waits for a plan looks at its stop flag so often. */
enum { LOOK_MS = 20 };

struct kept {
    struct kept *next; /* least recently used last */
    const struct method *method;
    struct filter filter;
    void *plan;   /* NULL: it is being made */
    size_t bytes; /* of its tables, as method.memory() estimates */
    unsigned users;
};

struct plans {
    struct plan_source source;
    struct lock lock; /* guards all below */
    pthread_cond_t made;
    unsigned threads;
    double split_weight;
    size_t most, bytes;
    struct kept *list;
    uint64_t count;
};

/* ---- Under the lock ---- */

static void unlink_kept(struct plans *plans, struct kept *kept)
{
    lock_assert(&plans->lock);
    struct kept **at = &plans->list;
    while (*at != kept)
        at = &(*at)->next;
    *at = kept->next;
}

static void link_first(struct plans *plans, struct kept *kept)
{
    kept->next = plans->list;
    plans->list = kept;
}

/* Moves a plan from the list to those that release_all() frees after unlocking: tables can be large. */
static void drop(struct plans *plans, struct kept *kept, struct kept **dropped)
{
    assert(plans->bytes >= kept->bytes);
    unlink_kept(plans, kept);
    plans->bytes -= kept->bytes;
    kept->next = *dropped;
    *dropped = kept;
}

static struct kept *find(const struct plans *plans, const struct method *method, const struct filter *filter)
{
    struct kept *kept = plans->list;
    while (kept && !(kept->method == method && filter_equal(&kept->filter, filter)))
        kept = kept->next;
    return kept;
}

/* Drops the least recently used plan that is not in use. False: all are in use. */
static bool drop_one(struct plans *plans, struct kept **dropped)
{
    struct kept *idle = NULL;
    for (struct kept *kept = plans->list; kept; kept = kept->next)
        if (!kept->users)
            idle = kept;
    if (idle)
        drop(plans, idle, dropped);
    return idle;
}

/* Drops plans until so many bytes are free. False, and nothing is dropped: plans in use leave too few. */
static bool make_room(struct plans *plans, double bytes, struct kept **dropped)
{
    size_t used = 0;
    for (const struct kept *kept = plans->list; kept; kept = kept->next)
        used += kept->users ? kept->bytes : 0;
    if (used > plans->most || bytes > (double)(plans->most - used))
        return false;
    while (bytes > (double)(plans->most - plans->bytes) && drop_one(plans, dropped)) {
    }
    return true;
}

/* Adds an entry for a plan that is to be made. NULL: it has no tables, or there is no room or no memory for them. */
static struct kept *add(struct plans *plans, const struct method *method, const struct filter *filter,
                        struct kept **dropped)
{
    const double bytes = method->memory ? method->memory(filter, SIZE_MAX).shared : 0;
    struct kept *kept = method->memory && make_room(plans, bytes, dropped) ? calloc(1, sizeof *kept) : NULL;
    if (!kept)
        return NULL;
    *kept = (struct kept){.method = method, .filter = *filter, .bytes = (size_t)bytes, .users = 1};
    link_first(plans, kept);
    plans->bytes += kept->bytes;
    return kept;
}

/* ---- Not under the lock ---- */

static void release_all(struct kept *dropped)
{
    while (dropped) {
        struct kept *kept = dropped;
        dropped = kept->next;
        if (kept->plan)
            kept->method->release(kept->plan);
        free(kept);
    }
}

/* ---- The source ---- */

/* Returns a plan of the list; waits for one that another thread makes. Or sets *plan to NULL: then the caller makes it,
 * and *mine is its entry, if it has one. */
static enum nq_status look(struct plans *plans, const struct method *method, const struct filter *filter,
                           const atomic_bool *stop, void **plan, struct kept **mine)
{
    enum nq_status status = NQ_OK;
    struct kept *dropped = NULL;
    *plan = NULL;
    *mine = NULL;
    lock_take(&plans->lock);
    struct kept *kept;
    while ((kept = find(plans, method, filter)) && !kept->plan && status == NQ_OK) {
        (void)timed_wait(&plans->made, &plans->lock, timed_in(LOOK_MS));
        if (stop_wanted_locked(stop)) /* set aside while it holds the lock, this thread would stop the maker */
            status = NQ_CANCELLED;
    }
    if (status == NQ_OK && kept) {
        unlink_kept(plans, kept);
        link_first(plans, kept);
        kept->users++;
        *plan = kept->plan;
    } else if (status == NQ_OK) {
        *mine = add(plans, method, filter, &dropped);
        plans->count++;
    }
    lock_release(&plans->lock);
    release_all(dropped);
    return status;
}

static enum nq_status take(void *context, const struct method *method, const struct filter *filter,
                           const atomic_bool *stop, void **plan)
{
    struct plans *plans = context;
    struct kept *mine, *dropped = NULL;
    enum nq_status status = look(plans, method, filter, stop, plan, &mine);
    if (status != NQ_OK || *plan)
        return status;
    void *made = NULL;
    struct method_means means = {
        .tables = mine ? mine->bytes : 0, .threads = plans->threads, .split_weight = plans->split_weight};
    status = method->prepare(filter, &means, stop, &made);
    if (mine) {
        lock_take(&plans->lock);
        mine->plan = made;
        if (status != NQ_OK)
            drop(plans, mine, &dropped);
        while (status == NQ_NOMEM && drop_one(plans, &dropped)) {
        }
        pthread_cond_broadcast(&plans->made);
        lock_release(&plans->lock);
        release_all(dropped);
        means.tables = 0;
        if (status == NQ_NOMEM) /* without tables it may succeed */
            status = method->prepare(filter, &means, stop, &made);
    }
    if (status == NQ_OK)
        *plan = made;
    return status;
}

static void give(void *context, const struct method *method, void *plan)
{
    struct plans *plans = context;
    lock_take(&plans->lock);
    struct kept *kept = plans->list;
    while (kept && kept->plan != plan)
        kept = kept->next;
    if (kept)
        kept->users--;
    lock_release(&plans->lock);
    if (!kept)
        method->release(plan);
}

struct plans *plans_new(size_t bytes, unsigned threads, double split_weight)
{
    struct plans *plans = calloc(1, sizeof *plans);
    if (!plans)
        return NULL;
    plans->source = (struct plan_source){.take = take, .give = give, .context = plans};
    plans->most = bytes;
    plans->threads = threads;
    plans->split_weight = split_weight;
    lock_init(&plans->lock, LOCK_PLANS);
    timed_init(&plans->made);
    return plans;
}

const struct plan_source *plans_source(const struct plans *plans)
{
    return &plans->source;
}

void plans_free(struct plans *plans)
{
    if (!plans)
        return;
    release_all(plans->list);
    pthread_cond_destroy(&plans->made);
    lock_destroy(&plans->lock);
    free(plans);
}

struct plans_stats plans_stats(struct plans *plans)
{
    lock_take(&plans->lock);
    struct plans_stats stats = {.bytes = plans->bytes, .made = plans->count};
    for (const struct kept *kept = plans->list; kept; kept = kept->next)
        stats.plans++;
    lock_release(&plans->lock);
    return stats;
}
