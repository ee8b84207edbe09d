/* effort.c - a row of counters for every algorithm, and the meters that add to them. */
#include "engine/run/effort.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "constructions/construction.h"
#include "count/methods/method.h"
#include "engine/ask/question.h"
#include "solvers/solver.h"

struct effort {
    const char *family, *name;
    atomic_ullong searches, nodes, nanoseconds;
};

struct efforts {
    size_t count;
    struct effort rows[];
};

/* The name of the i-th algorithm, and of its family; NULL after the last. */
static const char *name_of(size_t i, const char **family)
{
    static const char *const others[] = {algorithm_estimate, algorithm_index, algorithm_statistic, algorithm_regions,
                                         algorithm_shape};
    *family = "solver";
    for (const struct solver *const *at = solvers; *at; at++)
        if (i-- == 0)
            return (*at)->name;
    *family = "construction";
    for (const struct construction *const *at = constructions; *at; at++)
        if (i-- == 0)
            return (*at)->name;
    *family = "count";
    for (const struct method *const *at = methods; *at; at++)
        if (i-- == 0)
            return (*at)->name;
    return i < sizeof others / sizeof others[0] ? others[i] : NULL;
}

struct efforts *efforts_new(void)
{
    const char *family;
    size_t count = 0;
    while (name_of(count, &family))
        count++;
    struct efforts *efforts = calloc(1, sizeof *efforts + count * sizeof efforts->rows[0]);
    if (!efforts)
        return NULL;
    efforts->count = count;
    for (size_t i = 0; i < count; i++)
        efforts->rows[i].name = name_of(i, &efforts->rows[i].family);
    return efforts;
}

void efforts_free(struct efforts *efforts)
{
    free(efforts);
}

bool efforts_get(const struct efforts *efforts, size_t i, struct effort_stats *stats)
{
    if (i >= efforts->count)
        return false;
    const struct effort *row = &efforts->rows[i];
    *stats = (struct effort_stats){
        .family = row->family,
        .name = row->name,
        .searches = atomic_load_explicit(&row->searches, memory_order_relaxed),
        .nodes = atomic_load_explicit(&row->nodes, memory_order_relaxed),
        .nanoseconds = atomic_load_explicit(&row->nanoseconds, memory_order_relaxed),
    };
    return true;
}

/* The row of a name, NULL: it has none. */
static struct effort *find(struct efforts *efforts, const char *name)
{
    for (size_t i = 0; name && i < efforts->count; i++)
        if (strcmp(efforts->rows[i].name, name) == 0)
            return &efforts->rows[i];
    return NULL;
}

/* Adds what is untold to the row that is at work, until now. */
static void tell(struct meter *meter, uint64_t now)
{
    if (meter->row) {
        atomic_fetch_add_explicit(&meter->row->nodes, meter->untold, memory_order_relaxed);
        atomic_fetch_add_explicit(&meter->row->nanoseconds, now - meter->since, memory_order_relaxed);
    }
    meter->nodes += meter->untold;
    meter->untold = 0;
    meter->since = now;
}

void meter_open(struct meter *meter, struct efforts *efforts)
{
    *meter = (struct meter){.efforts = efforts, .since = clock_worked()};
    meter->began = meter->since;
}

struct cost meter_turn(struct meter *meter)
{
    const uint64_t now = clock_worked();
    assert(now >= meter->began);
    tell(meter, now);
    const struct cost cost = {.nodes = meter->nodes, .nanoseconds = now - meter->began};
    meter->row = NULL;
    meter->began = now;
    meter->nodes = 0;
    return cost;
}

void meter_by(struct meter *meter, const char *algorithm)
{
    if (!meter || !meter->efforts || (meter->row && algorithm && strcmp(meter->row->name, algorithm) == 0))
        return;
    if (meter->row || meter->untold) /* what nobody did until now was to begin with this */
        tell(meter, clock_worked());
    meter->row = find(meter->efforts, algorithm);
}

void meter_begin(struct meter *meter, const char *algorithm)
{
    meter_by(meter, algorithm);
    if (meter && meter->row)
        atomic_fetch_add_explicit(&meter->row->searches, 1, memory_order_relaxed);
}

struct cost meter_read(const struct meter *meter)
{
    if (!meter)
        return (struct cost){0};
    return (struct cost){.nodes = meter->nodes + meter->untold, .nanoseconds = clock_worked() - meter->began};
}
