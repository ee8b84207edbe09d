/* methods.c - the table of counting methods, and the public count on one thread. */
#include <assert.h>

#include "count/method.h"

extern const struct method method_search;

const struct method *const methods[] = {&method_search, NULL};

enum nq_status nq_count(uint32_t n, uint64_t *count)
{
    const struct method *method = methods[0];
    if (n > method->max_n)
        return NQ_LIMIT;
    void *plan;
    enum nq_status status = method->prepare(n, &plan);
    if (status != NQ_OK)
        return status;
    const struct kernel *kernel = kernel_find("auto");
    struct unit_result total = {0};
    for (size_t unit = 0; unit < method->units(plan) && status == NQ_OK; unit++) {
        struct unit_result result = {0};
        status = method->count(plan, unit, kernel, NULL, &result);
        total.parts += result.parts;
    }
    method->release(plan);
    if (status == NQ_OK) {
        assert(total.parts % METHOD_PARTS == 0);
        *count = total.parts / METHOD_PARTS;
    }
    return status;
}
