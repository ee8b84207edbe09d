/* small_index.c - an index, unit by unit. */
#include "engine/run/small_index.h"

#include <assert.h>

uint32_t small_index_most(const struct rule *rule)
{
    const uint32_t most = rule->square_rows - 1;
    return most < SMALL_INDEX_MAX_N ? most : SMALL_INDEX_MAX_N;
}

enum nq_status small_index_open(struct small_index *small_index, const struct rule *rule, uint32_t n,
                                const struct kernel *kernel)
{
    struct query query = {0};
    assert(n <= small_index_most(rule));
    small_index->kernel = kernel;
    filter_begin(&query.filter, n);
    query.filter.rule = rule;
    return index_open(&query, NULL, &small_index->index);
}

void small_index_close(struct small_index *small_index)
{
    if (small_index->index)
        index_close(small_index->index);
    small_index->index = NULL;
}

enum nq_status small_index_make(struct small_index *small_index, const atomic_bool *stop)
{
    struct bytes result = {0};
    uint64_t nodes = 0;
    if (small_index->made)
        return NQ_OK;
    if (small_index->unit == index_units(small_index->index)) {
        index_finish(small_index->index);
        small_index->made = true;
        return NQ_OK;
    }
    enum nq_status status =
        index_count(small_index->index, small_index->unit, small_index->kernel, stop, &result, &nodes);
    if (status == NQ_OK)
        status = index_put(small_index->index, small_index->unit++, result.data, result.size);
    bytes_free(&result);
    return status == NQ_OK ? NQ_AGAIN : status;
}

enum nq_status small_index_draw(const struct small_index *small_index, struct random *random, const atomic_bool *stop,
                                uint32_t *columns)
{
    const uint64_t total = index_total(small_index->index);
    struct index_place place;
    if (!total)
        return NQ_NONE;
    const enum nq_status status =
        index_unrank(small_index->index, random_below_wide(random, total),
                     &(struct index_depth){.kernel = small_index->kernel, .stop = stop}, &place);
    for (uint32_t row = 0; status == NQ_OK && row < place.length; row++)
        columns[row] = place.columns[row];
    return status;
}
