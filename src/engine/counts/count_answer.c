/* count_answer.c - what the question says is completed from it, its filter included. */
#include "engine/counts/count_answer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "engine/run/work.h"

enum nq_status count_answer(const struct question *question, struct count_fact *fact, struct answer **answer)
{
    struct filter filter = question->query.filter;
    struct bytes body = {0};
    if (question->n <= FILTER_MAX_N)
        filter_settle(&filter);
    fact->n = question->n;
    fact->base = question->base;
    fact->distinct = question_distinct(question);
    fact->symmetry = question_symmetry(question);
    fact->rules = question_rules(question);
    if (question->shape.rows)
        fact->shape = &question->shape;
    else if (question->n <= FILTER_MAX_N && filter_contradictory(&filter))
        fact->note = "the squares placed and excluded leave some rows too few columns for a queen each";
    if (!question->shape.rows && filter_impossible(&filter))
        fact->note = rule_note(filter.rule, filter.n);
    format_count(&body, fact);
    const enum nq_status status = work_answered(&body, question, answer);
    if (status == NQ_OK)
        (*answer)->count = fact->count;
    return status;
}

enum nq_status count_answer_computed(const struct question *question, nq_wide count, const nq_wide *squares,
                                     struct answer **answer)
{
    struct count_fact fact = {.provenance = "computed", .count = count, .squares = squares};
    return count_answer(question, &fact, answer);
}

static void close_index(void *index)
{
    index_close(index);
}

static enum nq_status answer_index(struct division *division, struct answer **answer)
{
    struct index *index = division->index;
    const size_t memory = (size_t)index_memory(index, NULL);
    index_finish(index);
    const enum nq_status status = count_answer_computed(division->question, index_total(index), NULL, answer);
    if (status != NQ_OK)
        return status;
    (*answer)->extra = index;
    (*answer)->extra_size = memory;
    (*answer)->free_extra = close_index;
    division->index_given = true;
    return NQ_OK;
}

static enum nq_status answer_survey(const struct division *division, struct answer **answer)
{
    const struct question *question = division->question;
    const struct statistic *statistic = question->count.statistic;
    const struct distribution distribution = {.by = statistic->name,
                                              .first = statistic->columns ? question->base : 0,
                                              .values =
                                                  question->n ? survey_values(division->survey) : statistic->values(0),
                                              .counts = division->profile,
                                              .sizes = statistic->sizes && query_whole(&question->query)};
    nq_wide total = 0;
    for (uint32_t value = 0; value < survey_values(division->survey); value++)
        total += division->profile[value];
    const bool published = query_whole(&question->query) && question->n && rule_by_lines(question->query.filter.rule);
    struct count_fact fact = {.provenance = "computed",
                              .oeis = published ? statistic->oeis : NULL,
                              .count = total,
                              .distribution = &distribution};
    return count_answer(question, &fact, answer);
}

static enum nq_status answer_shape(const struct division *division, struct answer **answer)
{
    const struct question *question = division->question;
    const unsigned divisor = shape_plan_divisor(division->plan);
    const uint32_t numbers = shape_plan_top(division->plan) + 1;
    const struct distribution distribution = {.by = "queens", .values = numbers, .counts = division->profile};
    char note[96];
    struct count_fact fact = {.provenance = "computed",
                              .distribution = question->count.by_queens ? &distribution : NULL};
    for (uint32_t queens = 0; queens < numbers; queens++) {
        assert(division->profile[queens] % divisor == 0); /* Burnside */
        division->profile[queens] /= divisor;
        fact.count += division->profile[queens];
    }
    if (numbers <= question->shape.least) {
        (void)snprintf(note, sizeof note, "the board has room for no more than %" PRIu32 " queens", numbers - 1);
        fact.note = note;
    }
    return count_answer(question, &fact, answer);
}

enum nq_status count_answer_division(struct division *division, struct answer **answer)
{
    assert(!division->counting);
    return division->index    ? answer_index(division, answer)
           : division->survey ? answer_survey(division, answer)
                              : answer_shape(division, answer);
}
