/* lookup.c - counts without a search: published ones and the asymptotic formula; and the cost of a count with one. */
#include <stdlib.h>

#include "base/json.h"
#include "count/asymptotic.h"
#include "count/known.h"
#include "engine/counts/count_answer.h"
#include "engine/run/work.h"
#include "engine/units/division.h"

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

static enum nq_status cost_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct lookup *lookup = (struct lookup *)work;
    const struct tools *tools = lookup->tools;
    struct division *division;
    (void)slice;
    const enum nq_status status = division_open(lookup->question, tools->nodes_per_second, 0, stop, &division);
    if (status != NQ_OK)
        return status;
    lookup->cost = division_cost(division, NULL, tools->nodes_per_second, stop);
    lookup->bytes = division_memory(division, tools->table_bytes, tools->threads, stop);
    division_close(division);
    return atomic_load(stop) ? NQ_CANCELLED : NQ_OK;
}

/* It depends on the machine: it is not cached. */
static enum nq_status cost_finish(struct work *work, struct answer **answer)
{
    const struct lookup *lookup = (struct lookup *)work;
    const struct question *question = lookup->question;
    const struct tools *tools = lookup->tools;
    const double seconds = lookup->cost.seconds;
    enum { DIGITS = 6 };
    struct bytes body = {0};
    json_begin_object(&body, NULL);
    json_write_number(&body, "n", question->n);
    json_write_number(&body, "base", question->base);
    json_begin_text(&body, "query");
    bytes_text(&body, question->prefix);
    bytes_text(&body, question->path);
    json_end_text(&body);
    json_write_real(&body, "core_seconds", seconds, DIGITS);
    json_write_real(&body, "placements", lookup->cost.placements, DIGITS);
    json_write_number(&body, "memory_bytes", (uint64_t)lookup->bytes);
    json_write_text(&body, "kernel", tools->kernel->name);
    json_write_number(&body, "threads", tools->threads);
    json_write_bool(&body, "accepted",
                    seconds <= tools->most_core_seconds && principal_affords(&question->principal, seconds) &&
                        !principal_barred(&question->principal));
    json_end_object(&body);
    json_end_document(&body, 0);
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
