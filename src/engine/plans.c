/* plans.c - a list of plans under one lock, which is not held while one is made. Plans without tables are not on it. */
#include "engine/plans.h"

#include <stdlib.h>

#include "base/timed.h"
#include "count/counting.h"

/* Between two looks at the stop flag of who waits for a plan that another one makes. */
enum { LOOK_MS = 20 };

struct kept {
    struct kept *next; /* the one used last comes first */
    const struct method *method;
    struct filter filter;
    void *plan;   /* NULL: it is being made */
    size_t bytes; /* of its tables, told beforehand */
    unsigned users;
};

struct plans {
    struct plan_source source;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t made;
    unsigned threads;
    size_t most, bytes;
    struct kept *list;
    uint64_t count;
};

/* ---- Under the lock ---- */

static void unlink_kept(struct plans *plans, struct kept *kept)
{
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

/* Takes one off the list, for release_all after unlocking: tables can be large. */
static void drop(struct plans *plans, struct kept *kept, struct kept **dropped)
{
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

/* Drops what nobody uses and was used longest ago; false: everything is in use. */
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

/* Makes room for so many bytes; false, and nothing is dropped, if it cannot be. */
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

/* Makes room for a plan's tables and puts it on the list. NULL: there is none, or no memory. */
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

/* The plan there is; or NULL and the place of one that is to be made. */
static enum nq_status look(struct plans *plans, const struct method *method, const struct filter *filter,
                           const atomic_bool *stop, void **plan, struct kept **mine)
{
    enum nq_status status = NQ_OK;
    struct kept *dropped = NULL;
    *plan = NULL;
    *mine = NULL;
    pthread_mutex_lock(&plans->lock);
    struct kept *kept;
    while ((kept = find(plans, method, filter)) && !kept->plan && status == NQ_OK) {
        (void)timed_wait(&plans->made, &plans->lock, timed_in(LOOK_MS));
        if (stop_wanted(stop))
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
    pthread_mutex_unlock(&plans->lock);
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
    struct method_means means = {.tables = mine ? mine->bytes : 0, .threads = plans->threads};
    status = method->prepare(filter, &means, stop, &made);
    if (mine) {
        pthread_mutex_lock(&plans->lock);
        mine->plan = made;
        if (status != NQ_OK)
            drop(plans, mine, &dropped);
        while (status == NQ_NOMEM && drop_one(plans, &dropped)) {
        }
        pthread_cond_broadcast(&plans->made);
        pthread_mutex_unlock(&plans->lock);
        release_all(dropped);
        means.tables = 0;
        if (status == NQ_NOMEM) /* less may do */
            status = method->prepare(filter, &means, stop, &made);
    }
    if (status == NQ_OK)
        *plan = made;
    return status;
}

static void give(void *context, const struct method *method, void *plan)
{
    struct plans *plans = context;
    pthread_mutex_lock(&plans->lock);
    struct kept *kept = plans->list;
    while (kept && kept->plan != plan)
        kept = kept->next;
    if (kept)
        kept->users--;
    pthread_mutex_unlock(&plans->lock);
    if (!kept)
        method->release(plan);
}

struct plans *plans_new(size_t bytes, unsigned threads)
{
    struct plans *plans = calloc(1, sizeof *plans);
    if (!plans)
        return NULL;
    plans->source = (struct plan_source){.take = take, .give = give, .context = plans};
    plans->most = bytes;
    plans->threads = threads;
    pthread_mutex_init(&plans->lock, NULL);
    timed_init(&plans->made);
    return plans;
}

const struct plan_source *plans_source(const struct plans *plans)
{
    return &plans->source;
}

void plans_free(struct plans *plans)
{
    release_all(plans->list);
    pthread_cond_destroy(&plans->made);
    pthread_mutex_destroy(&plans->lock);
    free(plans);
}

struct plans_figures plans_figures(struct plans *plans)
{
    pthread_mutex_lock(&plans->lock);
    struct plans_figures figures = {.bytes = plans->bytes, .made = plans->count};
    for (const struct kept *kept = plans->list; kept; kept = kept->next)
        figures.plans++;
    pthread_mutex_unlock(&plans->lock);
    return figures;
}
