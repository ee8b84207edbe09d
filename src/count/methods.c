/* methods.c - the table of counting methods, and the public count on one thread. */
#include <stdlib.h>

#include "count/counting.h"

extern const struct method method_search, method_join, method_point, method_quarter;

/* A minute with AVX2. */
double method_longest = 20e9;

const struct method *const methods[] = {&method_search, &method_join, &method_point, &method_quarter, NULL};

enum nq_status nq_count(uint32_t n, uint64_t *count)
{
    struct query query = {0};
    struct counting *counting;
    nq_wide parts = 0;
    if (n > NQ_KNOWN_MAX_N)
        return NQ_LIMIT;
    filter_begin(&query.filter, n);
    enum nq_status status = counting_open(&query, &counting);
    if (status != NQ_OK)
        return status;
    const struct kernel *kernel = kernel_find("auto");
    status = counting_prepare(counting, NULL, NULL, NULL);
    for (size_t unit = 0; unit < counting_units(counting) && status == NQ_OK; unit++) {
        struct unit_result result;
        status = counting_count(counting, unit, kernel, NULL, &result);
        parts += result.parts;
    }
    if (status == NQ_OK)
        *count = (uint64_t)counting_total(counting, &parts);
    counting_close(counting);
    return status;
}
