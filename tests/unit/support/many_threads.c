#include "support/many_threads.h"

#include "base/parallel.h"
#include "support/facts.h"

enum { THREADS = 4 };

struct crowd {
    const struct method *method;
    const void *plan;
    uint64_t thirds;
    atomic_uint right;
};

static void count_all_units(void *context)
{
    struct crowd *crowd = context;
    enum nq_status status = NQ_OK;
    uint64_t thirds = 0;
    for (size_t unit = 0; status == NQ_OK && unit < crowd->method->units(crowd->plan); unit++) {
        struct unit_result result = {0};
        status = crowd->method->count(crowd->plan, unit, kernel_find("auto"), NULL, &result);
        thirds += result.thirds;
    }
    if (status == NQ_OK && thirds == crowd->thirds)
        atomic_fetch_add(&crowd->right, 1);
}

void many_threads_check(const struct method *method, const void *plan, uint64_t thirds)
{
    struct crowd crowd = {.method = method, .plan = plan, .thirds = thirds};
    parallel_run(THREADS, count_all_units, &crowd);
    assert_int_equal(crowd.right, THREADS);
}
