/* test_constructions_memory.c - constructions without memory: whichever allocation fails, it is told, and nothing stays
 * taken. */
/* CI builds: address */
#include "support/failing_memory.h"

#include "constructions/constructions.c"

#include "constructions/construction_local_search.c"

#include "constructions/construction_tensor.c"

#include "solvers/solver.h"
#include "support/facts.h"

static void check_failures(const struct construction *method, uint32_t n)
{
    enum { ALLOWANCE = 1 << 20 };
    struct allowance allowance;
    struct construction_settings settings = construction_presets(n);
    enum nq_status status = NQ_NOMEM;
    size_t succeed = 0;
    atomic_init(&allowance.left, ALLOWANCE);
    settings.allowance = &allowance;
    for (; status == NQ_NOMEM; succeed++) {
        struct nq_construction *construction = NULL;
        atomic_store(&failing_after, succeed);
        status = construction_open(method, &settings, &construction);
        atomic_store(&failing_after, SIZE_MAX);
        assert_int_equal(construction != NULL, status == NQ_OK);
        nq_construction_close(construction);
        assert_int_equal(atomic_load(&allowance.left), ALLOWANCE);
    }
    assert_int_equal(status, NQ_OK);
    assert_true(succeed > 2);
}

TEST(test_failures)
{
    const struct construction watched = {.name = "first", .max_n = 64, .machine = solver_find("rapella")->machine};
    check_failures(&construction_local_search, 1000);
    check_failures(&construction_tensor, 1000);
    check_failures(&watched, 64);
}
