/* spot.c - an index, unit by unit. */
#include "engine/spot.h"

#include <assert.h>

enum nq_status spot_open(struct spot *spot, uint32_t n)
{
    struct query query = {0};
    assert(n <= SPOT_MAX_N);
    *spot = (struct spot){0};
    filter_begin(&query.filter, n);
    return index_open(&query, &spot->index);
}

void spot_close(struct spot *spot)
{
    if (spot->index)
        index_close(spot->index);
    spot->index = NULL;
}

enum nq_status spot_make(struct spot *spot, const struct kernel *kernel, const atomic_bool *stop)
{
    struct bytes result = {0};
    uint64_t nodes = 0;
    if (spot->made)
        return NQ_OK;
    if (spot->unit == index_units(spot->index)) {
        index_finish(spot->index);
        spot->made = true;
        return NQ_OK;
    }
    enum nq_status status = index_count(spot->index, spot->unit, kernel, stop, &result, &nodes);
    if (status == NQ_OK)
        status = index_put(spot->index, spot->unit++, result.data, result.size);
    bytes_free(&result);
    return status == NQ_OK ? NQ_AGAIN : status;
}
