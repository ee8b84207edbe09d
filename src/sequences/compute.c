/* compute.c - hands the units of a term to threads, and keeps what they find. */
#include "sequences/compute.h"

#include <assert.h>
#include <stdlib.h>

#include "base/parallel.h"

/* A term under way. */
struct run {
    const struct compute *compute;
    struct term term;
    uint32_t index;
    size_t units;
    char *prefix;          /* of the keys of units */
    pthread_mutex_t mutex; /* over what follows */
    bool *done;            /* by unit */
    nq_wide *sums;         /* of those */
    size_t counted;
};

/* Names do not begin as those of the service's facts do. Equal ones mean equal results. */
static char *name_term(const struct term *term)
{
    struct bytes key = {0};
    bytes_format(&key, "sequence %s.%u %u", term->sequence->name, term->sequence->class->revision, term->n);
    return bytes_take(&key);
}

/* Of all units of a term. */
static char *name_units(const struct term *term)
{
    struct bytes prefix = {0};
    char *name = name_term(term);
    bytes_text(&prefix, name ? name : "");
    if (term->sequence->class->describe)
        term->sequence->class->describe(term, &prefix);
    bytes_text(&prefix, " unit ");
    prefix.failed |= !name;
    free(name);
    return bytes_take(&prefix);
}

static char *name_unit(const struct run *run, size_t unit)
{
    struct bytes key = {0};
    bytes_format(&key, "%s%zu", run->prefix, unit);
    return bytes_take(&key);
}

/* Units are kept as their class makes them: 128 bits in decimal digits, with spaces between numbers. Frees the key. */
static enum nq_status keep(struct store *store, enum store_kind kind, char *key, const nq_wide *numbers, size_t count)
{
    struct bytes text = {0};
    wide_write_row(&text, numbers, count);
    const struct store_fact fact = {.kind = kind, .key = key, .value = text.data, .size = text.size};
    const enum nq_status status = key && !text.failed ? store_put(store, &fact, 1) : NQ_NOMEM;
    bytes_free(&text);
    free(key);
    return status;
}

/* Frees the key. NQ_NONE: it is not there, or it is no such row of numbers. */
static enum nq_status recall(struct store *store, enum store_kind kind, char *key, nq_wide *numbers, size_t count)
{
    struct bytes value = {0};
    enum nq_status status = key ? store_get(store, kind, key, &value) : NQ_NOMEM;
    if (status == NQ_OK && value.failed)
        status = NQ_NOMEM;
    if (status == NQ_OK && !(value.size && wide_read_row(value.data, value.data + value.size, numbers, count)))
        status = NQ_NONE;
    bytes_free(&value);
    free(key);
    return status;
}

static void add(struct run *run, size_t unit, const nq_wide *result)
{
    assert(unit < run->units && !run->done[unit]); /* or it is counted twice */
    term_add(&run->term, unit, result, run->sums);
    run->done[unit] = true;
    run->counted++;
}

static enum nq_status recall_units(struct run *run)
{
    const size_t numbers = term_numbers(&run->term);
    nq_wide *result = calloc(numbers, sizeof *result);
    enum nq_status status = result ? NQ_OK : NQ_NOMEM;
    for (size_t unit = 0; unit < run->units && (status == NQ_OK || status == NQ_NONE); unit++) {
        status = recall(run->compute->store, STORE_UNIT, name_unit(run, unit), result, numbers);
        if (status == NQ_OK)
            add(run, unit, result);
    }
    free(result);
    return status == NQ_NONE ? NQ_OK : status;
}

static void tell(const struct run *run)
{
    if (run->compute->progress && run->units)
        run->compute->progress(run->compute->context, run->index, run->counted, run->units);
}

/* Counts a unit that is not done, and stores it. */
static enum nq_status make(void *of, size_t unit)
{
    struct run *run = of;
    const size_t numbers = term_numbers(&run->term);
    if (run->done[unit])
        return NQ_OK;
    nq_wide *result = calloc(numbers, sizeof *result);
    enum nq_status status = NQ_NOMEM;
    if (result)
        status = run->term.sequence->class->count(&run->term, unit, run->compute->stop, result);
    if (status == NQ_OK)
        status = keep(run->compute->store, STORE_UNIT, name_unit(run, unit), result, numbers);
    if (status == NQ_OK) {
        pthread_mutex_lock(&run->mutex);
        add(run, unit, result);
        tell(run);
        pthread_mutex_unlock(&run->mutex);
    }
    free(result);
    return status;
}

/* The units, from the store or counted, and the numbers that they make. */
static enum nq_status count_units(struct run *run, nq_wide *value)
{
    const struct term_class *class = run->term.sequence->class;
    run->units = class->units(&run->term);
    run->sums = calloc(term_sums(&run->term) + 1, sizeof *run->sums);
    run->done = calloc(run->units + 1, sizeof *run->done);
    const struct parallel_units units = {.count = run->units, .make = make, .of = run, .stop = run->compute->stop};
    enum nq_status status = run->sums && run->done ? recall_units(run) : NQ_NOMEM;
    if (status != NQ_OK)
        return status;
    tell(run);
    status = parallel_units(run->compute->threads, &units);
    if (status == NQ_OK && !class->value(&run->term, run->sums, value))
        status = NQ_INVALID;
    return status;
}

static enum nq_status compute_board(struct run *run, nq_wide *value)
{
    const enum nq_status status = term_prepare(&run->term, run->compute->stop);
    if (status != NQ_OK)
        return status;
    run->prefix = name_units(&run->term);
    return run->prefix ? count_units(run, value) : NQ_NOMEM;
}

/* By their keys: these have no border at which a shared store could tell the units of a term from others. */
static enum nq_status delete_units(const struct run *run)
{
    struct store_fact *facts = calloc(run->units + 1, sizeof *facts);
    enum nq_status status = facts ? NQ_OK : NQ_NOMEM;
    for (size_t unit = 0; status == NQ_OK && unit < run->units; unit++) {
        facts[unit] = (struct store_fact){.kind = STORE_UNIT, .key = name_unit(run, unit)};
        status = facts[unit].key ? NQ_OK : NQ_NOMEM;
    }
    if (status == NQ_OK)
        status = store_put(run->compute->store, facts, run->units);
    for (size_t unit = 0; facts && unit < run->units; unit++)
        free((char *)facts[unit].key);
    free(facts);
    return status;
}

/* The term replaces the units, which are deleted too if they are of no use. */
static enum nq_status finish(const struct run *run, enum nq_status status, const nq_wide *value, size_t numbers)
{
    if (status == NQ_OK)
        status = keep(run->compute->store, STORE_RESULT, name_term(&run->term), value, numbers);
    if (status != NQ_OK && status != NQ_INVALID)
        return status;
    const enum nq_status deleted = delete_units(run);
    return status == NQ_OK ? deleted : status;
}

/* The term of a board, from the store or computed. */
static enum nq_status find_board(struct run *run, nq_wide *row, size_t numbers)
{
    enum nq_status status = recall(run->compute->store, STORE_RESULT, name_term(&run->term), row, numbers);
    if (status != NQ_NONE)
        return status;
    for (size_t i = 0; i < numbers; i++)
        row[i] = 0; /* it may have been no such row */
    status = finish(run, compute_board(run, row), row, numbers);
    term_release(&run->term);
    free(run->prefix);
    free(run->sums);
    free(run->done);
    return status;
}

enum nq_status compute_term(const struct compute *compute, const struct sequence *sequence, uint32_t index,
                            nq_wide *value)
{
    uint32_t number;
    const uint32_t n = sequence_place(sequence, index, &number);
    const size_t numbers = sequence_numbers(sequence, n);
    struct run run = {
        .compute = compute, .term = {.sequence = sequence, .n = n}, .index = index, .mutex = PTHREAD_MUTEX_INITIALIZER};
    nq_wide *row = calloc(numbers, sizeof *row);
    const enum nq_status status = row ? find_board(&run, row, numbers) : NQ_NOMEM;
    if (status == NQ_OK)
        *value = row[number] / (sequence->per_column && n ? n : 1);
    free(row);
    return status;
}
