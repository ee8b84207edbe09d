/* tally.c - a count by searching: every lane takes the next unit until none is left. What a unit or a whole term came
 * to is a fact: it goes to the ledger, and what the ledger has already is not counted again. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "count/counting.h"
#include "engine/count_answer.h"
#include "engine/hint.h"
#include "engine/ledger.h"
#include "engine/plans.h"
#include "engine/units.h"

/* Terms that take less are not worth keeping: they would only crowd out others. Placements; some 10 ms. */
enum { KEEP_WEIGHT = 10000000 };

/* No board of fewer rows has so many, however it is searched (n = 13: 4674889, A319283): the store is not even asked,
 * which for every square of n = 8 takes longer than to count. */
enum { KEEP_ROWS = 14 };

struct sum {
    nq_wide parts;
    size_t left; /* units to come */
    bool keep;
    atomic_bool begun; /* a lane has taken one of its units */
    char *name;        /* in the ledger */
};

struct tally {
    struct work work;
    const struct question *question;
    const struct kernel *kernel;
    struct ledger *ledger;
    struct plans *plans;
    struct counting *counting;
    unsigned threads;
    bool *done;  /* by term: known from the start */
    bool unsure; /* others may be known, too: the store has not answered in time */
    struct units units;
    pthread_mutex_t lock; /* guards the parts and what is left of the sums, once lanes run */
    struct sum *sums;     /* by term */
};

/* ---- Facts: "parts nodes" in decimal digits, under the term's name, with " #unit" for one unit of it ---- */

static bool read_fact(const char *text, size_t size, nq_wide *parts, uint64_t *nodes)
{
    const char *end = text + size, *space = memchr(text, ' ', size);
    nq_wide first, second;
    if (!space || !wide_read(text, space, &first) || !wide_read(space + 1, end, &second))
        return false;
    *parts = first;
    *nodes = (uint64_t)second;
    return true;
}

static bool keep_fact(struct tally *tally, enum store_kind kind, const char *key, nq_wide parts, uint64_t nodes)
{
    char digits[WIDE_TEXT_MAX], value[WIDE_TEXT_MAX + 24];
    (void)snprintf(value, sizeof value, "%s %" PRIu64, wide_text(parts, digits), nodes);
    return ledger_put(tally->ledger, kind, key, value);
}

static void keep_unit(struct tally *tally, size_t term, size_t unit, const struct unit_result *result)
{
    char *text = units_key(tally->sums[term].name, unit - counting_first(tally->counting, term));
    if (text)
        (void)keep_fact(tally, STORE_UNIT, text, result->parts, result->nodes); /* or it is counted again one day */
    free(text);
}

static void keep_term(struct tally *tally, size_t term, nq_wide parts)
{
    const char *name = tally->sums[term].name;
    char *text = units_prefix(name);
    if (text && keep_fact(tally, STORE_RESULT, name, parts, 0))
        ledger_drop(tally->ledger, STORE_UNIT, text);
    free(text);
}

/* ---- Opening ---- */

static enum nq_status name_terms(struct tally *tally)
{
    for (size_t term = 0; term < counting_terms(tally->counting); term++) {
        struct bytes name = {0};
        counting_name(tally->counting, term, &name);
        tally->sums[term].name = bytes_take(&name);
        if (!tally->sums[term].name)
            return NQ_NOMEM;
    }
    return NQ_OK;
}

/* Takes over what is known of the terms. Once the store has not answered in time, it is not asked any more. */
static enum nq_status recall_terms(struct tally *tally, struct patience patience)
{
    const bool worth = tally->ledger && tally->question->query.filter.n >= KEEP_ROWS;
    enum nq_status status = NQ_OK;
    for (size_t term = 0; worth && term < counting_terms(tally->counting); term++) {
        struct sum *sum = &tally->sums[term];
        struct bytes fact = {0};
        uint64_t nodes;
        if (tally->done[term])
            continue;
        status = ledger_get(tally->ledger, STORE_RESULT, sum->name, patience, &fact);
        if (status == NQ_OK)
            tally->done[term] = read_fact(fact.data, fact.size, &sum->parts, &nodes);
        bytes_free(&fact);
        if (status == NQ_TIMEOUT || status == NQ_CANCELLED)
            break;
    }
    tally->unsure = status == NQ_TIMEOUT;
    return status == NQ_CANCELLED ? status : NQ_OK;
}

static uint64_t unit_weight(const struct tally *tally, size_t unit)
{
    return (uint64_t)counting_weight(tally->counting, unit);
}

struct recall {
    struct tally *tally;
    size_t term;
};

static void recall_unit(void *context, const char *key, const void *value, size_t size)
{
    const struct recall *recall = context;
    struct tally *tally = recall->tally;
    struct sum *sum = &tally->sums[recall->term];
    const size_t first = counting_first(tally->counting, recall->term);
    const size_t count = counting_first(tally->counting, recall->term + 1) - first;
    nq_wide parts;
    uint64_t nodes;
    size_t unit;
    if (!units_number(key, count, &unit) || !read_fact(value, size, &parts, &nodes) ||
        !units_restore(&tally->units, first + unit, unit_weight(tally, first + unit)))
        return;
    sum->parts += parts;
    sum->left--;
}

/* Lays out the units, and takes over those that were counted before. */
static enum nq_status recall_units(struct tally *tally, struct patience patience)
{
    struct counting *counting = tally->counting;
    enum nq_status status = NQ_OK;
    if (!units_lay(&tally->units, counting_units(counting)))
        return NQ_NOMEM;
    for (size_t term = 0; term < counting_terms(counting); term++) {
        struct sum *sum = &tally->sums[term];
        uint64_t weight = 0;
        for (size_t unit = counting_first(counting, term); unit < counting_first(counting, term + 1);
             unit++, sum->left++)
            weight += unit_weight(tally, unit);
        tally->units.weight += weight;
        sum->keep = tally->ledger && weight >= KEEP_WEIGHT;
        if (tally->done[term] || !sum->keep || status == NQ_TIMEOUT)
            continue;
        struct recall recall = {.tally = tally, .term = term};
        char *text = units_prefix(sum->name);
        if (!text)
            return NQ_NOMEM;
        status = ledger_each(tally->ledger, STORE_UNIT, text, patience, recall_unit, &recall); /* or it is counted */
        free(text);
        if (!sum->left) /* the last process ended between the last unit and the sum */
            keep_term(tally, term, sum->parts);
    }
    units_begin(&tally->units);
    return NQ_OK;
}

/* Nothing may be begun that would take more than the limit. */
static enum nq_status afford(struct tally *tally, const struct tools *tools, const atomic_bool *stop,
                             char why[static WORK_WHY_MAX])
{
    const double seconds = counting_cost(tally->counting, tally->done, stop) / tools->nodes_per_second;
    if (units_afford(&tally->work, tally->question, tools, seconds))
        return NQ_OK;
    (void)snprintf(why, WORK_WHY_MAX,
                   "It would take about %.3g hours of one core, and %.3g is the most; method=estimate is quick.",
                   seconds / 3600, tools->most_core_seconds / 3600);
    return NQ_LIMIT;
}

/* ---- The work ---- */

/* Under the lock: whether nothing is begun yet by the method of a term. */
static bool is_first(const struct tally *tally, size_t term)
{
    const char *method = counting_method(tally->counting, term);
    for (size_t i = 0; i < counting_terms(tally->counting); i++)
        if (tally->sums[i].begun && counting_method(tally->counting, i) == method)
            return false;
    return true;
}

/* Tells a lane's meter by what method it counts from here on. */
static void meter_term(struct tally *tally, size_t term, struct meter *meter)
{
    struct sum *sum = &tally->sums[term];
    bool first = false;
    if (!atomic_load_explicit(&sum->begun, memory_order_relaxed)) {
        pthread_mutex_lock(&tally->lock);
        first = is_first(tally, term);
        atomic_store_explicit(&sum->begun, true, memory_order_relaxed);
        pthread_mutex_unlock(&tally->lock);
    }
    (first ? meter_begin : meter_by)(meter, counting_method(tally->counting, term));
}

static enum nq_status count_unit(struct tally *tally, size_t unit, struct meter *meter, const atomic_bool *stop)
{
    const size_t term = counting_term(tally->counting, unit);
    struct sum *sum = &tally->sums[term];
    struct unit_result result = {0};
    meter_term(tally, term, meter);
    const enum nq_status status = counting_count(tally->counting, unit, tally->kernel, stop, &result);
    meter_did(meter, result.nodes);
    if (status != NQ_OK)
        return status;
    if (sum->keep)
        keep_unit(tally, term, unit, &result); /* before it is counted: the sum must come last */
    pthread_mutex_lock(&tally->lock);
    sum->parts += result.parts;
    const nq_wide parts = sum->parts;
    const bool whole = --sum->left == 0;
    pthread_mutex_unlock(&tally->lock);
    units_finish(&tally->units, unit_weight(tally, unit), result.nodes);
    if (whole && sum->keep)
        keep_term(tally, term, parts);
    return NQ_OK;
}

static enum nq_status tally_prepare(struct work *work, const atomic_bool *stop)
{
    struct tally *tally = (struct tally *)work;
    const struct patience patience = units_patience(work, stop);
    enum nq_status status = tally->unsure && work->lengthy ? recall_terms(tally, patience) : NQ_OK;
    if (status == NQ_OK)
        status = counting_prepare(tally->counting, tally->done, tally->plans ? plans_source(tally->plans) : NULL, stop);
    if (status == NQ_OK)
        status = recall_units(tally, patience);
    work->lanes = tally->units.count < tally->threads ? 1 : tally->threads;
    return status;
}

static enum nq_status tally_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct tally *tally = (struct tally *)work;
    do {
        size_t unit;
        if (!units_take(&tally->units, &unit))
            return NQ_OK;
        const enum nq_status status = count_unit(tally, unit, slice->meter, stop);
        if (status != NQ_OK)
            return status;
    } while (clock_now() < slice->deadline);
    return NQ_AGAIN;
}

static void tally_progress(struct work *work, struct progress *progress)
{
    units_progress(&((struct tally *)work)->units, progress);
}

static enum nq_status tally_finish(struct work *work, struct answer **out)
{
    struct tally *tally = (struct tally *)work;
    const struct question *question = tally->question;
    const uint32_t n = question->n;
    struct count_fact fact = {.provenance = "computed"};
    nq_wide *parts = calloc(counting_terms(tally->counting) + 1, sizeof *parts), *squares = NULL;
    enum nq_status status = NQ_NOMEM;
    if (!parts)
        return NQ_NOMEM;
    for (size_t term = 0; term < counting_terms(tally->counting); term++)
        parts[term] = tally->sums[term].parts;
    fact.count = counting_total(tally->counting, parts);
    if (question->query.by_square) {
        squares = calloc((size_t)n * n + 1, sizeof *squares);
        if (!squares)
            goto cleanup;
        for (uint32_t i = 0; i < n * n; i++)
            squares[i] = counting_square(tally->counting, parts, i / n, i % n);
        fact.squares = squares;
    }
    status = question->kind == ASK_HINT ? hint_answer(question, fact.count, squares, out)
                                        : count_answer(question, &fact, out);
cleanup:
    free(squares);
    free(parts);
    return status;
}

static void tally_close(struct work *work)
{
    struct tally *tally = (struct tally *)work;
    for (size_t term = 0; tally->sums && term < counting_terms(tally->counting); term++)
        free(tally->sums[term].name);
    free(tally->sums);
    free(tally->done);
    units_close(&tally->units);
    counting_close(tally->counting);
    pthread_mutex_destroy(&tally->lock);
    free(tally);
}

enum nq_status work_tally(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                          char why[static WORK_WHY_MAX], struct work **work)
{
    static const struct work_class class = {.prepare = tally_prepare,
                                            .slice = tally_slice,
                                            .finish = tally_finish,
                                            .close = tally_close,
                                            .progress = tally_progress};
    struct tally *tally = calloc(1, sizeof *tally);
    if (!tally)
        return NQ_NOMEM;
    enum nq_status status = counting_open(&question->query, &tally->counting);
    if (status != NQ_OK) {
        free(tally);
        return status;
    }
    pthread_mutex_init(&tally->lock, NULL);
    tally->work = (struct work){.class = &class, .lanes = 1};
    tally->question = question;
    tally->kernel = tools->kernel;
    tally->threads = tools->threads;
    tally->ledger = tools->ledger;
    tally->plans = tools->plans;
    const size_t terms = counting_terms(tally->counting);
    tally->sums = calloc(terms + 1, sizeof *tally->sums);
    tally->done = calloc(terms + 1, sizeof *tally->done);
    status = tally->sums && tally->done ? name_terms(tally) : NQ_NOMEM;
    if (status == NQ_OK)
        status = recall_terms(tally, units_patience(&tally->work, stop));
    if (status == NQ_OK)
        status = afford(tally, tools, stop, why);
    if (status == NQ_OK)
        *work = &tally->work;
    else
        tally_close(&tally->work);
    return status;
}
