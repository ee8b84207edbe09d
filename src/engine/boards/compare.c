/* compare.c - every algorithm on the same board, one after the other, none for more than so many steps. It does not
 * report times, which differ from run to run. */
#include <stdlib.h>

#include "base/json.h"
#include "engine/ask/machines.h"
#include "engine/run/work.h"

/* Budget between two looks at the clock; see source_trace.c. */
enum { GRANT = 1 << 14 };

struct compare {
    struct work work;
    const struct question *question;
    size_t next;            /* the algorithm that is begun next */
    struct machine machine; /* the one that runs */
    void *state;            /* of the machine; NULL: none runs */
    struct stats stats, first;
    uint32_t *solution; /* the first that the machine found */
    struct bytes rows;
};

static bool applies(const struct question *question, const struct machine *machine)
{
    const uint32_t n = question->n;
    return n <= machine->max_n && (machine->by_rule || rule_by_lines(question->query.filter.rule)) &&
           !((machine->heeds & HEEDS_COLUMN) && question->compare.machine.column >= n);
}

/* Begins the next algorithm that suits the board. NQ_END: there is none. */
static enum nq_status begin(struct compare *compare, struct meter *meter)
{
    struct machine_settings settings = compare->question->compare.machine;
    settings.n = compare->question->n;
    settings.rule = compare->question->query.filter.rule;
    settings.allowance = compare->question->allowance;
    compare->stats = compare->first = (struct stats){0};
    do {
        if (!machines_get(compare->next++, &compare->machine))
            return NQ_END;
    } while (!applies(compare->question, &compare->machine));
    meter_begin(meter, compare->machine.name);
    return machine_open(compare->machine.class, &settings, &compare->state);
}

static void write_result(struct compare *compare, enum nq_status status)
{
    const struct question *question = compare->question;
    struct bytes *out = &compare->rows;
    bytes_text(out, out->size ? ",\n" : "\n");
    json_begin_object(out, NULL);
    json_write_text(out, "algorithm", compare->machine.name);
    json_write_bool(out, "finished", status == NQ_END);
    json_write_bool(out, "out_of_memory", status == NQ_LIMIT);
    if (compare->first.solutions) {
        json_begin_object(out, "first");
        format_columns(out, "permutation", question->base, question->n, compare->solution);
        format_stats(out, "stats", &compare->first);
        json_end_object(out);
    } else {
        json_write_null(out, "first");
    }
    format_stats(out, "stats", &compare->stats);
    json_end_object(out);
    compare->machine.class->close(compare->state);
    compare->state = NULL;
}

static enum nq_status step(struct compare *compare, uint64_t *cost)
{
    struct step step;
    if (compare->stats.steps == compare->question->compare.steps)
        return NQ_AGAIN;
    const enum nq_status status = compare->machine.class->step(compare->state, &step);
    if (status != NQ_OK)
        return status;
    stats_add(&compare->stats, &step);
    *cost += step_cost(&step);
    if (step.kind == STEP_SOLUTION && compare->stats.solutions == 1) {
        compare->first = compare->stats;
        compare->machine.class->board(compare->state, compare->solution);
    }
    return NQ_OK;
}

static enum nq_status compare_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct compare *compare = (struct compare *)work;
    if (compare->state)
        meter_by(slice->meter, compare->machine.name);
    for (uint64_t unseen = 0;;) {
        uint64_t cost = 0;
        enum nq_status status = compare->state ? NQ_OK : begin(compare, slice->meter);
        if (status == NQ_END)
            return NQ_OK;
        if (status == NQ_OK)
            status = step(compare, &cost);
        meter_did(slice->meter, cost);
        unseen += cost;
        if (status == NQ_BUSY || status == NQ_NOMEM)
            return status;
        if (status != NQ_OK)
            write_result(compare, status);
        const enum nq_status look = slice_look(slice, stop, GRANT, &unseen);
        if (look != NQ_OK)
            return look;
    }
}

static enum nq_status compare_finish(struct work *work, struct answer **out)
{
    struct compare *compare = (struct compare *)work;
    const struct question *question = compare->question;
    struct bytes body = {0};
    json_begin_object(&body, NULL);
    format_question(&body, question->n, question->base, question_rules(question), NULL);
    json_write_number(&body, "steps", question->compare.steps);
    json_write_number(&body, "seed", question->seed);
    json_begin_array(&body, "algorithms");
    bytes_add(&body, compare->rows.data, compare->rows.size);
    bytes_char(&body, '\n');
    json_end_array(&body);
    json_end_object(&body);
    json_end_document(&body, 0);
    body.failed |= compare->rows.failed;
    return work_answered(&body, question, out);
}

static void compare_close(struct work *work)
{
    struct compare *compare = (struct compare *)work;
    if (compare->state)
        compare->machine.class->close(compare->state);
    free(compare->solution);
    bytes_free(&compare->rows);
    free(compare);
}

enum nq_status work_compare(const struct question *question, struct work **work)
{
    static const struct work_class class = {.slice = compare_slice, .finish = compare_finish, .close = compare_close};
    struct compare *compare = work_new(sizeof *compare, &class);
    if (!compare)
        return NQ_NOMEM;
    compare->question = question;
    compare->solution = malloc(question->n * sizeof *compare->solution);
    return work_opened(&compare->work, compare->solution ? NQ_OK : NQ_NOMEM, work);
}
