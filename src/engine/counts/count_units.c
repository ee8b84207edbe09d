/* count_units.c - units in order, pieces before further units. The journal gets the result of an item under the name of
 * its term with " #unit" or " #unit.piece", and under that name alone the sum of the term. */
#include "engine/counts/count_units.h"

#include <assert.h>
#include <stdlib.h>

#include "count/unit_list.h"
#include "engine/journal/journal.h"

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

void count_drop_term(struct count_work *count, size_t term)
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

void count_keep_term(struct count_work *count, size_t term)
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

void count_drop_units(struct count_work *count)
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

enum nq_status count_put_off(struct count_work *count, size_t item, bool audit)
{
    lock_take(&count->lock);
    const enum nq_status status = count->work.lengthy ? want_begin(&count->want, item, audit) : NQ_NOMEM;
    lock_release(&count->lock);
    return status;
}

void count_found_memory(struct count_work *count)
{
    lock_take(&count->lock);
    want_over(&count->want);
    lock_release(&count->lock);
}

bool count_pauses(struct count_work *count, size_t *audit)
{
    lock_take(&count->lock);
    const bool pauses = want_pauses(&count->want);
    *audit = SIZE_MAX;
    if (!pauses)
        (void)want_take(&count->want, true, audit);
    lock_release(&count->lock);
    return pauses;
}

bool count_take(struct count_work *count, const atomic_bool *stop, size_t *item, bool *later)
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

void count_rewind(struct count_work *count)
{
    lock_take(&count->lock);
    units_rewind(&count->units);
    splits_rewind(&count->splits);
    lock_release(&count->lock);
}

bool count_has_item(struct count_work *count, size_t item, const atomic_bool *stop)
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

bool count_knows(struct count_work *count, size_t item)
{
    const size_t unit = item_unit(item), piece = item_piece(item);
    lock_take(&count->lock);
    const struct split_unit *split = splits_find(&count->splits, unit);
    const bool known = units_known(&count->units, unit) || (split && piece < split->pieces && split->known[piece]);
    lock_release(&count->lock);
    return known;
}

double count_weight(struct count_work *count, size_t item)
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

enum nq_status count_settle(struct count_work *count, size_t item, const struct unit_made *made,
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

/* The journal's order is the order of calls: a piece is put before it is known, because with the last one all are
 * dropped; and a unit before its term's sum, which drops the units. */
enum nq_status count_add(struct count_work *count, size_t item, const struct unit_made *made, bool ours)
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
