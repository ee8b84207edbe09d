/* term_counts.c - terms that the service's methods count: placements or classes on whole boards, or the difference of
 * two such counts, divided by a number. The units of one or two counts are one list. */
#include "count/counting.h"
#include "sequences/sequence.h"

static enum nq_status open_count(const struct term *term, enum query_symmetry symmetry, const atomic_bool *stop,
                                 struct counting **counting)
{
    struct query query = {.distinct = term->sequence->distinct, .symmetry = symmetry};
    filter_begin(&query.filter, term->n);
    query.filter.rule = term->sequence->rule;
    const enum nq_status status = counting_open(&query, stop, counting);
    return status == NQ_OK ? counting_prepare(*counting, NULL, NULL, stop) : status;
}

static enum nq_status prepare(struct term *term, const atomic_bool *stop)
{
    const struct sequence *sequence = term->sequence;
    const enum nq_status status = open_count(term, sequence->symmetry, stop, &term->count[0]);
    return status == NQ_OK && sequence->without ? open_count(term, sequence->without, stop, &term->count[1]) : status;
}

static void release(struct term *term)
{
    for (int i = 0; i < 2; i++)
        if (term->count[i])
            counting_close(term->count[i]);
}

static void describe(const struct term *term, struct bytes *text)
{
    for (int i = 0; i < 2 && term->count[i]; i++)
        for (size_t of = 0; of < counting_terms(term->count[i]); of++) {
            bytes_char(text, ' ');
            counting_name(term->count[i], of, text);
        }
}

static size_t units(const struct term *term)
{
    return counting_units(term->count[0]) + (term->count[1] ? counting_units(term->count[1]) : 0);
}

static size_t sums(const struct term *term)
{
    return counting_terms(term->count[0]) + (term->count[1] ? counting_terms(term->count[1]) : 0);
}

/* Which of the two counts has a unit, and which of its own it is there. */
static const struct counting *find(const struct term *term, size_t *unit)
{
    const size_t first = counting_units(term->count[0]);
    if (*unit < first)
        return term->count[0];
    *unit -= first;
    return term->count[1];
}

static size_t sum(const struct term *term, size_t unit)
{
    const struct counting *counting = find(term, &unit);
    return counting_term(counting, unit) + (counting == term->count[0] ? 0 : counting_terms(term->count[0]));
}

static enum nq_status count(const struct term *term, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const struct counting *counting = find(term, &unit);
    struct unit_result figures = {0};
    const enum nq_status status = counting_count(counting, unit, METHOD_WHOLE, kernel_find("auto"), stop, &figures);
    *result = figures.parts;
    return status;
}

static bool value(const struct term *term, nq_wide *sums, nq_wide *value)
{
    const struct sequence *sequence = term->sequence;
    const uint32_t divisor = sequence->divisor ? sequence->divisor : 1;
    nq_wide all, less = 0;
    bool whole = counting_sum(term->count[0], sums, &all);
    if (whole && term->count[1])
        whole = counting_sum(term->count[1], sums + counting_terms(term->count[0]), &less);
    const nq_wide placements = whole && less <= all ? all - less : 0;
    const bool divides = placements % divisor == 0;
    *value = placements / divisor + (sequence->single && !divides);
    return whole && less <= all && (term->n < 2 || divides);
}

extern const struct term_class term_counts;
const struct term_class term_counts = {
    .revision = 1,
    .prepare = prepare,
    .describe = describe,
    .units = units,
    .sums = sums,
    .sum = sum,
    .count = count,
    .value = value,
    .release = release,
};
