/* query.c - the public query. It collects squares; nothing is searched here. */
#include "library/query.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "solvers/solver.h"

bool library_rule(const char *name, const struct rule **rule)
{
    const size_t i = name ? rule_find(name, strlen(name)) : 0;
    *rule = rules[i];
    return *rule;
}

enum nq_status nq_query_open(uint32_t n, const char *rule, struct nq_query **out)
{
    const struct rule *its;
    if (!library_rule(rule, &its))
        return NQ_INVALID;
    if (n > FILTER_MAX_N)
        return NQ_LIMIT;
    struct nq_query *query = calloc(1, sizeof *query);
    if (!query)
        return NQ_NOMEM;
    query->n = n;
    query->rule = its;
    *out = query;
    return NQ_OK;
}

static enum nq_status mark(uint64_t *rows, uint32_t n, uint32_t row, uint32_t column)
{
    if (row >= n || column >= n)
        return NQ_INVALID;
    rows[row] |= UINT64_C(1) << column;
    return NQ_OK;
}

enum nq_status nq_query_place(struct nq_query *query, uint32_t row, uint32_t column)
{
    return mark(query->placed, query->n, row, column);
}

enum nq_status nq_query_exclude(struct nq_query *query, uint32_t row, uint32_t column)
{
    return mark(query->excluded, query->n, row, column);
}

enum nq_status nq_query_symmetry(struct nq_query *query, enum nq_symmetry symmetry)
{
    static const enum query_symmetry of[] = {[NQ_SYMMETRY_NONE] = SYMMETRY_ANY,
                                             [NQ_SYMMETRY_POINT] = SYMMETRY_POINT,
                                             [NQ_SYMMETRY_QUARTER] = SYMMETRY_QUARTER};
    if ((unsigned)symmetry >= sizeof of / sizeof of[0])
        return NQ_INVALID;
    query->symmetry = of[symmetry];
    return NQ_OK;
}

enum nq_status library_distinct(enum nq_distinct distinct, enum query_distinct *out)
{
    static const enum query_distinct of[] = {[NQ_DISTINCT_ALL] = DISTINCT_ALL,
                                             [NQ_DISTINCT_FUNDAMENTAL] = DISTINCT_FUNDAMENTAL,
                                             [NQ_DISTINCT_MIRROR] = DISTINCT_MIRROR};
    if ((unsigned)distinct >= sizeof of / sizeof of[0])
        return NQ_INVALID;
    *out = of[distinct];
    return NQ_OK;
}

enum nq_status nq_query_distinct(struct nq_query *query, enum nq_distinct distinct)
{
    return library_distinct(distinct, &query->distinct);
}

void nq_query_close(struct nq_query *query)
{
    free(query);
}

/* Applies a function to the squares of a set. Returns the symmetries, as bits, that do not carry it into itself. */
static unsigned apply(const uint64_t *rows, struct filter *filter,
                      void (*function)(struct filter *filter, uint32_t row, uint32_t column))
{
    struct filter marks;
    filter_begin(&marks, filter->n);
    memcpy(marks.allow, rows, sizeof marks.allow);
    for (uint32_t row = 0; row < filter->n; row++)
        for (uint64_t left = rows[row]; left; left &= left - 1)
            function(filter, row, (uint32_t)__builtin_ctzll(left));
    return SYMMETRIES_ALL & ~filter_symmetries(&marks);
}

void library_query(const struct nq_query *query, struct query *out)
{
    *out = (struct query){.distinct = query->distinct, .symmetry = query->symmetry};
    filter_begin(&out->filter, query->n);
    out->filter.rule = query->rule;
    out->broken = apply(query->placed, &out->filter, filter_place);
    out->broken |= apply(query->excluded, &out->filter, filter_exclude);
}

/* ---- Progress ---- */

/* Reports at most ten times a second. */

enum { INTERVAL_MILLISECONDS = 100, LOOKS_A_CLOCK = 16 };

static double share_made(struct progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    const double share = progress->whole > 0 ? progress->made / progress->whole : 0;
    pthread_mutex_unlock(&progress->lock);
    return share < 1 ? share : 1;
}

bool progress_look(struct progress *progress)
{
    if (!progress->report || stop_wanted_locked(&progress->stop))
        return !stop_wanted_locked(&progress->stop);
    const uint64_t now = clock_now();
    if (now < progress->next)
        return true;
    progress->next = now + INTERVAL_MILLISECONDS * CLOCK_MILLISECOND;
    struct stop_aside *aside = stop_aside;
    stop_aside = NULL; /* the caller may work, too */
    if (!progress->report(progress->context, share_made(progress)))
        atomic_store(&progress->stop, true);
    stop_aside = aside;
    return !stop_wanted_locked(&progress->stop);
}

static void step_aside(struct stop_aside *aside)
{
    struct progress *progress = (struct progress *)(void *)aside;
    if (++progress->looks % LOOKS_A_CLOCK == 0)
        (void)progress_look(progress);
}

void progress_begin(struct progress *progress, nq_progress report, void *context)
{
    *progress = (struct progress){.before = stop_aside, .report = report, .context = context};
    atomic_init(&progress->aside.wanted, report != NULL);
    atomic_init(&progress->stop, false);
    pthread_mutex_init(&progress->lock, NULL);
    progress->aside.step_aside = step_aside;
    progress->next = clock_now() + INTERVAL_MILLISECONDS * CLOCK_MILLISECOND;
    stop_aside = &progress->aside;
}

void progress_end(struct progress *progress)
{
    stop_aside = progress->before;
    pthread_mutex_destroy(&progress->lock);
}

enum nq_status progress_unit(struct progress *progress, double weight, enum nq_status status)
{
    pthread_mutex_lock(&progress->lock);
    progress->made += weight;
    pthread_mutex_unlock(&progress->lock);
    if (status != NQ_OK)
        atomic_store(&progress->stop, true);
    else if (stop_aside == &progress->aside) /* the calling thread */
        (void)progress_look(progress);
    return status;
}

enum nq_status nq_cursor_open_query(const char *algorithm, const struct nq_query *query, struct nq_cursor **cursor)
{
    const struct cursor_settings settings = {.algorithm = algorithm};
    struct query its;
    library_query(query, &its);
    return cursor_open(&settings, &its, cursor);
}
