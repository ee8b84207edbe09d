/* gathering.c - units in order, their results under "name #unit" in the journal. */
#include "engine/counts/gathering.h"

#include <stdlib.h>

#include "base/clock.h"
#include "engine/cluster/coordinator.h"

/* Core-seconds from which on units are worth keeping. */
#define KEEP_SECONDS 0.05

/* For the store to answer; it is asked again later. */
enum { RECALL_MS = 2000 };

/* The weight of a single unit is known from gathering_lay(): it may be that of the whole board, and takes milliseconds.
 */
static uint64_t unit_weight(const struct gathering *gathering, size_t unit)
{
    return gathering->units.count == 1 ? gathering->units.weight : (uint64_t)gathering->class->weight(gathering, unit);
}

/* ---- Units and the journal ---- */

/* Takes over the result of a unit. NQ_END: it is known already. */
static enum nq_status take_up(struct gathering *gathering, size_t unit, const void *result, size_t size, uint64_t nodes)
{
    const uint64_t weight = unit_weight(gathering, unit);
    lock_take(&gathering->lock);
    const bool known = units_known(&gathering->units, unit);
    const enum nq_status status = known ? NQ_END : gathering->class->put(gathering, unit, result, size);
    if (status == NQ_OK)
        (void)units_settle(&gathering->units, unit);
    if (status == NQ_OK && !atomic_load(&gathering->units.laid))
        units_restore(&gathering->units, weight);
    else if (status == NQ_OK)
        units_finish(&gathering->units, weight, nodes);
    lock_release(&gathering->lock);
    return status;
}

static void keep_unit(const struct gathering *gathering, size_t unit, const struct bytes *result)
{
    char *text = units_key(gathering->name, unit, UNIT_WHOLE);
    if (text)
        (void)journal_keep(gathering->journal, STORE_UNIT, text, result->data, result->size);
    free(text);
}

static enum nq_status make_unit(struct gathering *gathering, size_t unit, struct meter *meter, const atomic_bool *stop)
{
    struct bytes result = {0};
    uint64_t nodes = 0;
    enum nq_status status = gathering->class->make(gathering, unit, stop, &result, &nodes);
    meter_did(meter, nodes);
    if (status == NQ_OK)
        status = take_up(gathering, unit, result.data, result.size, nodes);
    if (status == NQ_OK && gathering->journal)
        keep_unit(gathering, unit, &result);
    bytes_free(&result);
    return status == NQ_END ? NQ_OK : status;
}

static void recall_unit(void *context, const char *key, const void *value, size_t size)
{
    struct gathering *gathering = context;
    size_t unit, piece;
    if (units_number(key, gathering->units.count, &unit, &piece) && piece == UNIT_WHOLE)
        (void)take_up(gathering, unit, value, size, 0); /* or it is made anew */
}

static enum nq_status recall_units(struct gathering *gathering, struct deadline deadline)
{
    if (!gathering->journal)
        return NQ_OK;
    char *text = units_prefix(gathering->name);
    if (!text)
        return NQ_NOMEM;
    const enum nq_status status =
        journal_each(gathering->journal, STORE_UNIT, text, deadline, recall_unit, gathering); /* or it is made anew */
    free(text);
    return status == NQ_CANCELLED ? status : NQ_OK;
}

/* ---- Called by the coordinator ---- */

static void progress(void *who, struct progress *progress)
{
    units_progress(&((struct gathering *)who)->units, progress);
}

/* Workers return numbers, not bytes. */
static bool take(void *who, size_t *unit)
{
    (void)who, (void)unit;
    return false;
}

static bool find(void *who, const struct message_place *place, nq_wide parts, size_t *unit)
{
    (void)who, (void)place, (void)parts, (void)unit;
    return false;
}

static enum nq_status begin(void *who, const atomic_bool *stop)
{
    struct gathering *gathering = who;
    const enum nq_status status = recall_units(gathering, units_deadline(&gathering->work, stop));
    units_begin(&gathering->units);
    if (status == NQ_OK && gathering->shared)
        shared_count_begin(gathering->shared);
    return status;
}

/* NQ_NONE: the store does not have it, or does not answer. */
static enum nq_status seek_unit(struct gathering *gathering, size_t unit, const atomic_bool *stop)
{
    struct bytes value = {0};
    char *key = units_key(gathering->name, unit, UNIT_WHOLE);
    enum nq_status status = NQ_NOMEM;
    if (key)
        status = journal_get(gathering->journal, STORE_UNIT, key, (struct deadline){stop, RECALL_MS}, &value);
    if (status == NQ_OK)
        status = take_up(gathering, unit, value.data, value.size, 0);
    bytes_free(&value);
    free(key);
    if (status == NQ_OK || status == NQ_END)
        return NQ_OK;
    return status == NQ_NOMEM || status == NQ_CANCELLED ? status : NQ_NONE;
}

/* Units are made about in order: the first that is not stored ends the search. */
static enum nq_status look(void *who, const struct slice *slice, const atomic_bool *stop)
{
    struct gathering *gathering = who;
    for (; gathering->sought < gathering->units.count; gathering->sought++) {
        const bool known = units_known(&gathering->units, gathering->sought);
        const enum nq_status status = known ? NQ_OK : seek_unit(gathering, gathering->sought, stop);
        if (status != NQ_OK)
            return status;
        if (clock_now() >= slice->deadline)
            return NQ_AGAIN;
    }
    return NQ_OK;
}

/* ---- The work ---- */

enum nq_status gathering_prepare(struct work *work, const atomic_bool *stop)
{
    static const struct shared_count_class class = {
        .progress = progress, .take = take, .find = find, .begin = begin, .look = look};
    struct gathering *gathering = (struct gathering *)work;
    enum nq_status status = NQ_OK;
    if (gathering->coordinator && gathering->journal && work->lengthy) {
        gathering->shared = shared_count_open(gathering->coordinator, gathering->question->path, &class, gathering);
        status = gathering->shared ? NQ_OK : NQ_NOMEM;
        atomic_store(&gathering->is_shared, gathering->shared);
    } else {
        status = begin(gathering, stop);
    }
    work->tasks = gathering->units.count < gathering->threads ? 1 : gathering->threads;
    return status;
}

enum nq_status gathering_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct gathering *gathering = (struct gathering *)work;
    const enum nq_status admitted = gathering->shared ? shared_count_admit(gathering->shared, slice, stop) : NQ_OK;
    if (admitted != NQ_OK)
        return admitted == NQ_END ? NQ_OK : admitted;
    do {
        size_t unit;
        if (!units_take(&gathering->units, &unit))
            return NQ_OK;
        const enum nq_status status = make_unit(gathering, unit, slice->meter, stop);
        if (status != NQ_OK)
            return status;
    } while (clock_now() < slice->deadline);
    return NQ_AGAIN;
}

void gathering_progress(struct work *work, struct progress *progress)
{
    struct gathering *gathering = (struct gathering *)work;
    units_progress(&gathering->units, progress);
    if (gathering->is_shared)
        shared_count_progress(gathering->shared, progress);
}

/* ---- Beginning and end ---- */

void gathering_begin(struct gathering *gathering, const struct gathering_class *class, const struct question *question,
                     const struct tools *tools)
{
    lock_init(&gathering->lock, LOCK_INDEX);
    gathering->class = class;
    gathering->question = question;
    gathering->kernel = tools->kernel;
    gathering->threads = tools->threads;
    gathering->coordinator = tools->coordinator;
}

enum nq_status gathering_lay(struct gathering *gathering, struct bytes *name, size_t units, uint64_t weight,
                             const struct tools *tools)
{
    const double seconds = (double)weight / tools->nodes_per_second;
    gathering->name = bytes_take(name);
    if (!gathering->name || !units_lay(&gathering->units, units))
        return NQ_NOMEM;
    gathering->units.weight = weight;
    /* What is lengthy is shared, which takes a journal, even where an option calls less than KEEP_SECONDS lengthy. */
    const bool affordable = units_afford(&gathering->work, gathering->question, tools, seconds);
    gathering->journal = seconds >= KEEP_SECONDS || gathering->work.lengthy ? tools->journal : NULL;
    return affordable ? NQ_OK : NQ_LIMIT;
}

void gathering_close(struct gathering *gathering)
{
    if (gathering->shared)
        shared_count_close(gathering->shared, gathering->made);
    free(gathering->name);
    units_close(&gathering->units);
    lock_destroy(&gathering->lock);
}
