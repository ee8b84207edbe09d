/* counted.c - one or two counts as units in one list. */
#include "sequences/counted.h"

#include <assert.h>
#include <stdlib.h>

enum { COUNTS = 2 };

struct plan {
    uint32_t n, divisor;
    bool single;                    /* as of struct counted_terms */
    struct counting *count[COUNTS]; /* the second may be NULL */
};

static enum nq_status open_count(const struct query *asked, uint32_t n, const atomic_bool *stop,
                                 struct counting **counting)
{
    struct query query = *asked;
    const struct rule *rule = query.filter.rule;
    filter_begin(&query.filter, n);
    query.filter.rule = rule;
    const enum nq_status status = counting_open(&query, stop, counting);
    return status == NQ_OK ? counting_prepare(*counting, NULL, NULL, stop) : status;
}

enum nq_status counted_prepare(const struct counted_terms *terms, uint32_t n, const atomic_bool *stop, void **out)
{
    struct plan *plan = calloc(1, sizeof *plan);
    *out = plan;
    if (!plan)
        return NQ_NOMEM;
    plan->n = n;
    plan->divisor = terms->divisor;
    plan->single = terms->single;
    enum nq_status status = open_count(&terms->query, n, stop, &plan->count[0]);
    if (status == NQ_OK && terms->differs)
        status = open_count(&terms->less, n, stop, &plan->count[1]);
    if (status != NQ_OK)
        counted_release(plan);
    return status;
}

void counted_release(void *state)
{
    struct plan *plan = state;
    for (int i = 0; plan && i < COUNTS; i++)
        if (plan->count[i])
            counting_close(plan->count[i]);
    free(plan);
}

void counted_describe(const void *state, struct bytes *text)
{
    const struct plan *plan = state;
    for (int i = 0; i < COUNTS && plan->count[i]; i++)
        for (size_t term = 0; term < counting_terms(plan->count[i]); term++) {
            bytes_char(text, ' ');
            counting_name(plan->count[i], term, text);
        }
}

size_t counted_units(const void *state)
{
    const struct plan *plan = state;
    return counting_units(plan->count[0]) + (plan->count[1] ? counting_units(plan->count[1]) : 0);
}

enum nq_status counted_count(const void *state, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const struct plan *plan = state;
    const size_t first = counting_units(plan->count[0]);
    assert(unit < first || plan->count[1]);
    struct unit_result figures = {0};
    const enum nq_status status =
        unit < first ? counting_count(plan->count[0], unit, kernel_find("auto"), stop, &figures)
                     : counting_count(plan->count[1], unit - first, kernel_find("auto"), stop, &figures);
    *result = figures.parts;
    return status;
}

/* The count that the results of its units make. False: they cannot be right, or out of memory. */
static bool total(const struct counting *counting, const nq_wide *results, nq_wide *value)
{
    const size_t terms = counting_terms(counting);
    nq_wide *thirds = calloc(terms + 1, sizeof *thirds);
    bool whole = thirds;
    for (size_t unit = 0; whole && unit < counting_units(counting); unit++)
        thirds[counting_term(counting, unit)] += results[unit];
    for (size_t term = 0; whole && term < terms; term++)
        whole = counting_value(counting, term, thirds[term], &thirds[term]);
    *value = whole ? counting_total(counting, thirds) : 0;
    free(thirds);
    return whole;
}

bool counted_value(const void *state, const nq_wide *results, nq_wide *value)
{
    const struct plan *plan = state;
    assert(plan->divisor > 0);
    nq_wide all, less = 0;
    bool whole = total(plan->count[0], results, &all);
    if (whole && plan->count[1])
        whole = total(plan->count[1], results + counting_units(plan->count[0]), &less);
    const nq_wide placements = whole && less <= all ? all - less : 0;
    const bool divides = placements % plan->divisor == 0;
    *value = placements / plan->divisor + (plan->single && !divides);
    return whole && less <= all && (plan->n < 2 || divides);
}
