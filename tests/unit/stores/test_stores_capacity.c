/* test_stores_capacity.c - tests of src/stores: every store keeps to its limit, and removes the oldest facts for it. */
/* CI builds: address thread */
#include "stores/store.h"

#include <sys/stat.h>

#include "support/every_store.h"

enum { LOG_BYTES = 2 * MEGABYTE };

/* The most that the files may have taken; 0 for a store without. */
static void assert_within(const struct shop *shop, uint64_t capacity)
{
    struct stat file;
    char path[160];
    assert_true(store_stats(shop->store).bytes <= capacity);
    const char *where = strchr(shop->spec, ':');
    if (!where || store_is_remote(shop->store))
        return;
    assert_int_equal(stat(where + 1, &file), 0);
    assert_true((uint64_t)file.st_size <= capacity);
    (void)snprintf(path, sizeof path, "%s-wal", where + 1);
    if (stat(path, &file) == 0) /* and a batch */
        assert_true(file.st_size <= LOG_BYTES + LOG_BYTES / 4);
}

static bool has_number(struct store *store, enum store_kind kind, unsigned number)
{
    char key[16];
    (void)snprintf(key, sizeof key, "%06u", number);
    return has(store, kind, key);
}

/* Those that are left are the youngest; returns the oldest of them. */
static unsigned assert_youngest(struct store *store, enum store_kind kind, unsigned count)
{
    unsigned first = 0;
    while (first < count && !has_number(store, kind, first))
        first++;
    for (unsigned i = first; i < count; i++)
        assert_true(has_number(store, kind, i));
    return first;
}

ON_EVERY_STORE(test_the_oldest_go_first)
{
    enum { FACTS = 5000 / EASE };
    for (size_t size = 50; size <= 50000; size *= 10) {
        const uint64_t capacity = size < 5000 ? MEGABYTE / 4 : 4 * MEGABYTE;
        const unsigned count = size < 5000 ? FACTS : FACTS / 10;
        shop_open(shop, store_is_remote(shop->store) ? 2 * capacity : capacity); /* units may have half of it there */
        assert_int_equal(store_delete_prefix(shop->store, STORE_UNIT, ""), NQ_OK);
        for (unsigned i = 0; i < count; i++) {
            assert_int_equal(put_number(shop->store, STORE_UNIT, i, size), NQ_OK);
            if (i % 97 == 0)
                assert_within(shop, capacity);
        }
        const unsigned first = assert_youngest(shop->store, STORE_UNIT, count);
        if (first) { /* and not many more than needed: half of the capacity is used for what it is for */
            assert_true((count - first) * (size + 80) > capacity / 2);
            assert_true(store_is_remote(shop->store) || store_stats(shop->store).evicted >= first);
        } else
            assert_true(count * size < capacity);
        assert_within(shop, capacity);
    }
}

ON_EVERY_STORE(test_replacing_makes_young)
{
    shop_open(shop, MEGABYTE / 2);
    for (unsigned i = 0; i < 4000; i++) {
        assert_int_equal(put_number(shop->store, STORE_RESULT, i, 500), NQ_OK);
        if (i % 50 == 0)
            assert_int_equal(put_number(shop->store, STORE_RESULT, 0, 500), NQ_OK);
    }
    assert_true(has_number(shop->store, STORE_RESULT, 0));
    assert_false(has_number(shop->store, STORE_RESULT, 1));
    assert_true(has_number(shop->store, STORE_RESULT, 3999));
}

ON_OWN_STORES(test_results_go_before_units_and_jobs_never)
{
    struct store *store;
    unsigned jobs = 0;
    shop_open(shop, MEGABYTE);
    store = shop->store;
    for (unsigned i = 0; i < 300; i++) {
        assert_int_equal(put_number(store, STORE_UNIT, i, 1000), NQ_OK);
        assert_int_equal(put_number(store, STORE_JOB, jobs++, 100), NQ_OK);
    }
    for (unsigned i = 0; i < 2000; i++)
        assert_int_equal(put_number(store, STORE_RESULT, i, 1000), NQ_OK);
    assert_int_equal(assert_youngest(store, STORE_UNIT, 300), 0);
    assert_true(assert_youngest(store, STORE_RESULT, 2000) > 1000);
    enum nq_status status;
    while ((status = put_number(store, STORE_JOB, jobs, 1000)) == NQ_OK) {
        jobs++;
        if (jobs % 50 == 0 && assert_youngest(store, STORE_RESULT, 2000) < 2000)
            assert_int_equal(assert_youngest(store, STORE_UNIT, 300), 0);
    }
    assert_int_equal(status, NQ_LIMIT);
    assert_int_equal(assert_youngest(store, STORE_JOB, jobs), 0);
    assert_true(jobs * 1100 > MEGABYTE / 2);
    assert_within(shop, MEGABYTE);
    /* There is room again when jobs go. */
    assert_int_equal(store_delete_prefix(store, STORE_JOB, "0000"), NQ_OK);
    assert_int_equal(put_number(store, STORE_JOB, jobs, 1000), NQ_OK);
    assert_int_equal(assert_youngest(store, STORE_JOB, jobs + 1), 100);
}

ON_OWN_STORES(test_a_batch_makes_room_for_all_of_itself)
{
    static char large[900000];
    shop_open(shop, MEGABYTE);
    for (unsigned i = 0; i < 2000; i++)
        assert_int_equal(put_number(shop->store, STORE_UNIT, i, 1000), NQ_OK);
    assert_int_equal(put_number(shop->store, STORE_RESULT, 1, 50000), NQ_OK);
    assert_true(has_number(shop->store, STORE_RESULT, 1)); /* units go for a result, when there is no older one */
    assert_true(has_number(shop->store, STORE_UNIT, 1999));
    /* What is replaced makes room too, once. */
    const struct store_fact first = {STORE_JOB, "a", large, 600000};
    const struct store_fact then[] = {
        fact(STORE_JOB, "a", "1"), fact(STORE_JOB, "a", "2"), {STORE_JOB, "b", large, 900000}};
    assert_int_equal(store_put(shop->store, &first, 1), NQ_OK);
    assert_int_equal(store_put(shop->store, &first, 1), NQ_OK);
    assert_int_equal(store_put(shop->store, then, 3), NQ_OK);
    assert_text(shop->store, STORE_JOB, "a", "2");
    assert_within(shop, MEGABYTE);
}
