/* lookup.c - counts without a search: published ones and the asymptotic formula; and the cost of a count with one. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "count/asymptotic.h"
#include "count/counting.h"
#include "count/index.h"
#include "count/known.h"
#include "engine/counts/count_answer.h"
#include "engine/run/work.h"
#include "statistics/survey.h"

struct lookup {
    struct work work;
    const struct question *question;
    const struct tools *tools; /* of a cost, as are the next two */
    struct count_cost cost;
    double bytes;
};

static enum nq_status lookup_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    (void)work, (void)slice, (void)stop;
    return NQ_OK;
}

static enum nq_status lookup_finish(struct work *work, struct answer **answer)
{
    const struct lookup *lookup = (struct lookup *)work;
    const struct question *question = lookup->question;
    struct count_fact fact = {0};
    if (question->count.way == COUNT_ASYMPTOTIC) {
        fact.provenance = "asymptotic";
        fact.formula = ASYMPTOTIC_FORMULA;
        fact.source = ASYMPTOTIC_SOURCE;
        fact.log10 = asymptotic_log10(question->n);
        fact.log10_error = asymptotic_log10_error(question->n);
    } else {
        struct known known;
        if (!known_find(question->query.filter.rule, question->n, question->query.distinct, question->query.symmetry,
                        &known))
            return NQ_LIMIT;
        fact.provenance = "table";
        fact.oeis = known.oeis;
        fact.source = known.source;
        fact.note = known.note;
        fact.count = known.count;
    }
    return count_answer(question, &fact, answer);
}

static struct count_cost cost_of_search(const struct lookup *lookup, double placements)
{
    return (struct count_cost){placements, placements / lookup->tools->nodes_per_second};
}

static enum nq_status cost_of_index(struct lookup *lookup, const atomic_bool *stop)
{
    struct index *index;
    const enum nq_status status = index_open(&lookup->question->query, stop, &index);
    if (status != NQ_OK)
        return status;
    lookup->cost = cost_of_search(lookup, (double)index_cost(index, stop));
    lookup->bytes = index_memory(index, stop);
    index_close(index);
    return atomic_load(stop) ? NQ_CANCELLED : NQ_OK;
}

static enum nq_status cost_of_survey(struct lookup *lookup, const atomic_bool *stop)
{
    struct survey *survey;
    const struct question *question = lookup->question;
    const enum nq_status status =
        survey_open(&question->query, question->count.statistic, lookup->tools->nodes_per_second, stop, &survey);
    if (status != NQ_OK)
        return status;
    lookup->cost = cost_of_search(lookup, (double)survey_cost(survey, stop));
    lookup->bytes = (double)survey_memory(survey, lookup->tools->threads);
    survey_close(survey);
    return atomic_load(stop) ? NQ_CANCELLED : NQ_OK;
}

static enum nq_status cost_of_shape(struct lookup *lookup, const atomic_bool *stop)
{
    enum { BYTES = 4 << 20 }; /* what each square attacks, and a profile of each thread */
    double placements;
    const enum nq_status status = shape_cost(lookup->question, stop, &placements);
    if (status != NQ_OK)
        return status;
    lookup->cost = cost_of_search(lookup, placements);
    lookup->bytes = BYTES;
    return NQ_OK;
}

/* Bytes that a count without tables stays below: its units, and the stacks of its threads. */
enum { LEAST_BYTES = 1 << 20 };

static enum nq_status cost_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct lookup *lookup = (struct lookup *)work;
    struct counting *counting;
    (void)slice;
    if (lookup->question->shape.rows)
        return cost_of_shape(lookup, stop);
    if (lookup->question->count.indexed)
        return cost_of_index(lookup, stop);
    if (lookup->question->count.statistic)
        return cost_of_survey(lookup, stop);
    const enum nq_status status = counting_open(&lookup->question->query, stop, &counting);
    if (status != NQ_OK)
        return status;
    lookup->cost = counting_cost(counting, NULL, lookup->tools->nodes_per_second, stop);
    const struct method_memory memory = counting_memory(counting, NULL, lookup->tools->table_bytes);
    lookup->bytes = fmax(memory.shared + memory.each * lookup->tools->threads, LEAST_BYTES);
    counting_close(counting);
    return atomic_load(stop) ? NQ_CANCELLED : NQ_OK;
}

/* It depends on the machine: it is not cached. */
static enum nq_status cost_finish(struct work *work, struct answer **answer)
{
    const struct lookup *lookup = (struct lookup *)work;
    const struct question *question = lookup->question;
    const struct tools *tools = lookup->tools;
    const double seconds = lookup->cost.seconds;
    struct bytes body = {0};
    bytes_json(
        &body,
        json_pack("{s:I, s:I, s:o, s:f, s:f, s:I, s:s, s:i, s:b}", "n", (json_int_t)question->n, "base",
                  (json_int_t)question->base, "query", json_sprintf("%s%s", question->prefix, question->path),
                  "core_seconds", seconds, "placements", lookup->cost.placements, "memory_bytes",
                  (json_int_t)lookup->bytes, "kernel", tools->kernel->name, "threads", (int)tools->threads, "accepted",
                  (int)(seconds <= tools->most_core_seconds && principal_affords(&question->principal, seconds) &&
                        !principal_barred(&question->principal))),
        JSON_COMPACT | JSON_REAL_PRECISION(6));
    const enum nq_status status = work_answered(&body, question, answer);
    if (status == NQ_OK)
        (*answer)->complete = false;
    return status;
}

static void lookup_close(struct work *work)
{
    free(work);
}

static enum nq_status lookup_open(const struct work_class *class, const struct question *question,
                                  const struct tools *tools, struct work **work)
{
    struct lookup *lookup = work_new(sizeof *lookup, class);
    if (!lookup)
        return NQ_NOMEM;
    lookup->question = question;
    lookup->tools = tools;
    *work = &lookup->work;
    return NQ_OK;
}

enum nq_status work_lookup(const struct question *question, struct work **work)
{
    static const struct work_class class = {.slice = lookup_slice, .finish = lookup_finish, .close = lookup_close};
    return lookup_open(&class, question, NULL, work);
}

enum nq_status work_cost(const struct question *question, const struct tools *tools, struct work **work)
{
    static const struct work_class class = {.slice = cost_slice, .finish = cost_finish, .close = lookup_close};
    return lookup_open(&class, question, tools, work);
}
