/* count_shared.c - what the coordinator asks of a count. */
#include "engine/counts/count_shared.h"

#include "engine/counts/count_recall.h"
#include "engine/counts/count_units.h"

/* For the store to answer; it is asked again later. */
enum { RECALL_MS = 2000 };

/* ---- Called on the coordinator's thread ---- */

static void progress(void *who, struct progress *progress)
{
    units_progress(&((struct count_work *)who)->units, progress);
}

static bool take(void *who, size_t *item)
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
    const size_t unit = item_unit(item), term = counting_term(count->counting, unit),
                 first = counting_first(count->counting, term);
    *place = (struct message_place){(uint32_t)term, (uint32_t)(unit - first), (uint32_t)item_piece(item)};
    return count->sums[term].name;
}

static bool find(void *who, const struct message_place *place, size_t *item)
{
    struct count_work *count = who;
    const struct counting *counting = count->counting;
    if (place->term >= counting_terms(counting) || place->piece > UNIT_WHOLE)
        return false;
    const size_t unit = counting_first(counting, place->term) + place->unit;
    *item = item_of(unit, place->piece);
    return unit < counting_first(counting, place->term + 1) && count_has_item(count, *item, &count->closing);
}

static void adopt(void *who, size_t item, uint64_t thirds, uint64_t nodes)
{
    const struct unit_result result = {.thirds = thirds, .nodes = nodes};
    count_add(who, item, &result, false);
}

static void rewind_units(void *who)
{
    count_rewind(who);
}

/* ---- Called on a task ---- */

enum nq_status count_lay_out(struct count_work *count, const atomic_bool *stop)
{
    count->without_tables = count->shared && shared_count_threads(count->shared, stop);
    struct plans *plans = count->without_tables ? count->tableless : count->plans;
    enum nq_status status = counting_prepare(count->counting, count->done, plans ? plans_source(plans) : NULL, stop);
    if (status == NQ_OK)
        status = count_recall_units(count, units_deadline(&count->work, stop));
    if (status == NQ_OK && count->shared)
        shared_count_begin(count->shared);
    return status;
}

/* Another server that had the count is gone, perhaps because it was done. */
static enum nq_status begin(void *who, const atomic_bool *stop)
{
    struct count_work *count = who;
    const enum nq_status status = count_recall_terms(count, units_deadline(&count->work, stop));
    return status == NQ_OK ? count_lay_out(count, stop) : status;
}

static size_t open_terms(const struct count_work *count)
{
    size_t open = 0;
    for (size_t term = 0; term < counting_terms(count->counting); term++)
        open += !count->done[term];
    return open;
}

/* The terms are so few that the slice does not matter. */
static enum nq_status look(void *who, const struct slice *slice, const atomic_bool *stop)
{
    struct count_work *count = who;
    (void)slice;
    const enum nq_status status = count_recall_terms(count, (struct deadline){stop, RECALL_MS});
    return status != NQ_OK ? status : open_terms(count) ? NQ_NONE : NQ_OK;
}

enum nq_status count_share(struct count_work *count)
{
    static const struct shared_count_class class = {.progress = progress,
                                                    .take = take,
                                                    .weight = weight,
                                                    .over = is_over,
                                                    .place = place,
                                                    .find = find,
                                                    .adopt = adopt,
                                                    .rewind = rewind_units,
                                                    .begin = begin,
                                                    .look = look};
    const size_t open = open_terms(count);
    if (!count->coordinator || !count->journal || !count->work.lengthy || !open || open > MESSAGE_TERMS_MAX)
        return NQ_OK;
    count->shared = shared_count_open(count->coordinator, count->question->path, &class, count);
    atomic_store(&count->is_shared, count->shared);
    return count->shared ? NQ_OK : NQ_NOMEM;
}
