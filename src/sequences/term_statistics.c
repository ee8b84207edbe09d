/* term_statistics.c - placements of n queens by a statistic of the service, one board a row; and their classes by the
 * sizes of those. */
#include <stdlib.h>

#include "sequences/term.h"
#include "statistics/survey.h"

/* Nothing depends on it but the weights of units, which are not used here. */
#define NODES_PER_SECOND 1e9

struct statistics_plan {
    uint32_t n;
    struct survey *survey;
};

static void release(void *state)
{
    struct statistics_plan *plan = state;
    survey_close(plan->survey);
    free(plan);
}

static enum nq_status prepare(const char *statistic, uint32_t n, const atomic_bool *stop, void **out)
{
    struct query query = {.distinct = DISTINCT_ALL};
    struct statistics_plan *plan = calloc(1, sizeof *plan);
    *out = plan;
    if (!plan)
        return NQ_NOMEM;
    plan->n = n;
    filter_begin(&query.filter, n);
    const enum nq_status status = survey_open(&query, statistic_find(statistic), NODES_PER_SECOND, stop, &plan->survey);
    if (status != NQ_OK)
        free(plan);
    return status;
}

static void describe(const void *state, struct bytes *text)
{
    const struct statistics_plan *plan = state;
    bytes_char(text, ' ');
    survey_name(plan->survey, text);
}

static size_t units(const void *state)
{
    const struct statistics_plan *plan = state;
    return survey_units(plan->survey);
}

static enum nq_status count(const void *state, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const struct statistics_plan *plan = state;
    const uint32_t values = survey_values(plan->survey);
    struct survey_sums sums = {.counts = calloc(values + 1, sizeof *sums.counts)};
    if (!sums.counts)
        return NQ_NOMEM;
    const enum nq_status status = survey_count(plan->survey, unit, kernel_find("auto"), stop, &sums);
    for (uint32_t value = 0; value < values; value++)
        result[value] = sums.counts[value];
    free(sums.counts);
    return status;
}

/* The placements of a value on the whole board. */
static nq_wide sum_of(const struct statistics_plan *plan, const nq_wide *results, uint32_t value)
{
    const uint32_t values = survey_values(plan->survey);
    nq_wide sum = 0;
    for (size_t unit = 0; unit < survey_units(plan->survey); unit++)
        sum += results[unit * values + value];
    return sum;
}

static uint32_t row_numbers(uint32_t n)
{
    return n + 1;
}

/* A row ends with n: no placement has more. */
static bool row(const void *state, const nq_wide *results, nq_wide *numbers)
{
    const struct statistics_plan *plan = state;
    bool sound = true;
    for (uint32_t value = 0; value < survey_values(plan->survey); value++) {
        const nq_wide sum = sum_of(plan, results, value);
        if (value <= plan->n)
            numbers[value] = sum;
        else
            sound = sound && sum == 0;
    }
    return sound;
}

/* Placements in classes of one size are whole classes; none is in a class of 0. */
static bool classes(const void *state, const nq_wide *results, nq_wide *number)
{
    const struct statistics_plan *plan = state;
    bool sound = sum_of(plan, results, 0) == 0;
    *number = 0;
    for (uint32_t size = 1; size < survey_values(plan->survey); size++) {
        const nq_wide sum = sum_of(plan, results, size);
        sound = sound && sum % size == 0;
        *number += sum / size;
    }
    return sound;
}

#define TERM(id, statistic, says, of_row, sum) \
    static enum nq_status prepare_##id(uint32_t n, const atomic_bool *stop, void **plan) \
    { \
        return prepare(statistic, n, stop, plan); \
    } \
    static uint32_t numbers_##id(uint32_t n) \
    { \
        return statistic_find(statistic)->values(n); \
    } \
    extern const struct term_method term_torus_##id; \
    const struct term_method term_torus_##id = { \
        .name = (statistic), \
        .summary = (says), \
        .revision = 1, \
        .max_n = STATISTICS_MAX_N, \
        .prepare = prepare_##id, \
        .describe = describe, \
        .units = units, \
        .result_numbers = numbers_##id, \
        .value_numbers = (of_row), \
        .count = count, \
        .value = (sum), \
        .release = release, \
    }

#define EVERY "search for every placement in the first half of the board, and "

TERM(classes, "torus-class", EVERY "the shifts that make another one of it", NULL, classes);
TERM(conflicts, "torus-conflicts", EVERY "the pairs of queens on one line of the torus", row_numbers, row);
TERM(engaged, "torus-engaged", EVERY "the queens in pairs on one line of the torus", row_numbers, row);
TERM(components, "torus-components", EVERY "the connected groups of queens on lines of the torus", row_numbers, row);
TERM(largest, "torus-largest", EVERY "the connected groups of queens on lines of the torus", row_numbers, row);
