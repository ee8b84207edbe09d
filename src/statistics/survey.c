/* survey.c - prefixes as units, and the solutions below one of them by value. */
#include "statistics/survey.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/random.h"
#include "base/stop.h"
#include "kernels/kernel.h"
#include "rules/search.h"
#include "statistics/visit.h"

/* Of the format of results, and of which prefixes are units. */
enum { REVISION = 2, STEM_MAX = 3 };

/* Random descents for the weight of a unit. */
enum { WALKS = 16 };

/* Placements for one solution of queens, whatever is placed: n = 12 36, 13 38, 14 to 18 40 to 42. */
#define NODES_PER_SOLUTION 40.0

/* Seconds for a placement by another rule, and for finding a solution, beside its statistic. */
#define RULE_SECONDS 8e-9
#define SOLUTION_SECONDS 8e-9

struct survey {
    struct query query; /* with a settled filter */
    const struct statistic *statistic;
    double nodes_per_second;
    struct kernel_board board; /* of queens */
    unsigned group;            /* solutions that are the least of their images are counted */
    bool half;                 /* only the first half of the solutions is, each twice: the others are its reflections */
    uint32_t stem;             /* the rows of a prefix */
    size_t count, room;
    uint8_t (*stems)[STEM_MAX]; /* by unit */
    uint32_t values;            /* numbers of a row */
};

/* ---- Laying out ---- */

/* Units of whole boards: n = 14 182, n = 16 105 (of half of it), n = 18 272, of half a second each; n = 20 about five
 * thousand. */
static uint32_t stem_of(const struct survey *survey)
{
    const uint32_t n = survey->query.filter.n;
    const uint32_t rows = n <= 10 ? 0 : n <= 13 ? 1 : n <= 18 ? 2 : STEM_MAX;
    return survey->half && rows < 2 ? 2 : rows; /* two queens decide which half it is */
}

/* Whether a prefix is the reflection of one of the first half, as far as its second queen decides. */
static bool past_the_half(const struct survey *survey, const uint8_t *columns)
{
    const uint32_t n = survey->query.filter.n;
    return survey->half && columns[0] == n / 2 && columns[1] > n / 2;
}

/* Of the first half the first queen stands in the left half, or in the middle column. */
static enum nq_status lay_units(struct survey *survey, const atomic_bool *stop)
{
    const struct filter *filter = &survey->query.filter;
    uint64_t allow[FILTER_MAX_N];
    uint8_t columns[STEM_MAX] = {0};
    struct rule_walk walk;
    if (filter_contradictory(filter) || filter_impossible(filter))
        return NQ_OK;
    assert(survey->stem <= STEM_MAX);
    memcpy(allow, filter->allow, sizeof allow);
    if (survey->half)
        allow[0] &= (UINT64_C(1) << (filter->n + 1) / 2) - 1;
    rule_walk_begin(&walk, filter->rule, filter->n, allow, survey->stem);
    while (rule_walk_next(&walk, columns)) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (past_the_half(survey, columns))
            continue;
        uint8_t(*stems)[STEM_MAX] = grow_array(survey->stems, survey->count, &survey->room, sizeof *stems);
        if (!stems)
            return NQ_NOMEM;
        survey->stems = stems;
        memcpy(stems[survey->count++], columns, STEM_MAX);
    }
    return NQ_OK;
}

enum nq_status survey_open(const struct query *query, const struct statistic *statistic, double nodes_per_second,
                           const atomic_bool *stop, struct survey **out)
{
    if (query->filter.n > STATISTICS_MAX_N)
        return NQ_LIMIT;
    struct survey *survey = calloc(1, sizeof *survey);
    if (!survey)
        return NQ_NOMEM;
    struct filter *filter = &survey->query.filter;
    survey->query = *query;
    survey->statistic = statistic;
    survey->nodes_per_second = nodes_per_second;
    filter_settle(filter);
    survey->board = kernel_board_of(filter->n, filter->allow);
    survey->group = query_group(query);
    survey->half = statistic->mirrored && survey->group == 1U << SYMMETRY_IDENTITY && filter->n > 1 &&
                   filter_symmetries(filter) >> SYMMETRY_REFLECTION & 1;
    survey->stem = stem_of(survey);
    const uint32_t values = statistic->values(filter->n);
    survey->values = values ? values : 1;
    const enum nq_status status = lay_units(survey, stop);
    if (status == NQ_OK)
        *out = survey;
    else
        survey_close(survey);
    return status;
}

void survey_close(struct survey *survey)
{
    if (!survey)
        return;
    free(survey->stems);
    free(survey);
}

void survey_name(const struct survey *survey, struct bytes *name)
{
    const struct statistic *statistic = survey->statistic;
    bytes_format(name, "statistic.%d %s.%u ", REVISION, statistic->name, statistic->revision);
    if (survey->group != 1U << SYMMETRY_IDENTITY)
        bytes_format(name, "classes=%x ", survey->group);
    filter_name(&survey->query.filter, name);
}

/* ---- Units ---- */

size_t survey_units(const struct survey *survey)
{
    return survey->count;
}

/* The k-th lowest bit, from 0 on. */
static uint64_t bit_of(uint64_t mask, uint32_t k)
{
    assert(k < (uint32_t)__builtin_popcountll(mask));
    while (k--)
        mask &= mask - 1;
    return mask & -mask;
}

/* Seconds by a random descent (Knuth 1975) from a row on. */
static double descend(const struct survey *survey, uint32_t row, struct reach reach, struct random *random)
{
    const struct filter *filter = &survey->query.filter;
    double weight = 1, nodes = 0;
    for (; row < filter->n; row++) {
        const uint64_t free = filter->allow[row] & ~reach_attacked(&reach);
        const uint32_t choices = (uint32_t)__builtin_popcountll(free);
        if (!choices)
            return nodes * RULE_SECONDS;
        weight *= choices;
        nodes += weight;
        rule_pass(filter->rule, filter->n, row, bit_of(free, random_below(random, choices)), &reach);
    }
    return nodes * RULE_SECONDS + weight * survey->statistic->seconds;
}

static double seconds_by_rule(const struct survey *survey, const uint8_t *stem, uint64_t seed, const atomic_bool *stop)
{
    struct reach reach = {0};
    double seconds = 0;
    for (uint32_t row = 0; row < survey->stem; row++)
        rule_pass(survey->query.filter.rule, survey->query.filter.n, row, UINT64_C(1) << stem[row], &reach);
    for (unsigned walk = 0; walk < WALKS && !stop_wanted(stop); walk++) {
        struct random random = random_begin(seed, walk);
        seconds += descend(survey, survey->stem, reach, &random) / WALKS;
    }
    return seconds;
}

double survey_weight(const struct survey *survey, size_t unit, const atomic_bool *stop)
{
    assert(unit < survey->count);
    const uint8_t *stem = survey->stems[unit];
    struct kernel_prefix prefix;
    if (!rule_by_lines(survey->query.filter.rule))
        return seconds_by_rule(survey, stem, unit, stop) * survey->nodes_per_second + 1;
    (void)prefixes_place(&survey->board, stem, survey->stem, &prefix);
    const double nodes = kernel_walk(&survey->board, &prefix, WALKS, prefix.sums, stop);
    const double solution = (survey->statistic->seconds + SOLUTION_SECONDS) * survey->nodes_per_second;
    return nodes + nodes / NODES_PER_SOLUTION * solution + 1;
}

size_t survey_memory(const struct survey *survey, unsigned threads)
{
    const size_t values = survey->values * sizeof(nq_wide);
    return sizeof *survey + survey->room * sizeof *survey->stems + values + threads * (values + VISIT_BYTES);
}

struct tally {
    const struct survey *survey;
    nq_wide *row;
};

static void tally_solution(void *context, const uint8_t *columns)
{
    const struct tally *tally = context;
    const struct survey *survey = tally->survey;
    const uint32_t n = survey->query.filter.n;
    if (survey->group != 1U << SYMMETRY_IDENTITY && !query_representative(survey->group, n, columns))
        return;
    const uint32_t value = survey->values > 1 ? survey->statistic->value(n, columns) : 0;
    tally->row[value] += 1 + survey->half;
}

enum nq_status survey_count(const struct survey *survey, size_t unit, const struct kernel *kernel,
                            const atomic_bool *stop, nq_wide *row, uint64_t *nodes)
{
    assert(unit < survey->count);
    struct tally tally = {.survey = survey, .row = row};
    struct visit visit = {.filter = &survey->query.filter,
                          .finder = finder_of(kernel),
                          .stop = stop,
                          .visit = tally_solution,
                          .context = &tally};
    const enum nq_status status = visit_below(&visit, survey->stems[unit], survey->stem);
    *nodes += visit.nodes;
    return status;
}

uint32_t survey_values(const struct survey *survey)
{
    return survey->values;
}
