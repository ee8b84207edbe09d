/* surveying.c - a count by a statistic: the solutions of each value. */
#include <stdlib.h>

#include "engine/counts/count_answer.h"
#include "engine/counts/gathering.h"
#include "statistics/survey.h"

struct surveying {
    struct gathering gathering;
    struct survey *survey;
};

static enum nq_status make(const struct gathering *gathering, size_t unit, const atomic_bool *stop,
                           struct bytes *result, uint64_t *nodes)
{
    const struct surveying *surveying = (const struct surveying *)gathering;
    return survey_result(surveying->survey, unit, gathering->kernel, stop, result, nodes);
}

static enum nq_status put(struct gathering *gathering, size_t unit, const void *result, size_t size)
{
    (void)unit;
    return survey_put(((struct surveying *)gathering)->survey, result, size);
}

static double weight(const struct gathering *gathering, size_t unit)
{
    return survey_weight(((const struct surveying *)gathering)->survey, unit, NULL);
}

static enum nq_status surveying_finish(struct work *work, struct answer **answer)
{
    struct surveying *surveying = (struct surveying *)work;
    const struct question *question = surveying->gathering.question;
    const struct statistic *statistic = question->count.statistic;
    const struct distribution distribution = {.by = statistic->name,
                                              .first = statistic->columns ? question->base : 0,
                                              .values = survey_values(surveying->survey),
                                              .counts = survey_counts(surveying->survey),
                                              .sizes = statistic->sizes && query_whole(&question->query)};
    const bool published = query_whole(&question->query) && question->n && rule_by_lines(question->query.filter.rule);
    struct count_fact fact = {.provenance = "computed",
                              .oeis = published ? statistic->oeis : NULL,
                              .count = survey_total(surveying->survey),
                              .distribution = &distribution};
    surveying->gathering.made = true;
    return count_answer(question, &fact, answer);
}

static void surveying_close(struct work *work)
{
    struct surveying *surveying = (struct surveying *)work;
    gathering_close(&surveying->gathering);
    survey_close(surveying->survey);
    free(surveying);
}

/* Rejects what would take more than the limit. */
static enum nq_status lay(struct surveying *surveying, const struct tools *tools, const atomic_bool *stop,
                          struct fault *fault)
{
    struct bytes name = {0};
    survey_name(surveying->survey, &name);
    const enum nq_status status = gathering_lay(&surveying->gathering, &name, survey_units(surveying->survey),
                                                survey_cost(surveying->survey, stop), tools);
    return status == NQ_LIMIT ? units_too_costly(tools, surveying->gathering.work.seconds, "", fault) : status;
}

enum nq_status work_survey(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                           struct fault *fault, struct work **work)
{
    static const struct work_class class = {.prepare = gathering_prepare,
                                            .slice = gathering_slice,
                                            .finish = surveying_finish,
                                            .close = surveying_close,
                                            .progress = gathering_progress};
    static const struct gathering_class gathered = {.make = make, .put = put, .weight = weight};
    struct surveying *surveying = work_new(sizeof *surveying, &class);
    if (!surveying)
        return NQ_NOMEM;
    gathering_begin(&surveying->gathering, &gathered, question, tools);
    enum nq_status status =
        survey_open(&question->query, question->count.statistic, tools->nodes_per_second, stop, &surveying->survey);
    if (status == NQ_OK)
        status = lay(surveying, tools, stop, fault);
    return work_opened(&surveying->gathering.work, status, work);
}
