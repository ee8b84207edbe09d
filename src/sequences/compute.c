/* compute.c - hands the units of a term to threads, and keeps what they find. */
#include "sequences/compute.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

/* A term under way. */
struct run {
    const struct compute *compute;
    const struct term_method *method;
    void *plan;
    uint32_t n, index;
    size_t units, numbers; /* of a result */
    nq_wide *results;      /* by unit */
    bool *done;
    char *prefix;          /* of the keys of units */
    pthread_mutex_t mutex; /* over what follows, and results and done */
    size_t next, counted;
    enum nq_status status; /* the first that is not NQ_OK ends all */
};

/* Names do not begin as those of the service's facts do. Equal ones mean equal results. */
static void name_term(const struct term_method *method, uint32_t n, struct bytes *key)
{
    bytes_format(key, "sequence %s.%u %u", method->name, method->revision, n);
}

static char *name_unit(const struct run *run, size_t unit)
{
    struct bytes key = {0};
    bytes_format(&key, "%s%zu", run->prefix, unit);
    return bytes_take(&key);
}

/* Units are kept signed or not, as the method makes them: 128 bits in decimal digits, with spaces between numbers. */
static enum nq_status keep(const struct run *run, enum store_kind kind, char *key, const nq_wide *numbers, size_t count)
{
    struct bytes text = {0};
    wide_write_row(&text, numbers, count);
    const struct store_fact fact = {.kind = kind, .key = key, .value = text.data, .size = text.size};
    const enum nq_status status = key && !text.failed ? store_put(run->compute->store, &fact, 1) : NQ_NOMEM;
    bytes_free(&text);
    free(key);
    return status;
}

/* NQ_NONE: it is not there, or it is no such row of numbers. */
static enum nq_status recall(struct store *store, enum store_kind kind, const char *key, nq_wide *numbers, size_t count)
{
    struct bytes value = {0};
    enum nq_status status = key ? store_get(store, kind, key, &value) : NQ_NOMEM;
    if (status == NQ_OK && value.failed)
        status = NQ_NOMEM;
    if (status == NQ_OK && !(value.size && wide_read_row(value.data, value.data + value.size, numbers, count)))
        status = NQ_NONE;
    bytes_free(&value);
    return status;
}

static enum nq_status recall_units(struct run *run)
{
    for (size_t unit = 0; unit < run->units; unit++) {
        nq_wide *result = run->results + unit * run->numbers;
        char *key = name_unit(run, unit);
        const enum nq_status status = recall(run->compute->store, STORE_UNIT, key, result, run->numbers);
        free(key);
        if (status != NQ_OK && status != NQ_NONE)
            return status;
        run->done[unit] = status == NQ_OK;
        run->counted += run->done[unit];
        if (status == NQ_NONE)
            memset(result, 0, run->numbers * sizeof *result);
    }
    return NQ_OK;
}

/* The next unit that nobody has; the number of units if there is none, or no more shall be counted. */
static size_t take(struct run *run)
{
    const bool stop = stop_wanted(run->compute->stop); /* units that end at once do not look at it */
    pthread_mutex_lock(&run->mutex);
    while (run->next < run->units && run->done[run->next])
        run->next++;
    if (stop && run->next < run->units && run->status == NQ_OK)
        run->status = NQ_CANCELLED;
    const size_t unit = run->status == NQ_OK ? run->next++ : run->units;
    pthread_mutex_unlock(&run->mutex);
    return unit;
}

/* The result of a unit that this thread has counted. */
static void put(struct run *run, size_t unit, enum nq_status status)
{
    if (status == NQ_OK)
        status = keep(run, STORE_UNIT, name_unit(run, unit), run->results + unit * run->numbers, run->numbers);
    pthread_mutex_lock(&run->mutex);
    assert(unit < run->units && !run->done[unit]); /* or it is counted twice */
    if (status == NQ_OK) {
        run->done[unit] = true;
        run->counted++;
        if (run->compute->progress)
            run->compute->progress(run->compute->context, run->index, run->counted, run->units);
    } else if (run->status == NQ_OK) {
        run->status = status;
    }
    pthread_mutex_unlock(&run->mutex);
}

static void work(void *context)
{
    struct run *run = context;
    for (size_t unit; (unit = take(run)) < run->units;) {
        nq_wide *result = run->results + unit * run->numbers;
        put(run, unit, run->method->count(run->plan, unit, run->compute->stop, result));
    }
}

/* With a plan: the units, from the store or counted, and the number they make. */
static enum nq_status count_units(struct run *run, nq_wide *value)
{
    run->units = run->method->units(run->plan);
    run->numbers = term_result_numbers(run->method, run->n);
    run->results = calloc(run->units * run->numbers + 1, sizeof *run->results);
    run->done = calloc(run->units + 1, sizeof *run->done);
    run->status = run->results && run->done ? recall_units(run) : NQ_NOMEM;
    if (run->status != NQ_OK)
        return run->status;
    if (run->compute->progress && run->units)
        run->compute->progress(run->compute->context, run->index, run->counted, run->units);
    parallel_run(run->compute->threads, work, run);
    if (run->status != NQ_OK)
        return run->status;
    return run->method->value(run->plan, run->results, value) ? NQ_OK : NQ_INVALID;
}

/* The result replaces the units, which are deleted too if they are of no use. */
static enum nq_status finish(struct run *run, enum nq_status status, char *key, const nq_wide *value)
{
    if (status == NQ_OK)
        status = keep(run, STORE_RESULT, key, value, term_value_numbers(run->method, run->n));
    else
        free(key);
    if (status != NQ_OK && status != NQ_INVALID)
        return status;
    const enum nq_status deleted = store_delete_prefix(run->compute->store, STORE_UNIT, run->prefix);
    return status == NQ_OK ? deleted : status;
}

static enum nq_status compute_board(struct run *run, char *key, nq_wide *value)
{
    struct bytes prefix = {0};
    enum nq_status status = run->method->prepare(run->n, run->compute->stop, &run->plan);
    if (status != NQ_OK) {
        free(key);
        return status;
    }
    name_term(run->method, run->n, &prefix);
    if (run->method->describe)
        run->method->describe(run->plan, &prefix);
    bytes_text(&prefix, " unit ");
    run->prefix = bytes_take(&prefix);
    status = run->prefix ? count_units(run, value) : NQ_NOMEM;
    status = finish(run, status, key, value);
    run->method->release(run->plan);
    free(run->prefix);
    free(run->results);
    free(run->done);
    return status;
}

enum nq_status compute_term(const struct compute *compute, const struct sequence *sequence, uint32_t index,
                            nq_wide *value)
{
    const uint32_t n = sequence_board(sequence, index);
    const size_t numbers = term_value_numbers(sequence->method, n);
    struct run run = {
        .compute = compute, .method = sequence->method, .n = n, .index = index, .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct bytes name = {0};
    nq_wide *row = calloc(numbers, sizeof *row);
    if (!row)
        return NQ_NOMEM;
    name_term(run.method, n, &name);
    char *key = bytes_take(&name);
    enum nq_status status = recall(compute->store, STORE_RESULT, key, row, numbers);
    if (status == NQ_NONE)
        status = compute_board(&run, key, row);
    else
        free(key);
    if (status == NQ_OK)
        *value = row[sequence_number(sequence, index)] / (sequence->per_column && n ? n : 1);
    free(row);
    return status;
}
