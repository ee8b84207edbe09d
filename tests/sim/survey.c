/* survey.c - a double of statistics/survey.h: a unit comes to the hash of where it is. */
#include "statistics/survey.h"

#include <stdlib.h>

#include "check.h"

struct survey {
    unsigned n;
};

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

size_t survey_memory(const struct survey *survey, unsigned threads)
{
    (void)survey, (void)threads;
    return 0;
}

enum nq_status survey_count(const struct survey *survey, size_t unit, const struct kernel *kernel,
                            const atomic_bool *stop, nq_wide *row, uint64_t *nodes)
{
    (void)kernel;
    *row += check_unit(survey->n, 0, (unsigned)unit, CHECK_PIECES);
    ++*nodes;
    return check_work(check_seconds(survey->n, 0, (unsigned)unit), stop);
}

uint32_t survey_values(const struct survey *survey)
{
    (void)survey;
    return 1;
}
