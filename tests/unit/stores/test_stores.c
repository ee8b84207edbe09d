/* test_stores.c - tests of src/stores: what every store must do, asked of each, how stores are named, and what an error
 * contains of a name. What only a file can do is in test_store_sqlite.c. */
/* CI builds: address thread */
#include "stores/store.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/broker.h"
#include "support/facts.h"
#include "support/sanitizer.h"
#include "support/store_facts.h"
#include "support/tests.h"

/* A sanitizer finds no more in many facts than in some: tests divide their numbers by this. */
enum { EASE = SANITIZED ? 5 : 1 };

enum { MEGABYTE = 1 << 20 };

/* A store, and where it keeps its files if any. */
struct shop {
    const char *kind;
    char folder[64], spec[128];
    struct store *store;
};

static bool is_shared(const char *kind)
{
    return strcmp(kind, "nats") == 0;
}

/* For all tests on NATS: started by the first of them. */
static struct broker broker;

static int end_broker(void **state)
{
    (void)state;
    broker_end(&broker);
    return 0;
}

GROUP(NULL, end_broker)

/* Opens the store with another capacity. A shared one, whose capacity is fixed when it is made, is made anew. */
static void shop_open(struct shop *shop, uint64_t capacity)
{
    char error[STORE_ERROR_MAX] = "";
    const struct store_options options = {.capacity = capacity};
    store_close(shop->store);
    if (is_shared(shop->kind))
        broker_clear(&broker);
    if (store_open(shop->spec, &options, &shop->store, error) != NQ_OK)
        fail_msg("%s", error);
}

/* Stored facts: of a remote store, as of its last check. */
static uint64_t count_facts(struct store *store)
{
    assert_int_equal(store_check(store, true), NQ_OK);
    return store_stats(store).facts;
}

static int shop_begin(void **state)
{
    struct shop *shop = calloc(1, sizeof *shop);
    assert_non_null(shop);
    shop->kind = *state;
    strcpy(shop->folder, "/tmp/nq_stores_XXXXXX");
    assert_non_null(mkdtemp(shop->folder));
    if (is_shared(shop->kind)) {
        if (!broker.pid)
            broker_start(&broker, NULL);
        strcpy(shop->spec, broker.spec);
    } else {
        (void)snprintf(shop->spec, sizeof shop->spec, strcmp(shop->kind, "memory") == 0 ? "%s" : "%s:%s/db", shop->kind,
                       shop->folder);
    }
    shop_open(shop, 64 * MEGABYTE);
    *state = shop;
    return 0;
}

static int shop_end(void **state)
{
    struct shop *shop = *state;
    store_close(shop->store);
    DIR *folder = opendir(shop->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    assert_int_equal(rmdir(shop->folder), 0);
    free(shop);
    return 0;
}

/* On the build for threads: those with threads, and those of a store that has some of its own. */
static void shop_test_add(const char *name, CMUnitTestFunction test, bool shared, bool threads)
{
    static char names[100][96]; /* cmocka keeps them */
    static size_t count;
    for (size_t at = 0; stores[at]; at++) {
        const bool remote = is_shared(stores[at]->name);
        if ((remote && !shared) || (THREAD_SANITIZED && !remote && !threads))
            continue;
        (void)snprintf(names[count], sizeof names[count], "%s: %s", stores[at]->name, name);
        tests_add(__FILE__, (struct CMUnitTest){names[count++], test, shop_begin, shop_end, (void *)stores[at]->name});
    }
}

/* ON_EVERY_STORE(name) { ... } defines a test that runs on each store, ON_EVERY_STORE_FROM_THREADS(name) one with
 * threads of its own; ON_OWN_STORES(name): on those that no other process uses. The test has `shop`, whose store is
 * empty. */
#define ON_EVERY_STORE(test) ON_STORES(test, true, false)
#define ON_EVERY_STORE_FROM_THREADS(test) ON_STORES(test, true, true)
#define ON_OWN_STORES(test) ON_STORES(test, false, false)
#define ON_STORES(test, shared, threads) \
    static void test(struct shop *shop); \
    static void run_##test(void **state) \
    { \
        test(*state); \
    } \
    __attribute__((constructor)) static void add_##test(void) \
    { \
        shop_test_add(#test, run_##test, shared, threads); \
    } \
    static void test(struct shop *shop)

/* ---- One fact, several facts ------------------------------------------------------------------------------------- */

ON_EVERY_STORE(test_put_get_replace_delete)
{
    struct store *store = shop->store;
    assert_false(has(store, STORE_RESULT, "a"));
    put(store, STORE_RESULT, "a", "one");
    put(store, STORE_UNIT, "a", "another kind");
    assert_text(store, STORE_RESULT, "a", "one");
    assert_text(store, STORE_UNIT, "a", "another kind");
    assert_false(has(store, STORE_JOB, "a"));
    put(store, STORE_RESULT, "a", "longer than it was");
    assert_text(store, STORE_RESULT, "a", "longer than it was");
    assert_int_equal(count_facts(store), 2);
    put(store, STORE_RESULT, "a", NULL);
    put(store, STORE_RESULT, "never there", NULL);
    assert_false(has(store, STORE_RESULT, "a"));
    assert_true(has(store, STORE_UNIT, "a"));
    assert_int_equal(count_facts(store), 1);
    assert_true(store_stats(store).bytes > 0);
    assert_int_equal(store_stats(store).evicted, 0);
    char trouble[STORE_ERROR_MAX];
    store_trouble(store, trouble);
    assert_string_equal(trouble, "");
}

ON_EVERY_STORE(test_get_appends)
{
    struct store *store = shop->store;
    BYTES(value);
    put(store, STORE_JOB, "a", "b");
    bytes_text(&value, "before ");
    assert_int_equal(store_get(store, STORE_JOB, "none", &value), NQ_NONE);
    assert_int_equal(store_get(store, STORE_JOB, "a", &value), NQ_OK);
    assert_int_equal(value.size, 8);
    assert_memory_equal(value.data, "before b", 8);
}

ON_EVERY_STORE(test_any_bytes)
{
    struct store *store = shop->store;
    static char large[300000];
    const size_t length = store_is_remote(store) ? 1000 : 20000; /* of a key */
    char all[256], *key = malloc(length + 1);
    assert_non_null(key);
    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = (char)(i * i >> 3);
    memset(key, 'k', length);
    key[length] = '\0';
    const struct store_fact facts[] = {
        {STORE_UNIT, "all", all, sizeof all}, {STORE_UNIT, "empty", "", 0},
        {STORE_UNIT, "", "of no key", 9},     {STORE_UNIT, key, large, sizeof large},
        {STORE_UNIT, "\xff\xfe", "x", 1},     {STORE_UNIT, "'; DROP TABLE unit; --", "x", 1},
    };
    assert_int_equal(store_put(store, facts, 6), NQ_OK);
    for (size_t i = 0; i < 6; i++)
        assert_holds(store, STORE_UNIT, facts[i].key, facts[i].value, facts[i].size);
    key[length - 1] = '\0';
    assert_false(has(store, STORE_UNIT, key));
    assert_int_equal(count_facts(store), 6);
    free(key);
}

static enum nq_status swap(struct store *store, enum store_kind kind, const char *former, const char *value)
{
    const struct store_fact swapped = fact(kind, "a", value);
    return store_swap(store, &swapped, former, former ? strlen(former) : 0);
}

/* What is replaced is the value that is named, and no other one, nor nothing. */
ON_EVERY_STORE(test_swap)
{
    struct store *store = shop->store;
    assert_int_equal(swap(store, STORE_JOB, "", "first"), NQ_AGAIN);
    assert_false(has(store, STORE_JOB, "a"));
    assert_int_equal(swap(store, STORE_JOB, NULL, "first"), NQ_OK);
    assert_int_equal(swap(store, STORE_JOB, NULL, "second"), NQ_AGAIN);
    assert_int_equal(swap(store, STORE_JOB, "firs", "second"), NQ_AGAIN);
    assert_int_equal(swap(store, STORE_JOB, "First", "second"), NQ_AGAIN);
    assert_text(store, STORE_JOB, "a", "first");
    assert_int_equal(swap(store, STORE_UNIT, NULL, "other kind"), NQ_OK);
    assert_int_equal(swap(store, STORE_JOB, "first", ""), NQ_OK);
    assert_int_equal(swap(store, STORE_JOB, NULL, "second"), NQ_AGAIN); /* an empty value is a value */
    assert_int_equal(swap(store, STORE_JOB, "", "second"), NQ_OK);
    put(store, STORE_JOB, "a", "put");
    assert_int_equal(swap(store, STORE_JOB, "second", "third"), NQ_AGAIN);
    assert_lists(store, STORE_JOB, "", "a=put;");
    put(store, STORE_JOB, "a", NULL);
    assert_int_equal(swap(store, STORE_JOB, "put", "third"), NQ_AGAIN);
    assert_int_equal(swap(store, STORE_JOB, NULL, "third"), NQ_OK);
    assert_lists(store, STORE_JOB, "", "a=third;");
    assert_lists(store, STORE_UNIT, "", "a=other kind;");
}

ON_EVERY_STORE(test_a_batch_in_order)
{
    struct store *store = shop->store;
    const struct store_fact facts[] = {
        fact(STORE_JOB, "a", "1"),  fact(STORE_JOB, "a", "2"),  fact(STORE_JOB, "b", "1"),
        fact(STORE_JOB, "b", NULL), fact(STORE_JOB, "c", NULL), fact(STORE_JOB, "c", "3"),
    };
    assert_int_equal(store_put(store, facts, 6), NQ_OK);
    assert_lists(store, STORE_JOB, "", "a=2;c=3;");
    assert_int_equal(count_facts(store), 2);
    assert_int_equal(store_put(store, NULL, 0), NQ_OK);
}

ON_OWN_STORES(test_a_batch_that_does_not_fit_changes_nothing)
{
    OWNED(free) char *large = calloc(1, 2 * MEGABYTE);
    assert_non_null(large);
    shop_open(shop, MEGABYTE);
    put(shop->store, STORE_JOB, "old", "old");
    put(shop->store, STORE_UNIT, "unit", "unit");
    put(shop->store, STORE_RESULT, "result", "result");
    const struct store_stats before = store_stats(shop->store);
    for (size_t size = MEGABYTE - 20000; size <= 2 * MEGABYTE; size += 180000) {
        const struct store_fact facts[] = {
            fact(STORE_JOB, "small", "small"), fact(STORE_JOB, "old", "new"),    fact(STORE_UNIT, "unit", NULL),
            {STORE_JOB, "large", large, size}, {STORE_JOB, "too", large, 20000},
        };
        assert_int_equal(store_put(shop->store, facts, 5), NQ_LIMIT);
        assert_lists(shop->store, STORE_JOB, "", "old=old;");
        assert_lists(shop->store, STORE_UNIT, "", "unit=unit;");
        assert_lists(shop->store, STORE_RESULT, "", "result=result;");
        const struct store_stats after = store_stats(shop->store);
        assert_memory_equal(&after, &before, sizeof before);
    }
    const struct store_fact facts[] = {fact(STORE_JOB, "a", "a"), {STORE_JOB, "b", large, MEGABYTE / 2}};
    assert_int_equal(store_put(shop->store, facts, 2), NQ_OK);
    assert_true(has(shop->store, STORE_JOB, "b"));
}

/* ---- Prefixes ---------------------------------------------------------------------------------------------------- */

static const char *const words[] = {"a%",  "a%b", "a_",   "a_x",  "aXx",      "a",     "ab",
                                    "abc", "b",   "\x7f", "\xff", "\xff\xff", "a\xff", "a\xff\xff"};
enum { WORDS = sizeof words / sizeof words[0] };

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

ON_OWN_STORES(test_prefixes_are_bytes)
{
    struct store *store = shop->store;
    const char *sorted[WORDS];
    for (size_t i = 0; i < WORDS; i++) {
        put(store, STORE_UNIT, words[i], "v");
        put(store, STORE_JOB, words[i], "v");
        sorted[i] = words[i];
    }
    qsort(sorted, WORDS, sizeof sorted[0], compare);
    for (size_t at = WORDS % EASE; at <= WORDS; at += EASE) { /* every word as a prefix, and the empty one */
        const char *prefix = at < WORDS ? words[at] : "";
        struct bytes with = {0}, without = {0};
        for (size_t i = 0; i < WORDS; i++)
            note(strncmp(sorted[i], prefix, strlen(prefix)) == 0 ? &with : &without, sorted[i], "v", 1);
        char *inside = bytes_take(&with), *outside = bytes_take(&without);
        assert_lists(store, STORE_UNIT, prefix, inside);
        assert_int_equal(store_delete_prefix(store, STORE_UNIT, prefix), NQ_OK);
        assert_lists(store, STORE_UNIT, "", outside);
        for (size_t i = 0; i < WORDS; i++)
            put(store, STORE_UNIT, words[i], "v");
        assert_int_equal(count_facts(store), 2 * WORDS);
        free(inside);
        free(outside);
    }
    assert_lists(store, STORE_UNIT, "nothing", "");
    assert_int_equal(store_delete_prefix(store, STORE_UNIT, "nothing"), NQ_OK);
    assert_int_equal(store_delete_prefix(store, STORE_UNIT, ""), NQ_OK);
    assert_int_equal(count_facts(store), WORDS);
}

static bool third(void *context, const char *key, const void *value, size_t size)
{
    (void)key, (void)value, (void)size;
    return ++*(int *)context < 3;
}

ON_EVERY_STORE(test_each_ends_when_visit_returns_false)
{
    struct store *store = shop->store;
    int seen = 0;
    for (size_t i = 0; i < WORDS; i++)
        put(store, STORE_JOB, words[i], "v");
    assert_int_equal(store_each(store, STORE_JOB, "", third, &seen), NQ_OK);
    assert_int_equal(seen, 3);
    put(store, STORE_JOB, "and goes on", "v");
}

/* Ten thousand facts come in as they may, are replaced and deleted at random, and are compared with an array. */
ON_EVERY_STORE(test_many_facts)
{
    enum { FACTS = 10000 / EASE, BATCH = 100 };
    struct store *store = shop->store;
    const uint32_t rounds = FACTS / BATCH * (store_is_remote(store) ? 1 : 3) + FACTS / BATCH / 4;
    static uint32_t model[FACTS]; /* 0: not there */
    static char keys[BATCH][16], values[BATCH][16];
    uint64_t dice = 7;
    memset(model, 0, sizeof model);
    for (uint32_t round = 1; round <= rounds; round++) {
        struct store_fact facts[BATCH];
        for (uint32_t i = 0; i < BATCH; i++) {
            const uint32_t at = round <= FACTS / BATCH ? (round - 1) * BATCH + i : facts_below(&dice, FACTS);
            const bool gone = round > FACTS / BATCH && facts_below(&dice, 3) == 0;
            (void)snprintf(keys[i], sizeof keys[i], "%04u", at * 7919 % FACTS);
            (void)snprintf(values[i], sizeof values[i], "%u", round);
            facts[i] = fact(STORE_UNIT, keys[i], gone ? NULL : values[i]);
            model[at * 7919 % FACTS] = gone ? 0 : round;
        }
        assert_int_equal(store_put(store, facts, BATCH), NQ_OK);
        if (round == FACTS / BATCH)
            assert_int_equal(count_facts(store), FACTS);
    }
    struct bytes expected = {0};
    size_t left = 0;
    for (uint32_t i = 0; i < FACTS; i++)
        if (model[i]) {
            bytes_format(&expected, "%04u=%u;", i, model[i]);
            left++;
        }
    OWNED(free) char *text = bytes_take(&expected);
    assert_lists(store, STORE_UNIT, "", text);
    assert_int_equal(count_facts(store), left);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = SANITIZED ? 100 : 200 };

struct clerk {
    struct store *store;
    pthread_t thread;
    unsigned number, wrong;
};

static bool is_alike(void *context, const char *key, const void *value, size_t size)
{
    (void)key;
    const unsigned char *at = value;
    for (size_t i = 1; i < size; i++)
        if (at[i] != at[0])
            (*(unsigned *)context)++;
    return true;
}

/* Writes pairs that must always be alike, and reads those of all threads. */
static void *work(void *context)
{
    struct clerk *clerk = context;
    for (unsigned i = 0; i < ROUNDS; i++) {
        char prefix[16], key[24], value[64];
        struct bytes read = {0};
        (void)snprintf(prefix, sizeof prefix, "%u.%u#", clerk->number, i % 10);
        (void)snprintf(key, sizeof key, "%s1", prefix);
        memset(value, (int)(i & 127), sizeof value);
        const struct store_fact facts[] = {{STORE_UNIT, key, value, sizeof value}, {STORE_JOB, key, value, i % 64}};
        clerk->wrong += store_put(clerk->store, facts, 2) != NQ_OK;
        clerk->wrong += store_get(clerk->store, STORE_UNIT, key, &read) != NQ_OK || read.size != sizeof value ||
                        memcmp(read.data, value, sizeof value) != 0;
        bytes_free(&read);
        if (i % 10 == 0)
            clerk->wrong += store_each(clerk->store, STORE_JOB, "", is_alike, &clerk->wrong) != NQ_OK;
        if (i % 50 == 49)
            clerk->wrong += store_delete_prefix(clerk->store, STORE_JOB, prefix) != NQ_OK;
        (void)store_stats(clerk->store);
    }
    return NULL;
}

ON_EVERY_STORE_FROM_THREADS(test_threads)
{
    struct clerk clerks[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        clerks[i] = (struct clerk){.store = shop->store, .number = i};
        assert_int_equal(pthread_create(&clerks[i].thread, NULL, work, &clerks[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(clerks[i].thread, NULL);
        assert_int_equal(clerks[i].wrong, 0);
    }
    assert_int_equal(count_facts(clerks[0].store), THREADS * (10 + 9));
}

/* ---- Capacity ---------------------------------------------------------------------------------------------------- */

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
    enum { SMALL = SANITIZED ? 1250 : 5000, LARGE = SANITIZED ? 150 : 312 };
    for (size_t size = THREAD_SANITIZED ? 50000 : SANITIZED ? 500 : 50; size <= 50000; size *= SANITIZED ? 100 : 10) {
        const uint64_t capacity = size < 5000 ? MEGABYTE / 4 : 4 * MEGABYTE;
        const unsigned count = size < 5000 ? SMALL : LARGE;
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
    shop_open(shop, MEGABYTE / 4);
    for (unsigned i = 0; i < 1200; i++) {
        assert_int_equal(put_number(shop->store, STORE_RESULT, i, 500), NQ_OK);
        if (i % 50 == 0)
            assert_int_equal(put_number(shop->store, STORE_RESULT, 0, 500), NQ_OK);
    }
    assert_true(has_number(shop->store, STORE_RESULT, 0));
    assert_false(has_number(shop->store, STORE_RESULT, 1));
    assert_true(has_number(shop->store, STORE_RESULT, 1199));
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
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(put_number(store, STORE_RESULT, i, 1000), NQ_OK);
    assert_int_equal(assert_youngest(store, STORE_UNIT, 300), 0);
    assert_true(assert_youngest(store, STORE_RESULT, 1000) > 300);
    enum nq_status status;
    while ((status = put_number(store, STORE_JOB, jobs, 1000)) == NQ_OK) {
        jobs++;
        if (jobs % 50 == 0 && assert_youngest(store, STORE_RESULT, 1000) < 1000)
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
    for (unsigned i = 0; i < 1200; i++)
        assert_int_equal(put_number(shop->store, STORE_UNIT, i, 1000), NQ_OK);
    assert_int_equal(put_number(shop->store, STORE_RESULT, 1, 50000), NQ_OK);
    assert_true(has_number(shop->store, STORE_RESULT, 1)); /* units go for a result, when there is no older one */
    assert_true(has_number(shop->store, STORE_UNIT, 1199));
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

/* ---- Names ------------------------------------------------------------------------------------------------------- */

TEST(test_names)
{
    static const char *const wrong[] = {"",      "nats",   "nats:",   "natss:x", "memory:", "memory:x", "tls",
                                        "memor", "sqlite", "sqlite:", ":x",      "Memory",  "tls:",     "tlss:x"};
    const struct store_options options = {.capacity = MEGABYTE};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char error[STORE_ERROR_MAX] = "", expected[STORE_ERROR_MAX];
        struct store *store;
        assert_int_equal(store_open(wrong[i], &options, &store, error), NQ_INVALID);
        (void)snprintf(expected, sizeof expected,
                       "'%s' is not a store; use memory or sqlite:PATH or nats://HOST:PORT[,URL...] or "
                       "tls://HOST:PORT[,URL...]",
                       wrong[i]);
        assert_string_equal(error, expected);
    }
    store_close(NULL);
}

TEST(test_urls_of_the_broker)
{
    static const struct {
        const char *spec, *where;
    } known[] = {{"nats://127.0.0.1:1", "//127.0.0.1:1"},
                 {"tls://127.0.0.1:1", "tls://127.0.0.1:1"},
                 {"nats:tls://127.0.0.1:1", "tls://127.0.0.1:1"},
                 {"nats:nats://127.0.0.1:1,tls://u:p@127.0.0.1:2", "nats://127.0.0.1:1,tls://u:p@127.0.0.1:2"},
                 {"tls://u:p@127.0.0.1:1,nats://127.0.0.1:2", "tls://u:p@127.0.0.1:1,nats://127.0.0.1:2"}};
    const struct store_options options = {.capacity = MEGABYTE, .nats.replicas = 1};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char error[STORE_ERROR_MAX] = "";
        OWNED(store_close) struct store *store = NULL;
        assert_string_equal(store_broker(known[i].spec), known[i].where);
        assert_int_equal(store_open(known[i].spec, &options, &store, error), NQ_OK);
        assert_true(store_is_remote(store));
    }
    static const char *const none[] = {"memory", "auto", "sqlite:tls://x", "tlss://x", "tls"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_null(store_broker(none[i]));
}

TEST(test_errors_contain_no_password)
{
    static const char *const wrong[] = {
        "natss://user:secret@host",     "nats://user:secret@",      "nats://user:secret@host:port",
        "nats:http://user:secret@host", "nats:user:secret@host",    "nats://host,//user:secret@,//other",
        "nats://user:secret@host,x",    "tls:user:secret@host",     "tls://user:secret@",
        "tls:tls://user:secret@host",   "tls://user:secret@host,x",
    };
    const struct store_options options = {.capacity = MEGABYTE};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char error[STORE_ERROR_MAX] = "";
        struct store *store;
        assert_int_equal(store_open(wrong[i], &options, &store, error), NQ_INVALID);
        assert_true(strlen(error) > 10);
        assert_null(strstr(error, "secret"));
    }
}

static void assert_default(const char *state_home, const char *home, const char *expected)
{
    struct bytes path = {0};
    state_home ? setenv("XDG_STATE_HOME", state_home, 1) : unsetenv("XDG_STATE_HOME");
    home ? setenv("HOME", home, 1) : unsetenv("HOME");
    assert_int_equal(store_default_path(&path), expected != NULL);
    OWNED(free) char *text = bytes_take(&path);
    assert_string_equal(text, expected ? expected : "");
}

TEST(test_default_path)
{
    assert_default("/var/x", "/home/q", "/var/x/nqueensd/nqueensd.db");
    assert_default("/var/x", NULL, "/var/x/nqueensd/nqueensd.db");
    assert_default(NULL, "/home/q", "/home/q/.local/state/nqueensd/nqueensd.db");
    assert_default("", "/home/q", "/home/q/.local/state/nqueensd/nqueensd.db");
    assert_default("relative", "/home/q", "/home/q/.local/state/nqueensd/nqueensd.db");
    assert_default("relative", "relative", NULL);
    assert_default(NULL, "", NULL);
    assert_default(NULL, NULL, NULL);
}
