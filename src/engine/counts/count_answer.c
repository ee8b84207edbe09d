/* count_answer.c - what the question says is completed from it, its filter included. */
#include "engine/counts/count_answer.h"

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
