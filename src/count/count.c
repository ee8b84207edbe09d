/* count.c - the public count, on one thread. */
#include "count/counting.h"

enum nq_status nq_count(uint32_t n, uint64_t *count)
{
    struct query query = {0};
    struct counting *counting;
    nq_wide thirds = 0;
    if (n > NQ_KNOWN_MAX_N)
        return NQ_LIMIT;
    filter_begin(&query.filter, n);
    enum nq_status status = counting_open(&query, NULL, &counting);
    if (status != NQ_OK)
        return status;
    const struct kernel *kernel = kernel_find("auto");
    status = counting_prepare(counting, NULL, NULL, NULL);
    for (size_t unit = 0; unit < counting_units(counting) && status == NQ_OK; unit++) {
        struct unit_result result;
        status = counting_count(counting, unit, kernel, NULL, &result);
        thirds += result.thirds;
    }
    if (status == NQ_OK)
        *count = (uint64_t)counting_total(counting, &thirds);
    counting_close(counting);
    return status;
}
