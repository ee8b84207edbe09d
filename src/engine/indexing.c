/* indexing.c - a count by making the rank index of the list: every lane takes the next unit until none is left. What a
 * unit came to is a fact that goes to the ledger; the index itself goes with the answer. Of several servers that are
 * asked for the same one makes it, and the others read its units as they are stored. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "count/index.h"
#include "engine/count_answer.h"
#include "engine/crew.h"
#include "engine/units.h"
#include "solvers/lister.h"
#include "solvers/solver.h"

/* Core-seconds from which on units are worth keeping. */
#define KEEP_SECONDS 0.05

/* Placements, or solutions, between two looks at the stop flag. */
enum { GRANT = 1 << 15, BATCH = 256 };

/* For the store to answer who looks again and again. */
enum { RECALL_MS = 2000 };

struct indexing {
    struct work work;
    const struct question *question;
    const struct kernel *kernel;
    struct ledger *ledger; /* NULL: nothing is kept */
    struct index *index;   /* NULL once it has gone with the answer */
    char *name;            /* in the ledger */
    unsigned threads;
    unsigned group; /* of listed ones: see query_group() */
    struct units units;
    pthread_mutex_t lock; /* of units that are taken up */
    struct crews *crews;  /* NULL: nobody else makes any */
    struct crew *crew;    /* NULL: nobody else makes this one */
    atomic_bool shared;   /* the crew is there, for whoever asks at any time */
    size_t sought;        /* all units before it are known, to who follows */
};

static uint64_t unit_weight(const struct indexing *indexing, size_t unit)
{
    return (uint64_t)index_weight(indexing->index, unit);
}

/* ---- Units that no kernel can count: they are listed ---- */

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

/* By the cursor, which knows orbits. There is one unit only. */
static enum nq_status list_orbits(const struct indexing *indexing, struct index_tally *tally, const atomic_bool *stop,
                                  uint64_t *nodes)
{
    struct nq_cursor *cursor;
    uint32_t columns[NQ_SEARCH_MAX_N];
    enum nq_status status = cursor_open(NULL, &indexing->question->query, &cursor);
    if (status != NQ_OK)
        return status;
    while (status == NQ_OK || status == NQ_AGAIN) {
        uint64_t left = GRANT;
        uint8_t row[KERNEL_MAX_N];
        status = nq_cursor_next(cursor, &left, columns);
        for (uint32_t i = 0; status == NQ_OK && i < indexing->question->n; i++)
            row[i] = (uint8_t)columns[i];
        if (status == NQ_OK)
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
    enum nq_status status = indexing->question->query.symmetry == SYMMETRY_ANY
                                ? list_fast(indexing, &tally, stem, length, stop, nodes)
                                : list_orbits(indexing, &tally, stop, nodes);
    const enum nq_status ended = index_tally_end(&tally);
    return status == NQ_OK ? ended : status;
}

/* ---- Units, and what the ledger knows of them ---- */

/* Takes up what a unit came to, here or elsewhere. NQ_END: it is known already. */
static enum nq_status take_up(struct indexing *indexing, size_t unit, const void *result, size_t size, uint64_t nodes)
{
    const uint64_t weight = unit_weight(indexing, unit);
    pthread_mutex_lock(&indexing->lock);
    const bool known = units_known(&indexing->units, unit);
    const enum nq_status status = known ? NQ_END : index_put(indexing->index, unit, result, size);
    if (status == NQ_OK)
        (void)units_settle(&indexing->units, unit);
    if (status == NQ_OK && !atomic_load(&indexing->units.laid))
        units_restore(&indexing->units, weight);
    else if (status == NQ_OK)
        units_finish(&indexing->units, weight, nodes);
    pthread_mutex_unlock(&indexing->lock);
    return status;
}

static void keep_unit(const struct indexing *indexing, size_t unit, const struct bytes *result)
{
    char *text = units_key(indexing->name, unit, UNIT_WHOLE);
    if (text)
        (void)ledger_keep(indexing->ledger, STORE_UNIT, text, result->data, result->size);
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
    if (status == NQ_OK && indexing->ledger)
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

static enum nq_status recall_units(struct indexing *indexing, struct patience patience)
{
    if (!indexing->ledger)
        return NQ_OK;
    char *text = units_prefix(indexing->name);
    if (!text)
        return NQ_NOMEM;
    const enum nq_status status =
        ledger_each(indexing->ledger, STORE_UNIT, text, patience, recall_unit, indexing); /* or it is made anew */
    free(text);
    return status == NQ_CANCELLED ? status : NQ_OK;
}

/* ---- What a crew asks ---- */

static void describe(void *who, struct work_slip *slip)
{
    units_progress(&((struct indexing *)who)->units, &slip->progress);
}

/* Workers make none. */
static bool take(void *who, size_t *unit)
{
    (void)who, (void)unit;
    return false;
}

static bool find(void *who, const struct slip_place *place, size_t *unit)
{
    (void)who, (void)place, (void)unit;
    return false;
}

static enum nq_status begin(void *who, const atomic_bool *stop)
{
    struct indexing *indexing = who;
    const enum nq_status status = recall_units(indexing, units_patience(&indexing->work, stop));
    units_begin(&indexing->units);
    if (status == NQ_OK && indexing->crew)
        crew_begin(indexing->crew);
    return status;
}

/* NQ_NONE: the store does not have it, or not now. */
static enum nq_status seek_unit(struct indexing *indexing, size_t unit, const atomic_bool *stop)
{
    struct bytes value = {0};
    char *key = units_key(indexing->name, unit, UNIT_WHOLE);
    enum nq_status status = NQ_NOMEM;
    if (key)
        status = ledger_get(indexing->ledger, STORE_UNIT, key, (struct patience){stop, RECALL_MS}, &value);
    if (status == NQ_OK)
        status = take_up(indexing, unit, value.data, value.size, 0);
    bytes_free(&value);
    free(key);
    if (status == NQ_OK || status == NQ_END)
        return NQ_OK;
    return status == NQ_NOMEM || status == NQ_CANCELLED ? status : NQ_NONE;
}

/* Units are made about in order. */
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
    static const struct crew_class class = {
        .describe = describe, .take = take, .find = find, .begin = begin, .look = look};
    struct indexing *indexing = (struct indexing *)work;
    enum nq_status status = NQ_OK;
    if (indexing->crews && indexing->ledger && work->lengthy) {
        indexing->crew = crew_open(indexing->crews, indexing->question->path, &class, indexing);
        status = indexing->crew ? NQ_OK : NQ_NOMEM;
        atomic_store(&indexing->shared, indexing->crew);
    } else {
        status = begin(indexing, stop);
    }
    work->lanes = indexing->units.count < indexing->threads ? 1 : indexing->threads;
    return status;
}

static enum nq_status indexing_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct indexing *indexing = (struct indexing *)work;
    const enum nq_status admitted = indexing->crew ? crew_admit(indexing->crew, slice, stop) : NQ_OK;
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
    if (indexing->shared && crew_follows(indexing->crew))
        crew_progress(indexing->crew, progress);
    else
        units_progress(&indexing->units, progress);
}

static void close_index(void *index)
{
    index_close(index);
}

static enum nq_status indexing_finish(struct work *work, struct answer **out)
{
    struct indexing *indexing = (struct indexing *)work;
    struct count_fact fact = {.provenance = "computed"};
    index_finish(indexing->index);
    fact.count = index_total(indexing->index);
    const enum nq_status status = count_answer(indexing->question, &fact, out);
    if (status != NQ_OK)
        return status;
    (*out)->extra = indexing->index;
    (*out)->extra_size = (size_t)index_memory(indexing->index);
    (*out)->free_extra = close_index;
    indexing->index = NULL;
    return NQ_OK;
}

static void indexing_close(struct work *work)
{
    struct indexing *indexing = (struct indexing *)work;
    if (indexing->crew)
        crew_close(indexing->crew, !indexing->index);
    if (indexing->index)
        index_close(indexing->index);
    free(indexing->name);
    units_close(&indexing->units);
    pthread_mutex_destroy(&indexing->lock);
    free(indexing);
}

/* Whether it may be begun, and what it is worth. */
static enum nq_status afford(struct indexing *indexing, const struct tools *tools, char why[static WORK_WHY_MAX])
{
    indexing->units.weight = index_cost(indexing->index);
    const double seconds = (double)indexing->units.weight / tools->nodes_per_second;
    indexing->ledger = seconds >= KEEP_SECONDS ? tools->ledger : NULL;
    if (units_afford(&indexing->work, indexing->question, tools, seconds))
        return NQ_OK;
    (void)snprintf(why, WORK_WHY_MAX, "The index would take about %.3g hours of one core, and %.3g is the most.",
                   seconds / 3600, tools->most_core_seconds / 3600);
    return NQ_LIMIT;
}

enum nq_status work_index(const struct question *question, const struct tools *tools, char why[static WORK_WHY_MAX],
                          struct work **work)
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
    pthread_mutex_init(&indexing->lock, NULL);
    indexing->work = (struct work){.class = &class, .lanes = 1};
    indexing->crews = tools->crews;
    indexing->question = question;
    indexing->kernel = tools->kernel;
    indexing->threads = tools->threads;
    indexing->group = query_group(&question->query);
    enum nq_status status = index_open(&question->query, &indexing->index);
    if (status == NQ_OK) {
        index_name(indexing->index, &name);
        indexing->name = bytes_take(&name);
        const bool laid = units_lay(&indexing->units, index_units(indexing->index));
        status = indexing->name && laid ? afford(indexing, tools, why) : NQ_NOMEM;
    }
    if (status == NQ_OK)
        *work = &indexing->work;
    else
        indexing_close(&indexing->work);
    return status;
}
