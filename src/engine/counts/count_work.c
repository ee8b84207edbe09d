/* count_work.c - a count by searching: every task takes the next item until none is left. The result of an item or of a
 * whole term is a fact: it goes to the journal, and what the journal has is not counted again. A long count is shared:
 * workers, if there are any, count its units while one task waits for them; if another server leads it, all tasks wait.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/lock.h"
#include "count/unit_list.h"
#include "engine/ask/count_query.h"
#include "engine/ask/question.h"
#include "engine/cluster/coordinator.h"
#include "engine/counts/count_answer.h"
#include "engine/journal/journal.h"
#include "engine/units/division.h"
#include "engine/units/plans.h"
#include "engine/units/split.h"
#include "engine/units/want.h"

/* ---- A count in units ---- */

/* What one term comes to. */
struct sum {
    nq_wide parts;  /* of its units that are known */
    nq_wide stored; /* the thirds of the whole term, when it is done */
    size_t left;    /* units that are not known */
    bool keep;      /* the journal gets its units and its sum */
    atomic_bool begun;
    atomic_bool found; /* the sum is in the store: nobody needs the units there */
    char *name;        /* in the journal */
};

struct count_work {
    struct work work;
    const struct question *question;
    work_answer *answer;
    const struct kernel *kernel;
    struct journal *journal;
    struct plans *plans, *tableless; /* the latter without tables */
    struct coordinator *coordinator; /* NULL: there are no other servers and no workers */
    unsigned threads;

    struct division *division;
    struct sum *sums;            /* by term */
    bool *done;                  /* by term: the store has its sum. Only changed while no task counts */
    atomic_bool unsure;          /* more terms may be done: the store has not answered in time */
    double scale;                /* of weights: even those of the largest boards add up to a whole number */
    bool without_tables;         /* the plan has none: workers, who have their own, count the units */
    atomic_bool complete;        /* another server has stored the sums of all terms */
    bool kept;                   /* the result is on its way to the store */
    atomic_uint tasks;           /* that have not ended */
    atomic_int failing;          /* why no more units can be taken; NQ_OK */
    struct shared_count *shared; /* NULL: this server alone counts it */
    atomic_bool is_shared;       /* shared is set; for any thread */
    atomic_bool closing; /* nothing is wanted of the count any more: the stop flag of the coordinator's thread */

    /* Guards all below, work.fault, and what tasks change in sums. Nothing that can take long runs under it: a
     * unit is planned without. */
    struct lock lock;
    struct units units;
    struct splits splits;
    struct want want;
    nq_wide *parts;    /* by unit, of those that are known; NULL: their list is not kept */
    unsigned planning; /* threads that find out how a unit is split */
};

/* Whether a term has units: it was not done when they were laid out. */
static inline bool count_has_units(const struct count_work *count, size_t term)
{
    return division_first(count->division, term) < division_first(count->division, term + 1);
}

static inline uint64_t count_unit_weight(const struct count_work *count, size_t unit)
{
    return (uint64_t)(division_weight(count->division, unit) * count->scale);
}

/* ---- Units: in order, pieces before further units ---- */

/* An item is a unit or a piece of one, see split.h. What follows knows which is to be counted next, what is known of
 * each, and what the terms come to; it does not know who counts. The journal gets the result of an item under the name
 * of its term with " #unit" or " #unit.piece", and under that name alone the sum of the term. */

/* What the result of an item makes known. */
struct settled {
    bool fresh;            /* the item was not known before */
    bool split;            /* the unit is split, */
    bool whole;            /* and known with this item */
    struct unit_made made; /* of the pieces that are known, or of the unit */
    uint64_t weight;       /* that was not known before */
};

/* Bytes of a list of units that is kept: NATS accepts 1 MB for a message, unless it is told otherwise. The 20027 units
 * of n = 28 have less than half of that. */
enum { LIST_MOST = 960 << 10 };

/* ---- The journal ---- */

/* What is not kept for want of memory is counted again one day. */
static bool keep(struct count_work *count, enum store_kind kind, const char *key, nq_wide parts, uint64_t nodes)
{
    char value[UNIT_FACT_MAX];
    units_fact(parts, nodes, value);
    return journal_put(count->journal, kind, key, value);
}

static void keep_item(struct count_work *count, size_t item, const struct unit_made *made)
{
    const size_t unit = item_unit(item), term = division_term(count->division, unit);
    char *key = units_key(count->sums[term].name, unit - division_first(count->division, term), item_piece(item));
    struct bytes value = {0};
    division_write(count->division, made, &value);
    if (key && !value.failed)
        (void)journal_keep(count->journal, STORE_UNIT, key, value.data, value.size);
    bytes_free(&value);
    free(key);
}

static void drop_pieces(struct count_work *count, size_t unit)
{
    const size_t term = division_term(count->division, unit);
    char *prefix = units_pieces_prefix(count->sums[term].name, unit - division_first(count->division, term));
    if (prefix)
        journal_drop(count->journal, STORE_UNIT, prefix);
    free(prefix);
}

/* Deletes the units of a term from the journal. */
static void count_drop_term(struct count_work *count, size_t term)
{
    char *prefix = units_prefix(count->sums[term].name);
    if (prefix)
        journal_drop(count->journal, STORE_UNIT, prefix);
    free(prefix);
}

/* Before the sum, which takes the place of the units. Without the list the count is as good: it may be evicted at any
 * time, too. */
static void keep_list(const struct count_work *count, size_t term)
{
    const size_t first = division_first(count->division, term), end = division_first(count->division, term + 1);
    char *key = units_list_key(count->sums[term].name);
    struct bytes list = {0};
    unit_list_head(&list, count->question->n, end - first, count->sums[term].name);
    for (size_t unit = first; unit < end; unit++)
        unit_list_unit(&list, unit - first, count->parts[unit]);
    unit_list_sum(&list, count->sums[term].parts);
    if (key && !list.failed && list.size <= LIST_MOST)
        (void)journal_keep(count->journal, STORE_RESULT, key, list.data, list.size);
    bytes_free(&list);
    free(key);
}

/* Puts what the units of a term come to into the journal in their place, unless no count comes to that. */
static void count_keep_term(struct count_work *count, size_t term)
{
    nq_wide thirds;
    if (!count->division->counting) /* bytes are put together anew from the units */
        return;
    if (!counting_value(count->division->counting, term, count->sums[term].parts, &thirds))
        return; /* the end of the count finds it out again */
    if (count->parts && count_has_units(count, term))
        keep_list(count, term);
    if (keep(count, STORE_RESULT, count->sums[term].name, thirds, 0))
        count_drop_term(count, term);
}

/* Those of all terms. */
static void count_drop_units(struct count_work *count)
{
    for (size_t term = 0; term < division_terms(count->division); term++)
        if (count_has_units(count, term))
            count_drop_term(count, term);
}

/* ---- What is to be counted ---- */

/* Called under the lock, and leaves it while the unit is planned. *split is NULL if the unit is not split, or became
 * known meanwhile. */
static enum nq_status plan_unit(struct count_work *count, size_t unit, const atomic_bool *stop,
                                struct split_unit **split)
{
    lock_assert(&count->lock);
    size_t pieces;
    *split = splits_find(&count->splits, unit);
    if (*split)
        return NQ_OK;
    count->planning++;
    lock_release(&count->lock);
    lock_none_held();
    const enum nq_status status = division_pieces(count->division, unit, stop, &pieces);
    lock_take(&count->lock);
    assert(count->planning > 0);
    count->planning--;
    if (status != NQ_OK || pieces == 1)
        return status;
    *split = splits_find(&count->splits, unit); /* another thread may have planned it, and even counted it */
    if (!*split && !units_known(&count->units, unit))
        *split = splits_add(&count->splits, unit, pieces);
    return *split || units_known(&count->units, unit) ? NQ_OK : NQ_NOMEM;
}

/* Under the lock: what is to be counted next, a whole unit perhaps in pieces. What was put off comes first, so that it
 * is never more than threads have. */
static bool next_item(struct count_work *count, size_t *item)
{
    lock_assert(&count->lock);
    size_t unit;
    if (want_take(&count->want, false, item) || splits_take(&count->splits, item))
        return true;
    const bool some = units_take(&count->units, &unit);
    *item = some ? item_of(unit, UNIT_WHOLE) : 0;
    return some;
}

/* Under the lock: a thread could not plan a unit. NQ_AGAIN: it is tried again after a pause. */
static enum nq_status put_off(struct count_work *count, size_t unit, enum nq_status status)
{
    lock_assert(&count->lock);
    return status == NQ_NOMEM && count->work.lengthy ? want_begin(&count->want, item_of(unit, UNIT_WHOLE), false)
                                                     : status;
}

/* An item that was taken could not be counted: out of memory. NQ_AGAIN: it will be taken again, after a pause in which
 * none is. NQ_NOMEM: that is no use, for the count is soon done or has waited for a minute. */
static enum nq_status count_put_off(struct count_work *count, size_t item, bool audit)
{
    lock_take(&count->lock);
    const enum nq_status status = count->work.lengthy ? want_begin(&count->want, item, audit) : NQ_NOMEM;
    lock_release(&count->lock);
    return status;
}

/* An item was counted. */
static void count_found_memory(struct count_work *count)
{
    lock_take(&count->lock);
    want_over(&count->want);
    lock_release(&count->lock);
}

/* Whether such a pause lasts. If none does, *audit is an audit that was put off; SIZE_MAX: there is none. */
static bool count_pauses(struct count_work *count, size_t *audit)
{
    lock_take(&count->lock);
    const bool pauses = want_pauses(&count->want);
    *audit = SIZE_MAX;
    if (!pauses)
        (void)want_take(&count->want, true, audit);
    lock_release(&count->lock);
    return pauses;
}

/* Takes the next item that is to be counted. False: there is none, or count->failing is set. *later (may be NULL):
 * there may be one soon, for a unit is being planned. Plans a unit of a large board for up to a second, unless *stop is
 * set. */
static bool count_take(struct count_work *count, const atomic_bool *stop, size_t *item, bool *later)
{
    lock_take(&count->lock);
    enum nq_status status = want_pauses(&count->want) ? NQ_AGAIN : NQ_OK;
    bool taken = false;
    while (!taken && status == NQ_OK && next_item(count, item)) {
        const size_t unit = item_unit(*item);
        struct split_unit *split = NULL;
        if (item_piece(*item) == UNIT_WHOLE)
            status = plan_unit(count, unit, stop, &split);
        if (split)
            split->begun = true;
        if (status != NQ_OK)
            status = put_off(count, unit, status);
        else
            taken = split ? splits_take(&count->splits, item) : !units_known(&count->units, unit);
    }
    if (later)
        *later = status == NQ_AGAIN || (!taken && status == NQ_OK && count->planning && count->work.lengthy);
    if (status != NQ_OK && status != NQ_AGAIN)
        atomic_store(&count->failing, (int)status);
    lock_release(&count->lock);
    return taken;
}

/* All items that are not known may be taken once more. */
static void count_rewind(struct count_work *count)
{
    lock_take(&count->lock);
    units_rewind(&count->units);
    splits_rewind(&count->splits);
    lock_release(&count->lock);
}

/* Whether an item whose unit exists exists itself; if its unit is split, that is under way from then on. May take as
 * long as count_take(); false, too, soon after *stop. */
static bool count_has_item(struct count_work *count, size_t item, const atomic_bool *stop)
{
    const size_t unit = item_unit(item), piece = item_piece(item);
    struct split_unit *split = NULL;
    if (piece == UNIT_WHOLE || units_known(&count->units, unit))
        return true;
    lock_take(&count->lock);
    const bool exists = plan_unit(count, unit, stop, &split) == NQ_OK && split && piece < split->pieces;
    lock_release(&count->lock);
    return exists;
}

static bool count_knows(struct count_work *count, size_t item)
{
    const size_t unit = item_unit(item), piece = item_piece(item);
    lock_take(&count->lock);
    const struct split_unit *split = splits_find(&count->splits, unit);
    const bool known = units_known(&count->units, unit) || (split && piece < split->pieces && split->known[piece]);
    lock_release(&count->lock);
    return known;
}

static double count_weight(struct count_work *count, size_t item)
{
    lock_take(&count->lock);
    const struct split_unit *split = splits_find(&count->splits, item_unit(item));
    const size_t pieces = split ? split->pieces : 1;
    lock_release(&count->lock);
    return (double)count_unit_weight(count, item_unit(item)) / (double)pieces;
}

/* ---- What has been counted ---- */

/* Under the lock: what a result that was not known before makes known. */
static void settle_unit(struct count_work *count, size_t unit, struct split_unit *split, struct settled *settled)
{
    lock_assert(&count->lock);
    (void)units_settle(&count->units, unit);
    if (count->parts)
        count->parts[unit] = settled->made.parts;
    if (split)
        splits_remove(&count->splits, split);
}

/* Notes the result of an item. The caller adds it to the sum of the term. NQ_OK; or as division_put(): then nothing is
 * fresh. */
static enum nq_status count_settle(struct count_work *count, size_t item, const struct unit_made *made,
                                   struct settled *settled)
{
    const size_t unit = item_unit(item);
    const uint64_t weight = count_unit_weight(count, unit);
    enum nq_status status = NQ_OK;
    *settled = (struct settled){.whole = true, .made = *made, .weight = weight};
    lock_take(&count->lock);
    struct split_unit *split = splits_find(&count->splits, unit);
    settled->fresh = !units_known(&count->units, unit);
    if (split) {
        settled->split = true;
        assert(split->left <= split->pieces && split->pieces > 1);
        settled->weight -= weight / split->pieces * (split->pieces - split->left);
    }
    if (split && item_piece(item) != UNIT_WHOLE) {
        settled->fresh = splits_settle(split, item_piece(item), made->parts, made->nodes);
        settled->whole = split->left == 0;
        settled->made = (struct unit_made){.parts = split->parts, .nodes = split->nodes};
        if (!settled->whole)
            settled->weight = weight / split->pieces;
    }
    if (settled->fresh && settled->whole)
        status = division_put(count->division, unit, made);
    settled->fresh = settled->fresh && status == NQ_OK;
    if (settled->fresh && settled->whole)
        settle_unit(count, unit, split, settled);
    lock_release(&count->lock);
    return status;
}

/* The sum of a shared count is kept at the end: until then a worker's result may turn out to be wrong. */
static void add_unit(struct count_work *count, size_t term, nq_wide parts)
{
    struct sum *sum = &count->sums[term];
    lock_take(&count->lock);
    assert(sum->left > 0); /* a term would never be whole, or twice */
    sum->parts += parts;
    const bool whole = --sum->left == 0;
    lock_release(&count->lock);
    if (whole && sum->keep && !count->shared)
        count_keep_term(count, term);
}

/* Adds the result of an item that was counted, and puts into the journal what follows from it; also the result itself,
 * if it is ours: workers have stored theirs. As count_settle(). The journal's order is the order of calls: a piece is
 * put before it is known, because with the last one all are dropped; and a unit before its term's sum, which drops the
 * units. */
static enum nq_status count_add(struct count_work *count, size_t item, const struct unit_made *made, bool ours)
{
    const size_t unit = item_unit(item), term = division_term(count->division, unit);
    const bool kept = count->sums[term].keep, kept_piece = kept && ours && item_piece(item) != UNIT_WHOLE;
    struct settled settled;
    if (kept_piece)
        keep_item(count, item, made);
    const enum nq_status status = count_settle(count, item, made, &settled);
    if (!settled.fresh) {
        if (kept_piece && units_known(&count->units, unit))
            drop_pieces(count, unit);
        return status;
    }
    if (kept && settled.whole && (settled.split || ours))
        keep_item(count, item_of(unit, UNIT_WHOLE), &settled.made);
    if (kept && settled.whole && settled.split)
        drop_pieces(count, unit);
    if (settled.whole) {
        add_unit(count, term, settled.made.parts);
        units_finish(&count->units, settled.weight, made->nodes);
    } else {
        units_finish_some(&count->units, settled.weight, made->nodes);
    }
    if (kept && atomic_load(&count->sums[term].found)) /* by another server, and what was put before is dropped */
        count_drop_term(count, term);
    return NQ_OK;
}

/* ---- What is stored ---- */

/* What the store has of a count is taken over, not counted again. */

/* Terms of less weight are not kept: they would only crowd out others. Placements; some 10 ms. */
enum { KEEP_WEIGHT = 10000000 };

/* No board of fewer rows has so many, however it is searched (n = 13: 4674889, A319283): the store is not even asked,
 * which for every square of n = 8 takes longer than to count. */
enum { KEEP_ROWS = 14 };

/* Units that are laid out between two looks at the stop flag: some tens of microseconds. */
enum { POLL_UNITS = 1 << 13 };

/* The sum of all weights. */
#define MOST_WEIGHT 0x1p60

/* ---- Terms ---- */

static enum nq_status recall_term(struct count_work *count, size_t term, struct deadline deadline)
{
    struct sum *sum = &count->sums[term];
    struct bytes fact = {0};
    nq_wide stored;
    uint64_t nodes;
    const enum nq_status status = journal_get(count->journal, STORE_RESULT, sum->name, deadline, &fact);
    if (status == NQ_OK && units_read_fact(fact.data, fact.size, UNITS_THIRDS_MOST, &stored, &nodes)) {
        sum->stored = stored;
        count->done[term] = true;
        atomic_store(&sum->found, true);
        count_drop_term(count, term); /* a process that counted it, too, may have died before it could */
    }
    bytes_free(&fact);
    return status;
}

/* Takes over the sums of terms; one thread at a time. A store that does not answer in time is not asked for more, and
 * count->unsure is set. NQ_OK or NQ_CANCELLED. */
static enum nq_status count_recall_terms(struct count_work *count, struct deadline deadline)
{
    const bool worth = count->journal && count->division->counting && count->question->query.filter.n >= KEEP_ROWS;
    enum nq_status status = NQ_OK;
    for (size_t term = 0; worth && term < division_terms(count->division); term++) {
        if (count->done[term])
            continue;
        if (stop_wanted(deadline.stop))
            return NQ_CANCELLED;
        status = recall_term(count, term, deadline);
        if (status == NQ_TIMEOUT || status == NQ_CANCELLED)
            break;
    }
    count->unsure = status == NQ_TIMEOUT;
    return status == NQ_CANCELLED ? status : NQ_OK;
}

/* ---- Laying out units ---- */

struct recall {
    struct count_work *count;
    size_t term;
    const atomic_bool *stop;
};

struct recalled {
    size_t item;
    struct unit_made made;
};

/* False: the fact is of no item, or of one that cannot come to so much. */
static bool read_fact(const struct recall *recall, const char *key, const void *value, size_t size,
                      struct recalled *recalled)
{
    struct count_work *count = recall->count;
    const size_t first = division_first(count->division, recall->term);
    const size_t units = division_first(count->division, recall->term + 1) - first;
    size_t unit, piece;
    if (!units_number(key, units, &unit, &piece) ||
        !division_read(count->division, recall->term, value, size, &recalled->made))
        return false;
    recalled->item = item_of(first + unit, piece);
    return count_has_item(count, recalled->item, recall->stop);
}

/* Before tasks run: without the lock. What cannot be taken over is counted anew. */
static enum nq_status restore(struct count_work *count, size_t term, const struct recalled *recalled)
{
    struct sum *sum = &count->sums[term];
    struct settled settled;
    const enum nq_status status = count_settle(count, recalled->item, &recalled->made, &settled);
    if (!settled.fresh)
        return status;
    if (!settled.whole) {
        units_restore_some(&count->units, settled.weight);
        return NQ_OK;
    }
    units_restore(&count->units, settled.weight);
    sum->parts += settled.made.parts;
    sum->left--;
    return NQ_OK;
}

static void restore_item(void *context, const char *key, const void *value, size_t size)
{
    const struct recall *recall = context;
    struct count_work *count = recall->count;
    struct recalled recalled;
    if (!read_fact(recall, key, value, size, &recalled))
        return;
    if (atomic_load(&count->units.laid)) /* it has led before: tasks may count */
        (void)count_add(count, recalled.item, &recalled.made, false);
    else
        (void)restore(count, recall->term, &recalled);
}

/* Calls `read` for every fact of a term's units. */
static enum nq_status read_term(struct count_work *count, size_t term, struct deadline deadline, journal_reader read)
{
    struct recall recall = {.count = count, .term = term, .stop = deadline.stop};
    char *prefix = units_prefix(count->sums[term].name);
    if (!prefix)
        return NQ_NOMEM;
    const enum nq_status status = journal_each(count->journal, STORE_UNIT, prefix, deadline, read, &recall);
    free(prefix);
    return status;
}

/* The store's result of a whole unit, whose bytes are those of `value`. NQ_NONE: it is not there, or cannot be its. */
static enum nq_status read_unit(struct count_work *count, size_t unit, struct deadline deadline, struct bytes *value,
                                struct unit_made *made)
{
    const size_t term = division_term(count->division, unit);
    char *key = units_key(count->sums[term].name, unit - division_first(count->division, term), UNIT_WHOLE);
    enum nq_status status = key ? journal_get(count->journal, STORE_UNIT, key, deadline, value) : NQ_NOMEM;
    if (status == NQ_OK && !division_read(count->division, term, value->data, value->size, made))
        status = NQ_NONE;
    free(key);
    return status;
}

static enum nq_status scale_weights(struct count_work *count, const atomic_bool *stop)
{
    double all = 0;
    for (size_t unit = 0; unit < division_units(count->division); unit++) {
        if (unit % POLL_UNITS == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        all += division_weight(count->division, unit);
    }
    count->scale = all > MOST_WEIGHT ? MOST_WEIGHT / all : 1;
    return NQ_OK;
}

/* Adds up the weight of a term's units, and decides whether the term is kept. */
static enum nq_status lay_out_term(struct count_work *count, size_t term, const atomic_bool *stop)
{
    const size_t end = division_first(count->division, term + 1);
    struct sum *sum = &count->sums[term];
    uint64_t weight = 0;
    for (size_t unit = division_first(count->division, term); unit < end; unit++, sum->left++) {
        if (unit % POLL_UNITS == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        weight += count_unit_weight(count, unit);
    }
    count->units.weight += weight;
    sum->keep = count->journal && (weight >= KEEP_WEIGHT || count->shared);
    return NQ_OK;
}

static enum nq_status lay_out_units(struct count_work *count, const atomic_bool *stop)
{
    const size_t units = division_units(count->division);
    enum nq_status status = units_lay(&count->units, units) ? NQ_OK : NQ_NOMEM;
    if (count->journal && count->division->counting && count->work.lengthy &&
        !(count->parts = calloc(units + 1, sizeof *count->parts)))
        return NQ_NOMEM;
    if (status == NQ_OK)
        status = scale_weights(count, stop);
    for (size_t term = 0; status == NQ_OK && term < division_terms(count->division); term++)
        status = lay_out_term(count, term, stop);
    return status;
}

/* What the store does not return is counted. */
static enum nq_status count_recall_units(struct count_work *count, struct deadline deadline)
{
    const enum nq_status status = count->units.known ? NQ_OK : lay_out_units(count, deadline.stop);
    bool silent = false;
    if (status != NQ_OK)
        return status;
    for (size_t term = 0; term < division_terms(count->division); term++) {
        const struct sum *sum = &count->sums[term];
        if (count->done[term] || !sum->keep || silent)
            continue;
        silent = read_term(count, term, deadline, restore_item) == NQ_TIMEOUT;
        if (!sum->left && !count->shared) /* the last process ended between the last unit and the sum */
            count_keep_term(count, term);
    }
    if (!atomic_load(&count->units.laid))
        units_begin(&count->units);
    return NQ_OK;
}

/* ---- Shared with workers ---- */

/* A count that other servers and workers may have a part in. */

/* For the store to answer; it is asked again later. */
enum { RECALL_MS = 2000 };

/* ---- Called on the coordinator's thread ---- */

static void progress(void *who, struct progress *progress)
{
    units_progress(&((struct count_work *)who)->units, progress);
}

static bool count_shared_take(void *who, size_t *item)
{
    struct count_work *count = who;
    return count_take(count, &count->closing, item, NULL);
}

static double weight(void *who, size_t item)
{
    return count_weight(who, item);
}

static bool is_over(void *who, size_t item)
{
    return count_knows(who, item);
}

static const char *place(void *who, size_t item, struct message_place *place)
{
    const struct count_work *count = who;
    const size_t unit = item_unit(item), term = division_term(count->division, unit),
                 first = division_first(count->division, term);
    *place = (struct message_place){(uint32_t)term, (uint32_t)(unit - first), (uint32_t)item_piece(item)};
    return count->sums[term].name;
}

static bool find(void *who, const struct message_place *place, nq_wide parts, size_t *item)
{
    struct count_work *count = who;
    const struct division *division = count->division;
    if (place->term >= division_terms(division) || place->piece > UNIT_WHOLE ||
        parts > division_most(division, place->term))
        return false;
    const size_t unit = division_first(division, place->term) + place->unit;
    *item = item_of(unit, place->piece);
    return unit < division_first(division, place->term + 1) && count_has_item(count, *item, &count->closing);
}

/* A report has the number of a result: bytes are in the store, before it comes. What is not there now is handed out
 * once more. */
static void adopt(void *who, size_t item, nq_wide parts, uint64_t nodes)
{
    struct count_work *count = who;
    struct unit_made made = {.parts = parts, .nodes = nodes};
    if (count->division->counting) {
        (void)count_add(count, item, &made, false);
        return;
    }
    struct bytes value = {0};
    const struct deadline deadline = {&count->closing, RECALL_MS};
    if (read_unit(count, item_unit(item), deadline, &value, &made) == NQ_OK && made.parts == parts) {
        made.nodes = nodes;
        (void)count_add(count, item, &made, false);
    }
    bytes_free(&value);
}

static void rewind_units(void *who)
{
    count_rewind(who);
}

/* ---- Called on a task ---- */

/* Makes the plan, and takes over what the store has of the units; they can be taken from then on. A shared count is
 * laid out by the coordinator's call of begin(). NQ_OK, NQ_NOMEM or NQ_CANCELLED. */
static enum nq_status count_lay_out(struct count_work *count, const atomic_bool *stop)
{
    enum nq_status status = NQ_OK;
    if (!count->units.known) {
        count->without_tables = count->shared && shared_count_threads(count->shared, stop);
        struct plans *plans = count->without_tables ? count->tableless : count->plans;
        status = division_prepare(count->division, count->done, plans ? plans_source(plans) : NULL, stop);
    }
    if (status == NQ_OK)
        status = count_recall_units(count, units_deadline(&count->work, stop));
    if (status == NQ_OK && count->shared)
        shared_count_begin(count->shared);
    return status;
}

static size_t open_terms(const struct count_work *count)
{
    size_t open = 0;
    for (size_t term = 0; term < division_terms(count->division); term++)
        open += !count->done[term];
    return open;
}

/* Another server that had the count is gone, perhaps because it was done. */
static enum nq_status begin(void *who, const atomic_bool *stop)
{
    struct count_work *count = who;
    const enum nq_status status = count_recall_terms(count, units_deadline(&count->work, stop));
    if (!open_terms(count))
        atomic_store(&count->complete, true);
    count_rewind(count); /* what was handed out when it led before */
    return status == NQ_OK ? count_lay_out(count, stop) : status;
}

/* Sets count->shared if others may have a part in the count: if it takes long, and few names in the store stand for it.
 * May wait some seconds for the broker. NQ_OK or NQ_NOMEM. */
static enum nq_status count_share(struct count_work *count)
{
    static const struct shared_count_class class = {.progress = progress,
                                                    .take = count_shared_take,
                                                    .weight = weight,
                                                    .over = is_over,
                                                    .place = place,
                                                    .find = find,
                                                    .adopt = adopt,
                                                    .rewind = rewind_units,
                                                    .begin = begin};
    const size_t open = open_terms(count);
    if (!count->coordinator || !count->journal || !count->work.lengthy || !open || open > MESSAGE_TERMS_MAX)
        return NQ_OK;
    count->shared = shared_count_open(count->coordinator, count->question->path, &class, count);
    atomic_store(&count->is_shared, count->shared);
    return count->shared ? NQ_OK : NQ_NOMEM;
}

/* ---- The work ---- */

/* Terms that are named between two looks at the stop flag: some tens of microseconds. */
enum { POLL_TERMS = 16 };

/* ---- Counting ---- */

/* Under the lock: whether no other term of the same method has been begun. */
static bool is_first(const struct count_work *count, size_t term)
{
    lock_assert(&count->lock);
    const struct counting *counting = count->division->counting;
    const char *method = counting_method(counting, term);
    for (size_t i = 0; i < division_terms(count->division); i++)
        if (count->sums[i].begun && counting_method(counting, i) == method)
            return false;
    return true;
}

/* The task's meter counts for the term's method from here on. */
static void meter_term(struct count_work *count, size_t term, struct meter *meter)
{
    struct sum *sum = &count->sums[term];
    bool first = false;
    if (!count->division->counting) /* the algorithm of the question */
        return;
    if (!atomic_load_explicit(&sum->begun, memory_order_relaxed)) {
        lock_take(&count->lock);
        first = is_first(count, term);
        atomic_store_explicit(&sum->begun, true, memory_order_relaxed);
        lock_release(&count->lock);
    }
    (first ? meter_begin : meter_by)(meter, counting_method(count->division->counting, term));
}

/* audit: the result is only compared with a worker's. */
static enum nq_status count_item(struct count_work *count, size_t item, bool audit, struct meter *meter,
                                 const atomic_bool *stop)
{
    const size_t unit = item_unit(item);
    struct unit_made made;
    meter_term(count, division_term(count->division, unit), meter);
    enum nq_status status = division_make(count->division, unit, item_piece(item), count->kernel, stop, &made);
    meter_did(meter, made.nodes);
    if (status == NQ_OK)
        count_found_memory(count);
    if (status == NQ_OK && audit)
        shared_count_audited(count->shared, item, made.parts);
    else if (status == NQ_OK)
        status = count_add(count, item, &made, true);
    bytes_free(&made.bytes);
    return status;
}

/* Takes an item that this server itself is to count. */
static bool take(struct count_work *count, const atomic_bool *stop, size_t *item, bool *audit, bool *later)
{
    *later = count_pauses(count, item);
    if (*later)
        return false;
    *audit = *item != SIZE_MAX || (count->shared && shared_count_take_audit(count->shared, item));
    if (*audit)
        return true;
    if (count->without_tables && !shared_count_alone(count->shared))
        return false;
    return count_take(count, stop, item, later);
}

/* No result can be believed: the units in the store are deleted. */
static enum nq_status condemn(struct count_work *count, enum nq_status status, const struct fault *fault)
{
    lock_take(&count->lock);
    if (!count->work.fault.text[0])
        count->work.fault = *fault;
    lock_release(&count->lock);
    count_drop_units(count);
    return status;
}

/* NQ_OK: the count may go on. */
static enum nq_status check(struct count_work *count)
{
    struct fault fault;
    const enum nq_status status = count->shared ? shared_count_verdict(count->shared, &fault) : NQ_OK;
    return status == NQ_OK ? (enum nq_status)atomic_load(&count->failing) : condemn(count, status, &fault);
}

/* There is nothing to do for a task. It ends, but for the last one of a shared count, which waits for workers. */
static enum nq_status wait_or_end(struct count_work *count, const struct slice *slice)
{
    if (!count->shared)
        return (enum nq_status)atomic_load(&count->failing);
    if (units_complete(&count->units) && !shared_count_doubts(count->shared))
        return check(count); /* after the last audit: its verdict is final */
    if (atomic_fetch_sub(&count->tasks, 1) > 1)
        return NQ_OK;
    atomic_fetch_add(&count->tasks, 1);
    return slice_rest(slice);
}

/* There will be something to do. */
static enum nq_status rest(const struct slice *slice, const atomic_bool *stop)
{
    return stop_wanted(stop) ? NQ_CANCELLED : slice_rest(slice);
}

static enum nq_status count_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct count_work *count = (struct count_work *)work;
    enum nq_status status = count->shared ? shared_count_admit(count->shared, slice, stop) : NQ_OK;
    while (status == NQ_OK) {
        size_t item;
        bool audit, later;
        status = check(count);
        if (status != NQ_OK || atomic_load(&count->complete))
            return status;
        if (!take(count, stop, &item, &audit, &later))
            return later ? rest(slice, stop) : wait_or_end(count, slice);
        status = count_item(count, item, audit, slice->meter, stop);
        if (status == NQ_NOMEM && count_put_off(count, item, audit) == NQ_AGAIN)
            return slice_rest(slice);
        if (status == NQ_OK && clock_now() >= slice->deadline)
            return NQ_AGAIN;
    }
    return status;
}

static void count_progress(struct work *work, struct progress *progress)
{
    struct count_work *count = (struct count_work *)work;
    units_progress(&count->units, progress);
    if (count->is_shared)
        shared_count_progress(count->shared, progress);
    if (atomic_load(&count->complete)) { /* the leader had not published all of it */
        progress->weight_done = progress->weight;
        progress->units_done = progress->units;
    }
}

/* ---- Beginning and end ---- */

static enum nq_status name_terms(struct count_work *count, const atomic_bool *stop)
{
    for (size_t term = 0; term < division_terms(count->division); term++) {
        struct bytes name = {0};
        if (term % POLL_TERMS == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        division_name(count->division, term, &name);
        count->sums[term].name = bytes_take(&name);
        if (!count->sums[term].name)
            return NQ_NOMEM;
    }
    return NQ_OK;
}

/* Rejects a count that would take more than the limit. */
static enum nq_status afford(struct count_work *count, const struct tools *tools, const atomic_bool *stop,
                             struct fault *fault)
{
    const double seconds = division_cost(count->division, count->done, tools->nodes_per_second, stop).seconds;
    if (units_afford(&count->work, count->question, tools, seconds))
        return NQ_OK;
    if (count->division->index) {
        fault_write(fault, FAULT_COST_INDEX, (const double[]){seconds, tools->most_core_seconds},
                    "The index needs about %.3g core-hours; the limit is %.3g. Use after or cursor, which need no "
                    "index.",
                    seconds / 3600, tools->most_core_seconds / 3600);
        return NQ_LIMIT;
    }
    return units_too_costly(tools, seconds, count_instead(count->question), fault);
}

/* A single task does not wait for other threads to wake, or for a turn in the pool. */
static unsigned tasks_for(const struct count_work *count)
{
    if (count->shared)
        return count->threads;
    return question_brief(count->question) || count->units.count < count->threads ? 1 : count->threads;
}

static enum nq_status count_prepare(struct work *work, const atomic_bool *stop)
{
    struct count_work *count = (struct count_work *)work;
    enum nq_status status = NQ_OK;
    if (count->unsure && work->lengthy)
        status = count_recall_terms(count, units_deadline(work, stop));
    if (status == NQ_OK)
        status = count_share(count);
    if (status == NQ_OK && !count->shared)
        status = count_lay_out(count, stop);
    work->tasks = tasks_for(count);
    count->tasks = work->tasks;
    return status;
}

/* What the terms come to. NQ_BROKEN: no count comes to the sum of a term's units. */
static enum nq_status add_up(struct count_work *count, nq_wide *thirds)
{
    struct fault fault;
    for (size_t term = 0; term < division_terms(count->division); term++) {
        const struct sum *sum = &count->sums[term];
        assert(count->done[term] || count->shared || sum->left == 0); /* every unit is in the sum */
        thirds[term] = sum->stored;
        if (count->done[term] || counting_value(count->division->counting, term, sum->parts, &thirds[term]))
            continue;
        fault_write(&fault, FAULT_SUM, NULL,
                    "The results of the units add up to what no count comes to: some of them are wrong, and all are "
                    "deleted. Ask again.");
        return condemn(count, NQ_BROKEN, &fault);
    }
    return NQ_OK;
}

/* The sums stand in the store in place of the units. */
static void keep_terms(struct count_work *count)
{
    for (size_t term = 0; term < division_terms(count->division); term++) {
        if (count->shared && !count->done[term])
            count_keep_term(count, term);
        else if (count->shared)
            count_drop_term(count, term); /* the server that stored the sum may have died before it did that */
    }
}

static enum nq_status finish_numbers(struct count_work *count, const nq_wide *thirds, struct answer **out)
{
    const struct question *question = count->question;
    const struct counting *counting = count->division->counting;
    const uint32_t n = question->n;
    nq_wide *squares = question->query.by_square ? calloc((size_t)n * n + 1, sizeof *squares) : NULL;
    if (question->query.by_square && !squares)
        return NQ_NOMEM;
    for (uint32_t i = 0; squares && i < n * n; i++)
        squares[i] = counting_square(counting, thirds, i / n, i % n);
    const enum nq_status status = count->answer(question, counting_total(counting, thirds), squares, out);
    free(squares);
    return status;
}

static enum nq_status count_finish(struct work *work, struct answer **out)
{
    struct count_work *count = (struct count_work *)work;
    if (!count->division->counting) {
        assert(count->sums[0].left == 0); /* every unit was put, wherever it came from */
        count->kept = true;
        return count_answer_division(count->division, out);
    }
    nq_wide *thirds = calloc(division_terms(count->division) + 1, sizeof *thirds);
    enum nq_status status = thirds ? add_up(count, thirds) : NQ_NOMEM;
    if (status == NQ_OK) {
        keep_terms(count);
        count->kept = true;
        status = finish_numbers(count, thirds, out);
    }
    free(thirds);
    return status;
}

static void count_close(struct work *work)
{
    struct count_work *count = (struct count_work *)work;
    atomic_store(&count->closing, true);
    if (count->shared)
        shared_count_close(count->shared, count->kept);
    for (size_t term = 0; count->sums && term < division_terms(count->division); term++)
        free(count->sums[term].name);
    free(count->sums);
    free(count->done);
    free(count->parts);
    units_close(&count->units);
    splits_close(&count->splits);
    want_close(&count->want);
    division_close(count->division);
    lock_destroy(&count->lock);
    free(count);
}

enum nq_status work_count(const struct question *question, const struct tools *tools, work_answer *answer,
                          const atomic_bool *stop, struct fault *fault, struct work **work)
{
    static const struct work_class class = {.prepare = count_prepare,
                                            .slice = count_slice,
                                            .finish = count_finish,
                                            .close = count_close,
                                            .progress = count_progress};
    enum { FAR = 4 }; /* what would take so many times the limit, and is refused for that, need not have its units */
    struct division *division;
    const double placements = tools->most_core_seconds * tools->nodes_per_second;
    enum nq_status status = division_open(question, tools->nodes_per_second,
                                          question->admitted ? INFINITY : FAR * placements, stop, &division);
    if (status != NQ_OK)
        return status;
    struct count_work *count = calloc(1, sizeof *count);
    if (!count) {
        division_close(division);
        return NQ_NOMEM;
    }
    count->work = (struct work){.class = &class, .tasks = 1};
    count->question = question;
    count->answer = answer;
    count->kernel = tools->kernel;
    count->threads = tools->threads;
    count->journal = tools->journal;
    count->plans = tools->plans;
    count->tableless = tools->tableless;
    count->coordinator = tools->coordinator;
    count->division = division;
    lock_init(&count->lock, LOCK_COUNT);
    const size_t terms = division_terms(division);
    count->sums = calloc(terms + 1, sizeof *count->sums);
    count->done = calloc(terms + 1, sizeof *count->done);
    const size_t takers = tools->threads + (size_t)1; /* tasks and the coordinator: each an item and an audit */
    const bool room = want_open(&count->want, 2 * takers);
    status = count->sums && count->done && room ? name_terms(count, stop) : NQ_NOMEM;
    if (status == NQ_OK)
        status = count_recall_terms(count, units_deadline(&count->work, stop));
    if (status == NQ_OK)
        status = afford(count, tools, stop, fault);
    if (status == NQ_OK)
        *work = &count->work;
    else
        count_close(&count->work);
    return status;
}
