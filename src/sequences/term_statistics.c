/* term_statistics.c - placements of n queens by a statistic of the service, one board a row; and their classes by the
 * sizes of those. */
#include "sequences/sequence.h"
#include "statistics/survey.h"

/* Nothing depends on it but the weights of units, which are not used here. */
#define NODES_PER_SECOND 1e9

static enum nq_status prepare(struct term *term, const atomic_bool *stop)
{
    struct query query = {.distinct = DISTINCT_ALL};
    filter_begin(&query.filter, term->n);
    return survey_open(&query, statistic_find(term->sequence->statistic), NODES_PER_SECOND, stop, &term->survey);
}

static void release(struct term *term)
{
    survey_close(term->survey);
}

static void describe(const struct term *term, struct bytes *text)
{
    bytes_char(text, ' ');
    survey_name(term->survey, text);
}

static size_t units(const struct term *term)
{
    return survey_units(term->survey);
}

static size_t sums(const struct term *term)
{
    return survey_values(term->survey);
}

static enum nq_status count(const struct term *term, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    uint64_t nodes = 0;
    return survey_count(term->survey, unit, kernel_find("auto"), stop, result, &nodes);
}

/* A row ends with n: no placement has more. Or else placements in classes of one size are whole classes, and none is in
 * a class of 0. */
static bool value(const struct term *term, nq_wide *sums, nq_wide *numbers)
{
    const bool row = term->sequence->row;
    bool sound = true;
    for (uint32_t value = 0; value < survey_values(term->survey); value++)
        if (row && value <= term->n) {
            numbers[value] = sums[value];
        } else if (row || !value) {
            sound = sound && sums[value] == 0;
        } else {
            sound = sound && sums[value] % value == 0;
            *numbers += sums[value] / value;
        }
    return sound;
}

extern const struct term_class term_statistics;
const struct term_class term_statistics = {
    .revision = 1,
    .prepare = prepare,
    .describe = describe,
    .units = units,
    .sums = sums,
    .count = count,
    .value = value,
    .release = release,
};
