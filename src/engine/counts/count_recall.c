/* count_recall.c - the store may be wrong, too: a fact that does not fit the units is ignored, and in a shared count a
 * result may be audited. */
#include "engine/counts/count_recall.h"

#include <stdlib.h>

#include "engine/counts/count_units.h"

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
    if (status == NQ_OK && units_read_fact(fact.data, fact.size, &stored, &nodes)) {
        sum->stored = stored;
        count->done[term] = true;
        atomic_store(&sum->found, true);
        count_drop_term(count, term); /* a process that counted it, too, may have died before it could */
    }
    bytes_free(&fact);
    return status;
}

enum nq_status count_recall_terms(struct count_work *count, struct deadline deadline)
{
    const bool worth = count->journal && count->question->query.filter.n >= KEEP_ROWS;
    enum nq_status status = NQ_OK;
    for (size_t term = 0; worth && term < counting_terms(count->counting); term++) {
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

/* ---- Units ---- */

struct recall {
    struct count_work *count;
    size_t term;
    const atomic_bool *stop;
};

struct recalled {
    size_t item;
    nq_wide thirds;
    uint64_t nodes;
};

/* False: the fact is of no item, or of one that cannot come to so much. */
static bool read_fact(const struct recall *recall, const char *key, const void *value, size_t size,
                      struct recalled *recalled)
{
    struct count_work *count = recall->count;
    const size_t first = counting_first(count->counting, recall->term);
    const size_t units = counting_first(count->counting, recall->term + 1) - first;
    size_t unit, piece;
    if (!units_number(key, units, &unit, &piece) ||
        !units_read_fact(value, size, &recalled->thirds, &recalled->nodes) || recalled->thirds > UINT64_MAX)
        return false;
    recalled->item = item_of(first + unit, piece);
    return count_has_item(count, recalled->item, recall->stop);
}

/* Offers a result to be audited. The sum of a split unit is trusted: its pieces were offered one by one. */
static void doubt(const struct recall *recall, const struct recalled *recalled)
{
    struct count_work *count = recall->count;
    size_t pieces;
    if (item_piece(recalled->item) == UNIT_WHOLE &&
        counting_pieces(count->counting, item_unit(recalled->item), recall->stop, &pieces) == NQ_OK && pieces > 1)
        return;
    shared_count_recalled(count->shared, recalled->item, (uint64_t)recalled->thirds);
}

/* Before tasks run: without the lock. */
static void restore_item(void *context, const char *key, const void *value, size_t size)
{
    const struct recall *recall = context;
    struct count_work *count = recall->count;
    struct sum *sum = &count->sums[recall->term];
    struct recalled recalled;
    if (!read_fact(recall, key, value, size, &recalled))
        return;
    const struct settled settled = count_settle(count, recalled.item, recalled.thirds, recalled.nodes);
    if (!settled.fresh)
        return;
    if (count->shared)
        doubt(recall, &recalled);
    if (!settled.whole) {
        units_restore_some(&count->units, settled.weight);
        return;
    }
    units_restore(&count->units, settled.weight);
    sum->thirds += settled.thirds;
    sum->left--;
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

static enum nq_status scale_weights(struct count_work *count, const atomic_bool *stop)
{
    double all = 0;
    for (size_t unit = 0; unit < counting_units(count->counting); unit++) {
        if (unit % POLL_UNITS == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        all += counting_weight(count->counting, unit);
    }
    count->scale = all > MOST_WEIGHT ? MOST_WEIGHT / all : 1;
    return NQ_OK;
}

/* Adds up the weight of a term's units, and decides whether the term is kept. */
static enum nq_status lay_out_term(struct count_work *count, size_t term, const atomic_bool *stop)
{
    const size_t end = counting_first(count->counting, term + 1);
    struct sum *sum = &count->sums[term];
    uint64_t weight = 0;
    for (size_t unit = counting_first(count->counting, term); unit < end; unit++, sum->left++) {
        if (unit % POLL_UNITS == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        weight += count_unit_weight(count, unit);
    }
    count->units.weight += weight;
    sum->keep = count->journal && (weight >= KEEP_WEIGHT || count->shared);
    return NQ_OK;
}

/* What the store does not return is counted. */
enum nq_status count_recall_units(struct count_work *count, struct deadline deadline)
{
    const size_t units = counting_units(count->counting);
    enum nq_status status = units_lay(&count->units, units) ? NQ_OK : NQ_NOMEM;
    bool silent = false;
    if (count->journal && count->work.lengthy && !(count->thirds = calloc(units + 1, sizeof *count->thirds)))
        return NQ_NOMEM;
    if (status == NQ_OK)
        status = scale_weights(count, deadline.stop);
    for (size_t term = 0; status == NQ_OK && term < counting_terms(count->counting); term++) {
        const struct sum *sum = &count->sums[term];
        status = lay_out_term(count, term, deadline.stop);
        if (status != NQ_OK || count->done[term] || !sum->keep || silent)
            continue;
        silent = read_term(count, term, deadline, restore_item) == NQ_TIMEOUT;
        if (!sum->left && !count->shared) /* the last process ended between the last unit and the sum */
            count_keep_term(count, term, sum->thirds);
    }
    if (status == NQ_OK)
        units_begin(&count->units);
    return status;
}
