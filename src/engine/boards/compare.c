/* compare.c - every algorithm on the same board, one after the other, none for more than so many steps; on several
 * sizes, and those that draw with several seeds, if that is asked for. It does not report times, which differ from run
 * to run.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "engine/ask/machines.h"
#include "engine/run/work.h"

/* Budget between two looks at the clock; see source_trace.c. */
enum { GRANT = 1 << 14 };

/* Up to the first solution of each run that found one. */
struct runs {
    uint32_t made, found;
    uint64_t steps[COMPARE_SEEDS_MAX], tests[COMPARE_SEEDS_MAX];
};

struct compare {
    struct work work;
    const struct question *question;
    bool csv;
    uint32_t n;             /* the size of these: */
    size_t next;            /* the algorithm that is begun next */
    struct machine machine; /* the one that runs */
    void *state;            /* of the machine; NULL: none runs */
    struct stats stats;     /* of the run */
    struct stats first;     /* up to its first solution */
    struct runs runs;       /* of the machine, so far; of the first run: */
    struct stats one, one_first;
    enum nq_status ended;
    uint32_t *solution; /* the first that the machine found */
    struct bytes rows;  /* of this size, in JSON; of all in CSV */
    struct bytes sizes; /* of a range, in JSON */
};

static bool applies(const struct compare *compare, const struct machine *machine)
{
    const struct question *question = compare->question;
    const uint32_t n = compare->n;
    return n <= machine->max_n && rule_suits(question->query.filter.rule, machine->by_rule) &&
           !((machine->heeds & HEEDS_COLUMN) && question->compare.machine.column >= n);
}

/* Whether the machine runs once more, with the next seed. */
static bool runs_again(const struct compare *compare)
{
    return compare->runs.made && (compare->machine.heeds & HEEDS_SEED) &&
           compare->runs.made < compare->question->compare.seeds;
}

/* ---- What was found ---- */

static int by_size(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

/* The least number that a quarter of the sorted ones, a half, three quarters do not exceed. */
static uint64_t quartile(const uint64_t *sorted, uint32_t count, uint32_t quarter)
{
    return sorted[(count * quarter + 3) / 4 - 1];
}

static const char *const quartiles[] = {"lower", "median", "upper"};

static void write_quartiles(struct bytes *out, const char *name, const uint64_t *sorted, uint32_t count)
{
    json_begin_object(out, name);
    for (uint32_t i = 0; i < 3; i++)
        if (count)
            json_write_number(out, quartiles[i], quartile(sorted, count, i + 1));
        else
            json_write_null(out, quartiles[i]);
    json_end_object(out);
}

static void write_runs(struct bytes *out, const struct runs *runs)
{
    json_begin_object(out, "runs");
    json_write_number(out, "seeds", runs->made);
    json_write_number(out, "found", runs->found);
    write_quartiles(out, "steps", runs->steps, runs->found);
    write_quartiles(out, "tests", runs->tests, runs->found);
    json_end_object(out);
}

static void write_json(struct compare *compare)
{
    const struct question *question = compare->question;
    struct bytes *out = &compare->rows;
    bytes_text(out, out->size ? ",\n" : "\n");
    json_begin_object(out, NULL);
    json_write_text(out, "algorithm", compare->machine.name);
    json_write_text(out, "unit", compare->machine.tests);
    json_write_bool(out, "finished", compare->ended == NQ_END);
    json_write_bool(out, "out_of_memory", compare->ended == NQ_LIMIT);
    if (compare->one_first.solutions) {
        json_begin_object(out, "first");
        format_columns(out, "permutation", question->base, compare->n, compare->solution);
        format_stats(out, "stats", &compare->one_first);
        json_end_object(out);
    } else {
        json_write_null(out, "first");
    }
    format_stats(out, "stats", &compare->one);
    if (question->compare.seeds > 1 && (compare->machine.heeds & HEEDS_SEED))
        write_runs(out, &compare->runs);
    json_end_object(out);
}

/* Units have commas, and no quotes. */
static void write_csv(struct compare *compare)
{
    const struct runs *runs = &compare->runs;
    struct bytes *out = &compare->rows;
    bytes_format(out, "%u,%s,\"%s\",%u,%u", (unsigned)compare->n, compare->machine.name, compare->machine.tests,
                 (unsigned)runs->made, (unsigned)runs->found);
    for (uint32_t i = 0; i < 6; i++) {
        bytes_char(out, ',');
        if (runs->found)
            bytes_number(out, quartile(i < 3 ? runs->steps : runs->tests, runs->found, i % 3 + 1));
    }
    bytes_format(out, ",%s,", compare->ended == NQ_END ? "true" : "false");
    bytes_number(out, compare->one.steps);
    bytes_char(out, ',');
    bytes_number(out, compare->one.tests);
    bytes_text(out, "\r\n");
}

static const char csv_head[] =
    "n,algorithm,unit,runs,found,first steps lower,first steps median,first steps upper,first "
    "tests lower,first tests median,first tests upper,finished,steps,tests\r\n";

/* ---- Runs ---- */

/* Notes how a run ended, and after the last one writes its row. */
static void end_run(struct compare *compare, enum nq_status status)
{
    struct runs *runs = &compare->runs;
    if (!runs->made) {
        compare->ended = status;
        compare->one = compare->stats;
        compare->one_first = compare->first;
    }
    runs->made++;
    if (compare->first.solutions) {
        runs->steps[runs->found] = compare->first.steps;
        runs->tests[runs->found++] = compare->first.tests;
    }
    compare->machine.class->close(compare->state);
    compare->state = NULL;
    if (runs_again(compare))
        return;
    qsort(runs->steps, runs->found, sizeof *runs->steps, by_size);
    qsort(runs->tests, runs->found, sizeof *runs->tests, by_size);
    if (compare->csv)
        write_csv(compare);
    else
        write_json(compare);
    *runs = (struct runs){0};
}

static void end_size(struct compare *compare)
{
    struct bytes *out = &compare->sizes;
    compare->next = 0;
    compare->n++;
    if (!compare->question->compare.last || compare->csv)
        return;
    bytes_text(out, out->size ? ",\n" : "\n");
    json_begin_object(out, NULL);
    json_write_number(out, "n", compare->n - 1);
    json_begin_array(out, "algorithms");
    bytes_add(out, compare->rows.data, compare->rows.size);
    json_end_array(out);
    json_end_object(out);
    out->failed |= compare->rows.failed;
    compare->rows.size = 0;
}

/* Finds the next algorithm that suits the board, or the next board. False: there is none. */
static bool find_next(struct compare *compare)
{
    const uint32_t last = compare->question->compare.last;
    for (;;) {
        if (!machines_get(compare->next++, &compare->machine)) {
            end_size(compare);
            if (compare->n > last)
                return false;
        } else if (applies(compare, &compare->machine)) {
            return true;
        }
    }
}

/* Begins the next run. NQ_END: there is none. */
static enum nq_status begin(struct compare *compare, struct meter *meter)
{
    struct machine_settings settings = compare->question->compare.machine;
    if (!runs_again(compare) && !find_next(compare))
        return NQ_END;
    settings.n = compare->n;
    settings.seed += compare->runs.made;
    settings.rule = compare->question->query.filter.rule;
    settings.allowance = compare->question->allowance;
    compare->stats = compare->first = (struct stats){0};
    meter_begin(meter, compare->machine.name);
    return machine_open(compare->machine.class, &settings, &compare->state);
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
        if (!compare->runs.made)
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
            end_run(compare, status);
        const enum nq_status look = slice_look(slice, stop, GRANT, &unseen);
        if (look != NQ_OK)
            return look;
    }
}

static void write_head(const struct question *question, struct bytes *body)
{
    json_begin_object(body, NULL);
    if (question->compare.last) {
        json_write_number(body, "base", question->base);
        format_rules(body, question->base, question_rules(question), NULL);
    } else {
        format_question(body, question->n, question->base, question_rules(question), NULL);
    }
    json_write_number(body, "steps", question->compare.steps);
    json_write_number(body, "seed", question->seed);
    if (question->compare.seeds > 1)
        json_write_number(body, "seeds", question->compare.seeds);
}

static enum nq_status compare_finish(struct work *work, struct answer **out)
{
    struct compare *compare = (struct compare *)work;
    const struct question *question = compare->question;
    struct bytes body = {0};
    if (compare->csv) {
        bytes_text(&body, csv_head);
        bytes_add(&body, compare->rows.data, compare->rows.size);
    } else {
        write_head(question, &body);
        json_begin_array(&body, question->compare.last ? "sizes" : "algorithms");
        const struct bytes *rows = question->compare.last ? &compare->sizes : &compare->rows;
        bytes_add(&body, rows->data, rows->size);
        bytes_char(&body, '\n');
        json_end_array(&body);
        json_end_object(&body);
        json_end_document(&body, 0);
    }
    body.failed |= compare->rows.failed | compare->sizes.failed;
    return work_answered(&body, question, out);
}

static void compare_close(struct work *work)
{
    struct compare *compare = (struct compare *)work;
    if (compare->state)
        compare->machine.class->close(compare->state);
    free(compare->solution);
    bytes_free(&compare->rows);
    bytes_free(&compare->sizes);
    free(compare);
}

enum nq_status work_compare(const struct question *question, struct work **work)
{
    static const struct work_class class = {.slice = compare_slice, .finish = compare_finish, .close = compare_close};
    struct compare *compare = work_new(sizeof *compare, &class);
    if (!compare)
        return NQ_NOMEM;
    compare->question = question;
    compare->n = question->n;
    compare->csv = strcmp(question->format->name, "csv") == 0;
    compare->solution = malloc(MACHINE_MAX_N * sizeof *compare->solution);
    return work_opened(&compare->work, compare->solution ? NQ_OK : NQ_NOMEM, work);
}
