/* survey.c - a double of statistics/survey.h: a unit comes to a text with the hash of where it is. */
#include "statistics/survey.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sim.h"

struct survey {
    unsigned n;
    nq_wide total;
};

void check_bytes(unsigned n, unsigned unit, char text[static CHECK_BYTES])
{
    (void)snprintf(text, CHECK_BYTES, "unit %u has %" PRIu64, unit, check_unit(n, 0, unit, CHECK_PIECES));
}

enum nq_status survey_open(const struct query *query, const struct statistic *statistic, double nodes_per_second,
                           const atomic_bool *stop, struct survey **survey)
{
    (void)statistic, (void)nodes_per_second, (void)stop;
    *survey = calloc(1, sizeof **survey);
    if (!*survey)
        return NQ_NOMEM;
    (*survey)->n = query->filter.n;
    return NQ_OK;
}

void survey_close(struct survey *survey)
{
    free(survey);
}

void survey_name(const struct survey *survey, struct bytes *name)
{
    bytes_format(name, "bytes-%u", survey->n);
}

size_t survey_units(const struct survey *survey)
{
    return check_counts[survey->n - CHECK_N].units;
}

/* Placements, of which the kernel does 1e8 in a second. */
double survey_weight(const struct survey *survey, size_t unit, const atomic_bool *stop)
{
    (void)stop;
    return check_seconds(survey->n, 0, (unsigned)unit) * 1e8;
}

uint64_t survey_cost(const struct survey *survey, const atomic_bool *stop)
{
    double all = 0;
    for (size_t unit = 0; unit < survey_units(survey); unit++)
        all += survey_weight(survey, unit, stop);
    return (uint64_t)all;
}

size_t survey_memory(const struct survey *survey, unsigned threads)
{
    (void)survey, (void)threads;
    return 0;
}

enum nq_status survey_result(const struct survey *survey, size_t unit, const struct kernel *kernel,
                             const atomic_bool *stop, struct bytes *result, uint64_t *nodes)
{
    char text[CHECK_BYTES];
    (void)kernel;
    check_bytes(survey->n, (unsigned)unit, text);
    bytes_text(result, text);
    ++*nodes;
    return check_work(check_seconds(survey->n, 0, (unsigned)unit), stop);
}

enum nq_status survey_put(struct survey *survey, const void *result, size_t size)
{
    char text[CHECK_BYTES];
    unsigned unit;
    uint64_t has;
    (void)snprintf(text, sizeof text, "%.*s", (int)size, (const char *)result);
    if (sscanf(text, "unit %u has %" SCNu64, &unit, &has) != 2)
        return NQ_INVALID;
    survey->total += has;
    return NQ_OK;
}

nq_wide survey_total(const struct survey *survey)
{
    nq_wide right = 0;
    for (unsigned unit = 0; unit < survey_units(survey); unit++)
        right += check_unit(survey->n, 0, unit, CHECK_PIECES);
    sim_trace("n=%u is answered: %s", survey->n, survey->total == right ? "right" : "wrong");
    if (survey->total != right)
        sim_violated("total", "n=%u by a statistic comes to %llu, and is answered %llu", survey->n,
                     (unsigned long long)right, (unsigned long long)survey->total);
    return survey->total;
}

uint32_t survey_values(const struct survey *survey)
{
    (void)survey;
    return 0;
}

const nq_wide *survey_counts(const struct survey *survey)
{
    (void)survey;
    return NULL;
}
