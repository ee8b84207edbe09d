/* test_store_memory.c - tests of src/stores/store_memory.c: what becomes of it when an allocation fails. What every
 * store must do is in test_stores.c. */
/* CI builds: address */
#include "support/failing_memory.h"

#include "stores/store_memory.c"
#include "support/facts.h"

static bool count(void *context, const char *key, const void *value, size_t size)
{
    (void)key, (void)value, (void)size;
    ++*(unsigned *)context;
    return true;
}

TEST(test_every_allocation_fails_once)
{
    char error[STORE_ERROR_MAX] = "";
    void *store = NULL;
    const struct store_options options = {.capacity = 4000};
    failing_after = 0;
    assert_int_equal(store_memory.open(NULL, &options, &store, error), NQ_NOMEM);
    assert_string_equal(error, "out of memory");
    failing_after = SIZE_MAX;
    assert_int_equal(store_memory.open(NULL, &options, &store, error), NQ_OK);
    const struct store_fact old = {STORE_RESULT, "old", "old", 3};
    const struct store_fact facts[] = {
        {STORE_JOB, "a", "1", 1}, {STORE_RESULT, "old", NULL, 0}, {STORE_UNIT, "b", "2", 1}, {STORE_JOB, "a", "3", 1}};
    assert_int_equal(store_memory.put(store, &old, 1), NQ_OK);
    const struct store_stats before = store_memory.stats(store);
    for (size_t allocations = 0; allocations < 4; allocations++) {
        unsigned seen = 0;
        failing_after = allocations;
        assert_int_equal(store_memory.put(store, facts, 4), NQ_NOMEM);
        failing_after = SIZE_MAX;
        const struct store_stats after = store_memory.stats(store);
        assert_memory_equal(&after, &before, sizeof before);
        for (int kind = 0; kind < STORE_KINDS; kind++)
            assert_int_equal(store_memory.each(store, (enum store_kind)kind, "", count, &seen), NQ_OK);
        assert_int_equal(seen, 1);
    }
    failing_after = 4;
    assert_int_equal(store_memory.put(store, facts, 4), NQ_OK);
    failing_after = SIZE_MAX;
    assert_int_equal(store_memory.stats(store).facts, 2);
    /* Reading into bytes that failed. */
    struct bytes value = {.failed = true};
    assert_int_equal(store_memory.get(store, STORE_JOB, "a", &value), NQ_NOMEM);
    store_memory.close(store);
}
