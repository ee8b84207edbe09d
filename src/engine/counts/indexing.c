/* indexing.c - a count that makes the rank index of the list: every task takes the next unit until none is left. The
 * result of a unit goes to the journal; the index goes with the answer. If several servers are asked for the same
 * index, one makes it and the others read its units from the store. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "count/index.h"
#include "engine/cluster/coordinator.h"
#include "engine/counts/count_answer.h"
#include "engine/units/units.h"
#include "solvers/lister.h"
#include "solvers/solver.h"

/* Core-seconds from which on units are worth keeping. */
#define KEEP_SECONDS 0.05

/* Placements, or solutions, between two looks at the stop flag. */
enum { GRANT = 1 << 15, BATCH = 256 };

/* For the store to answer; it is asked again later. */
enum { RECALL_MS = 2000 };

struct indexing {
    struct work work;
    const struct question *question;
    const struct kernel *kernel;
    struct journal *journal; /* NULL: nothing is kept */
    struct index *index;     /* NULL: the answer has it */
    char *name;              /* in the journal */
    unsigned threads;
    unsigned group; /* of listed ones: see query_group() */
    struct units units;
    struct lock lock;                /* so that of two results of a unit one is put; takes below a millisecond */
    struct coordinator *coordinator; /* NULL: there are no other servers */
    struct shared_count *shared;     /* NULL: this server alone makes it */
    atomic_bool is_shared;           /* shared is set; for any thread */
    size_t memory;                   /* that the index will take */
    size_t sought;                   /* while another server makes the index: all units before it are known */
};

/* The weight of a single unit is known from afford(): it may be that of the whole board, and takes milliseconds. */
static uint64_t unit_weight(const struct indexing *indexing, size_t unit)
{
    return indexing->units.count == 1 ? indexing->units.weight : (uint64_t)index_weight(indexing->index, unit, NULL);
}

/* ---- Units that are listed: no kernel can count them ---- */

static enum nq_status list_fast(const struct indexing *indexing, struct index_tally *tally, const uint8_t *stem,
                                uint32_t length, const atomic_bool *stop, uint64_t *nodes)
{
    const struct filter *filter = &indexing->question->query.filter;
    const uint32_t n = filter->n;
    uint8_t rows[BATCH * KERNEL_MAX_N];
    struct lister *lister;
    enum nq_status status = lister_open(n, filter->allow, finder_of(indexing->kernel), 0, &lister);
    if (status != NQ_OK)
        return status;
    status = lister_begin(lister, stem, length);
    while (status == NQ_OK || status == NQ_AGAIN) {
        uint64_t left = GRANT;
        size_t count;
        status = lister_next(lister, &left, rows, BATCH, &count);
        for (size_t i = 0; i < count; i++)
            if (query_representative(indexing->group, n, rows + i * n))
                index_tally_add(tally, rows + i * n);
        *nodes += GRANT - left;
        if (stop_wanted(stop))
            status = NQ_CANCELLED;
    }
    lister_close(lister);
    return status == NQ_END ? NQ_OK : status;
}

/* What only the cursor lists: solutions with a symmetry, by their orbits, of which there is one unit; and those by
 * another rule than that of queens. */
static enum nq_status list_slowly(const struct indexing *indexing, struct index_tally *tally, const uint8_t *stem,
                                  uint32_t length, const atomic_bool *stop, uint64_t *nodes)
{
    const uint32_t n = indexing->question->n;
    struct query query = indexing->question->query;
    struct nq_cursor *cursor;
    uint32_t columns[NQ_SEARCH_MAX_N];
    if (query.symmetry == SYMMETRY_ANY)
        query.distinct = DISTINCT_ALL; /* with a stem the filter has other symmetries */
    for (uint32_t row = 0; row < length; row++)
        query.filter.allow[row] = UINT64_C(1) << stem[row];
    enum nq_status status = cursor_open(NULL, &query, &cursor);
    if (status != NQ_OK)
        return status;
    while (status == NQ_OK || status == NQ_AGAIN) {
        uint64_t left = GRANT;
        uint8_t row[KERNEL_MAX_N];
        status = nq_cursor_next(cursor, &left, columns);
        for (uint32_t i = 0; status == NQ_OK && i < n; i++)
            row[i] = (uint8_t)columns[i];
        if (status == NQ_OK && (query.symmetry != SYMMETRY_ANY || query_representative(indexing->group, n, row)))
            index_tally_add(tally, row);
        *nodes += GRANT - left;
        if (stop_wanted(stop))
            status = NQ_CANCELLED;
    }
    nq_cursor_close(cursor);
    return status == NQ_END ? NQ_OK : status;
}

static enum nq_status list_unit(const struct indexing *indexing, size_t unit, const atomic_bool *stop,
                                struct bytes *result, uint64_t *nodes)
{
    uint8_t stem[INDEX_STEM_MAX];
    struct index_tally tally;
    const uint32_t length = index_stem(indexing->index, unit, stem);
    index_tally_begin(&tally, indexing->index, unit, result);
    const struct query *query = &indexing->question->query;
    enum nq_status status = query->symmetry == SYMMETRY_ANY && !query->filter.rule
                                ? list_fast(indexing, &tally, stem, length, stop, nodes)
                                : list_slowly(indexing, &tally, stem, length, stop, nodes);
    const enum nq_status ended = index_tally_end(&tally);
    return status == NQ_OK ? ended : status;
}

/* ---- Units and the journal ---- */

/* Puts the result of a unit into the index. NQ_END: it has one. */
static enum nq_status take_up(struct indexing *indexing, size_t unit, const void *result, size_t size, uint64_t nodes)
{
    const uint64_t weight = unit_weight(indexing, unit);
    lock_take(&indexing->lock);
    const bool known = units_known(&indexing->units, unit);
    const enum nq_status status = known ? NQ_END : index_put(indexing->index, unit, result, size);
    if (status == NQ_OK)
        (void)units_settle(&indexing->units, unit);
    if (status == NQ_OK && !atomic_load(&indexing->units.laid))
        units_restore(&indexing->units, weight);
    else if (status == NQ_OK)
        units_finish(&indexing->units, weight, nodes);
    lock_release(&indexing->lock);
    return status;
}

static void keep_unit(const struct indexing *indexing, size_t unit, const struct bytes *result)
{
    char *text = units_key(indexing->name, unit, UNIT_WHOLE);
    if (text)
        (void)journal_keep(indexing->journal, STORE_UNIT, text, result->data, result->size);
    free(text);
}

static enum nq_status make_unit(struct indexing *indexing, size_t unit, struct meter *meter, const atomic_bool *stop)
{
    struct bytes result = {0};
    uint64_t nodes = 0;
    enum nq_status status = index_listed(indexing->index)
                                ? list_unit(indexing, unit, stop, &result, &nodes)
                                : index_count(indexing->index, unit, indexing->kernel, stop, &result, &nodes);
    meter_did(meter, nodes);
    if (status == NQ_OK)
        status = take_up(indexing, unit, result.data, result.size, nodes);
    if (status == NQ_OK && indexing->journal)
        keep_unit(indexing, unit, &result);
    bytes_free(&result);
    return status == NQ_END ? NQ_OK : status;
}

static void recall_unit(void *context, const char *key, const void *value, size_t size)
{
    struct indexing *indexing = context;
    size_t unit, piece;
    if (units_number(key, indexing->units.count, &unit, &piece) && piece == UNIT_WHOLE)
        (void)take_up(indexing, unit, value, size, 0); /* or it is made anew */
}

static enum nq_status recall_units(struct indexing *indexing, struct deadline deadline)
{
    if (!indexing->journal)
        return NQ_OK;
    char *text = units_prefix(indexing->name);
    if (!text)
        return NQ_NOMEM;
    const enum nq_status status =
        journal_each(indexing->journal, STORE_UNIT, text, deadline, recall_unit, indexing); /* or it is made anew */
    free(text);
    return status == NQ_CANCELLED ? status : NQ_OK;
}

/* ---- Called by the coordinator ---- */

static void describe(void *who, struct work_message *message)
{
    units_progress(&((struct indexing *)who)->units, &message->progress);
}

/* Workers do not make indexes. */
static bool take(void *who, size_t *unit)
{
    (void)who, (void)unit;
    return false;
}

static bool find(void *who, const struct message_place *place, size_t *unit)
{
    (void)who, (void)place, (void)unit;
    return false;
}

static enum nq_status begin(void *who, const atomic_bool *stop)
{
    struct indexing *indexing = who;
    const enum nq_status status = recall_units(indexing, units_deadline(&indexing->work, stop));
    units_begin(&indexing->units);
    if (status == NQ_OK && indexing->shared)
        shared_count_begin(indexing->shared);
    return status;
}

/* NQ_NONE: the store does not have it, or does not answer. */
static enum nq_status seek_unit(struct indexing *indexing, size_t unit, const atomic_bool *stop)
{
    struct bytes value = {0};
    char *key = units_key(indexing->name, unit, UNIT_WHOLE);
    enum nq_status status = NQ_NOMEM;
    if (key)
        status = journal_get(indexing->journal, STORE_UNIT, key, (struct deadline){stop, RECALL_MS}, &value);
    if (status == NQ_OK)
        status = take_up(indexing, unit, value.data, value.size, 0);
    bytes_free(&value);
    free(key);
    if (status == NQ_OK || status == NQ_END)
        return NQ_OK;
    return status == NQ_NOMEM || status == NQ_CANCELLED ? status : NQ_NONE;
}

/* Units are made about in order: the first that is not stored ends the search. */
static enum nq_status look(void *who, const struct slice *slice, const atomic_bool *stop)
{
    struct indexing *indexing = who;
    for (; indexing->sought < indexing->units.count; indexing->sought++) {
        const bool known = units_known(&indexing->units, indexing->sought);
        const enum nq_status status = known ? NQ_OK : seek_unit(indexing, indexing->sought, stop);
        if (status != NQ_OK)
            return status;
        if (clock_now() >= slice->deadline)
            return NQ_AGAIN;
    }
    return NQ_OK;
}

/* ---- The work ---- */

static enum nq_status indexing_prepare(struct work *work, const atomic_bool *stop)
{
    static const struct shared_count_class class = {
        .describe = describe, .take = take, .find = find, .begin = begin, .look = look};
    struct indexing *indexing = (struct indexing *)work;
    enum nq_status status = NQ_OK;
    indexing->memory = (size_t)index_memory(indexing->index, stop);
    if (indexing->coordinator && indexing->journal && work->lengthy) {
        indexing->shared = shared_count_open(indexing->coordinator, indexing->question->path, &class, indexing);
        status = indexing->shared ? NQ_OK : NQ_NOMEM;
        atomic_store(&indexing->is_shared, indexing->shared);
    } else {
        status = begin(indexing, stop);
    }
    work->tasks = indexing->units.count < indexing->threads ? 1 : indexing->threads;
    return status;
}

static enum nq_status indexing_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct indexing *indexing = (struct indexing *)work;
    const enum nq_status admitted = indexing->shared ? shared_count_admit(indexing->shared, slice, stop) : NQ_OK;
    if (admitted != NQ_OK)
        return admitted == NQ_END ? NQ_OK : admitted;
    do {
        size_t unit;
        if (!units_take(&indexing->units, &unit))
            return NQ_OK;
        const enum nq_status status = make_unit(indexing, unit, slice->meter, stop);
        if (status != NQ_OK)
            return status;
    } while (clock_now() < slice->deadline);
    return NQ_AGAIN;
}

static void indexing_progress(struct work *work, struct progress *progress)
{
    struct indexing *indexing = (struct indexing *)work;
    units_progress(&indexing->units, progress);
    if (indexing->is_shared)
        shared_count_progress(indexing->shared, progress);
}

static void close_index(void *index)
{
    index_close(index);
}

static enum nq_status indexing_finish(struct work *work, struct answer **out)
{
    struct indexing *indexing = (struct indexing *)work;
    index_finish(indexing->index);
    const enum nq_status status = count_answer_computed(indexing->question, index_total(indexing->index), NULL, out);
    if (status != NQ_OK)
        return status;
    (*out)->extra = indexing->index;
    (*out)->extra_size = indexing->memory;
    (*out)->free_extra = close_index;
    indexing->index = NULL;
    return NQ_OK;
}

static void indexing_close(struct work *work)
{
    struct indexing *indexing = (struct indexing *)work;
    if (indexing->shared)
        shared_count_close(indexing->shared, !indexing->index);
    if (indexing->index)
        index_close(indexing->index);
    free(indexing->name);
    units_close(&indexing->units);
    lock_destroy(&indexing->lock);
    free(indexing);
}

/* Rejects an index that would take more than the limit; a short one is not kept. */
static enum nq_status afford(struct indexing *indexing, const struct tools *tools, const atomic_bool *stop,
                             struct fault *fault)
{
    indexing->units.weight = index_cost(indexing->index, stop);
    const double seconds = (double)indexing->units.weight / tools->nodes_per_second;
    indexing->journal = seconds >= KEEP_SECONDS ? tools->journal : NULL;
    if (units_afford(&indexing->work, indexing->question, tools, seconds))
        return NQ_OK;
    fault_write(fault, FAULT_COST_INDEX, (const double[]){seconds, tools->most_core_seconds},
                "The index needs about %.3g core-hours; the limit is %.3g. Use after or cursor, which need no index.",
                seconds / 3600, tools->most_core_seconds / 3600);
    return NQ_LIMIT;
}

enum nq_status work_index(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                          struct fault *fault, struct work **work)
{
    static const struct work_class class = {.prepare = indexing_prepare,
                                            .slice = indexing_slice,
                                            .finish = indexing_finish,
                                            .close = indexing_close,
                                            .progress = indexing_progress};
    struct indexing *indexing = calloc(1, sizeof *indexing);
    struct bytes name = {0};
    if (!indexing)
        return NQ_NOMEM;
    lock_init(&indexing->lock, LOCK_INDEX);
    indexing->work = (struct work){.class = &class, .tasks = 1};
    indexing->coordinator = tools->coordinator;
    indexing->question = question;
    indexing->kernel = tools->kernel;
    indexing->threads = tools->threads;
    indexing->group = query_group(&question->query);
    enum nq_status status = index_open(&question->query, stop, &indexing->index);
    if (status == NQ_OK) {
        index_name(indexing->index, &name);
        indexing->name = bytes_take(&name);
        const bool laid = units_lay(&indexing->units, index_units(indexing->index));
        status = indexing->name && laid ? afford(indexing, tools, stop, fault) : NQ_NOMEM;
    }
    if (status == NQ_OK)
        *work = &indexing->work;
    else
        indexing_close(&indexing->work);
    return status;
}
