/* test_stores.c - tests of src/stores: what every store must do, asked of each; and how stores are named. What only a
 * file can do is in test_stores_sqlite.c. */
#include "stores/store.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "brokering.h"
#include "facts.h"
#include "pace.h"

/* Of many facts a sanitizer has no more to say than of some. */
enum { EASE = THREAD_SANITIZED ? 5 : ADDRESS_SANITIZED ? 2 : 1 };

enum { MEGABYTE = 1 << 20, LOG_BYTES = 2 * MEGABYTE };

/* A store, and where it keeps its files if any. */
struct shop {
    const char *kind;
    char folder[64], spec[128];
    struct store *store;
};

/* For all that is asked of NATS. */
static struct broker broker;

/* One that is shared is as large as it was made: it is made anew. */
static void shop_open(struct shop *shop, uint64_t capacity)
{
    char error[STORE_ERROR_MAX] = "";
    const struct store_options options = {.capacity = capacity};
    store_close(shop->store);
    if (strcmp(shop->kind, "nats") == 0)
        broker_clear(&broker);
    if (store_open(shop->spec, &options, &shop->store, error) != NQ_OK)
        fail_msg("%s", error);
}

/* Figures of a store that is elsewhere come late. */
static uint64_t count_facts(struct store *store)
{
    if (store_is_remote(store)) {
        usleep(250000);
        assert_int_equal(store_put(store, NULL, 0), NQ_OK);
    }
    return store_figures(store).facts;
}

static int shop_begin(void **state)
{
    struct shop *shop = calloc(1, sizeof *shop);
    assert_non_null(shop);
    shop->kind = *state;
    strcpy(shop->folder, "/tmp/nq_stores_XXXXXX");
    assert_non_null(mkdtemp(shop->folder));
    if (strcmp(shop->kind, "nats") == 0)
        strcpy(shop->spec, broker.spec);
    else
        (void)snprintf(shop->spec, sizeof shop->spec, strcmp(shop->kind, "memory") == 0 ? "%s" : "%s:%s/db", shop->kind,
                       shop->folder);
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

static struct store_fact fact(enum store_kind kind, const char *key, const char *value)
{
    return (struct store_fact){kind, key, value, value ? strlen(value) : 0};
}

static void put(struct store *store, enum store_kind kind, const char *key, const char *value)
{
    const struct store_fact one = fact(kind, key, value);
    assert_int_equal(store_put(store, &one, 1), NQ_OK);
}

static bool has(struct store *store, enum store_kind kind, const char *key)
{
    struct bytes value = {0};
    const enum nq_status status = store_get(store, kind, key, &value);
    bytes_free(&value);
    assert_true(status == NQ_OK || status == NQ_NONE);
    return status == NQ_OK;
}

static void assert_holds(struct store *store, enum store_kind kind, const char *key, const void *data, size_t size)
{
    struct bytes value = {0};
    assert_int_equal(store_get(store, kind, key, &value), NQ_OK);
    assert_int_equal(value.size, size);
    if (size)
        assert_memory_equal(value.data, data, size);
    bytes_free(&value);
}

static void assert_text(struct store *store, enum store_kind kind, const char *key, const char *text)
{
    assert_holds(store, kind, key, text, strlen(text));
}

/* "key=value;" for each. */
static bool note(void *context, const char *key, const void *value, size_t size)
{
    bytes_text(context, key);
    bytes_char(context, '=');
    bytes_add(context, value, size);
    bytes_char(context, ';');
    return true;
}

static void assert_lists(struct store *store, enum store_kind kind, const char *prefix, const char *expected)
{
    struct bytes seen = {0};
    assert_int_equal(store_each(store, kind, prefix, note, &seen), NQ_OK);
    char *text = bytes_take(&seen);
    assert_string_equal(text, expected);
    free(text);
}

/* ---- One fact, several facts ------------------------------------------------------------------------------------- */

static void test_put_get_replace_delete(void **state)
{
    struct store *store = ((struct shop *)*state)->store;
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
    assert_true(store_figures(store).bytes > 0);
    assert_int_equal(store_figures(store).evicted, 0);
    char trouble[STORE_ERROR_MAX];
    store_trouble(store, trouble);
    assert_string_equal(trouble, "");
}

static void test_get_appends(void **state)
{
    struct store *store = ((struct shop *)*state)->store;
    struct bytes value = {0};
    put(store, STORE_JOB, "a", "b");
    bytes_text(&value, "before ");
    assert_int_equal(store_get(store, STORE_JOB, "none", &value), NQ_NONE);
    assert_int_equal(store_get(store, STORE_JOB, "a", &value), NQ_OK);
    assert_int_equal(value.size, 8);
    assert_memory_equal(value.data, "before b", 8);
    bytes_free(&value);
}

static void test_any_bytes(void **state)
{
    struct store *store = ((struct shop *)*state)->store;
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

static void test_add_keeps_what_is_there(void **state)
{
    struct store *store = ((struct shop *)*state)->store;
    const struct store_fact first = fact(STORE_JOB, "a", "first"), second = fact(STORE_JOB, "a", "second"),
                            other = fact(STORE_UNIT, "a", "other kind");
    assert_int_equal(store_add(store, &first), NQ_OK);
    assert_int_equal(store_add(store, &first), NQ_DENIED);
    assert_int_equal(store_add(store, &second), NQ_DENIED);
    assert_text(store, STORE_JOB, "a", "first");
    assert_int_equal(store_add(store, &other), NQ_OK);
    put(store, STORE_JOB, "a", NULL);
    assert_int_equal(store_add(store, &second), NQ_OK);
    assert_text(store, STORE_JOB, "a", "second");
    assert_int_equal(store_delete_prefix(store, STORE_JOB, ""), NQ_OK);
    assert_int_equal(store_add(store, &first), NQ_OK);
    put(store, STORE_JOB, "a", "put");
    assert_int_equal(store_add(store, &first), NQ_DENIED);
    assert_lists(store, STORE_JOB, "", "a=put;");
}

/* Appends a letter, while there are few; "none" has none to be told. */
static enum nq_status append(void *letter, const char *key, const void *value, size_t size, struct bytes *next)
{
    if (strcmp(key, "none") == 0)
        return NQ_NOMEM;
    if (size == 3)
        return NQ_NONE;
    if (value) { /* otherwise it begins with an empty one */
        bytes_add(next, value, size);
        bytes_text(next, letter);
    }
    return NQ_OK;
}

static void test_amend(void **state)
{
    struct store *store = ((struct shop *)*state)->store;
    char letter[] = "x";
    for (int i = 0; i < 6; i++)
        assert_int_equal(store_amend(store, STORE_JOB, "a", append, letter), NQ_OK);
    assert_int_equal(store_amend(store, STORE_JOB, "none", append, letter), NQ_NOMEM);
    assert_int_equal(store_amend(store, STORE_UNIT, "a", append, letter), NQ_OK);
    assert_lists(store, STORE_JOB, "", "a=xxx;");
    assert_lists(store, STORE_UNIT, "", "a=;");
    put(store, STORE_JOB, "a", "b");
    assert_int_equal(store_amend(store, STORE_JOB, "a", append, letter), NQ_OK);
    assert_text(store, STORE_JOB, "a", "bx");
}

static void test_a_batch_in_order(void **state)
{
    struct store *store = ((struct shop *)*state)->store;
    const struct store_fact facts[] = {
        fact(STORE_JOB, "a", "1"),  fact(STORE_JOB, "a", "2"),  fact(STORE_JOB, "b", "1"),
        fact(STORE_JOB, "b", NULL), fact(STORE_JOB, "c", NULL), fact(STORE_JOB, "c", "3"),
    };
    assert_int_equal(store_put(store, facts, 6), NQ_OK);
    assert_lists(store, STORE_JOB, "", "a=2;c=3;");
    assert_int_equal(count_facts(store), 2);
    assert_int_equal(store_put(store, NULL, 0), NQ_OK);
}

static void test_a_batch_that_does_not_fit_changes_nothing(void **state)
{
    struct shop *shop = *state;
    char *large = calloc(1, 2 * MEGABYTE);
    assert_non_null(large);
    shop_open(shop, MEGABYTE);
    put(shop->store, STORE_JOB, "old", "old");
    put(shop->store, STORE_UNIT, "unit", "unit");
    put(shop->store, STORE_RESULT, "result", "result");
    const struct store_figures before = store_figures(shop->store);
    for (size_t size = MEGABYTE - 20000; size <= 2 * MEGABYTE; size += 180000) {
        const struct store_fact facts[] = {
            fact(STORE_JOB, "small", "small"), fact(STORE_JOB, "old", "new"),    fact(STORE_UNIT, "unit", NULL),
            {STORE_JOB, "large", large, size}, {STORE_JOB, "too", large, 20000},
        };
        assert_int_equal(store_put(shop->store, facts, 5), NQ_LIMIT);
        assert_lists(shop->store, STORE_JOB, "", "old=old;");
        assert_lists(shop->store, STORE_UNIT, "", "unit=unit;");
        assert_lists(shop->store, STORE_RESULT, "", "result=result;");
        const struct store_figures after = store_figures(shop->store);
        assert_memory_equal(&after, &before, sizeof before);
    }
    const struct store_fact facts[] = {fact(STORE_JOB, "a", "a"), {STORE_JOB, "b", large, MEGABYTE / 2}};
    assert_int_equal(store_put(shop->store, facts, 2), NQ_OK);
    assert_true(has(shop->store, STORE_JOB, "b"));
    free(large);
}

/* ---- Prefixes ---------------------------------------------------------------------------------------------------- */

static const char *const words[] = {"a%",  "a%b", "a_",   "a_x",  "aXx",      "a",     "ab",
                                    "abc", "b",   "\x7f", "\xff", "\xff\xff", "a\xff", "a\xff\xff"};
enum { WORDS = sizeof words / sizeof words[0] };

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void test_prefixes_are_bytes(void **state)
{
    struct store *store = ((struct shop *)*state)->store;
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

static void test_each_ends_when_told(void **state)
{
    struct store *store = ((struct shop *)*state)->store;
    int seen = 0;
    for (size_t i = 0; i < WORDS; i++)
        put(store, STORE_JOB, words[i], "v");
    assert_int_equal(store_each(store, STORE_JOB, "", third, &seen), NQ_OK);
    assert_int_equal(seen, 3);
    put(store, STORE_JOB, "and goes on", "v");
}

/* Ten thousand facts come in as they may, are replaced and deleted at random, and are compared with an array. */
static void test_many_facts(void **state)
{
    enum { FACTS = 10000 / EASE, BATCH = 100 };
    struct store *store = ((struct shop *)*state)->store;
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
    char *text = bytes_take(&expected);
    assert_lists(store, STORE_UNIT, "", text);
    assert_int_equal(count_facts(store), left);
    free(text);
}

/* ---- The cap ----------------------------------------------------------------------------------------------------- */

/* The most that the files may have taken; 0 for a store without. */
static void assert_within(const struct shop *shop, uint64_t capacity)
{
    struct stat file;
    char path[160];
    assert_true(store_figures(shop->store).bytes <= capacity);
    const char *where = strchr(shop->spec, ':');
    if (!where || store_is_remote(shop->store))
        return;
    assert_int_equal(stat(where + 1, &file), 0);
    assert_true((uint64_t)file.st_size <= capacity);
    (void)snprintf(path, sizeof path, "%s-wal", where + 1);
    if (stat(path, &file) == 0) /* and a batch */
        assert_true(file.st_size <= LOG_BYTES + LOG_BYTES / 4);
}

static enum nq_status put_filler(struct store *store, enum store_kind kind, unsigned number, size_t size)
{
    static char filler[100000];
    char key[16];
    (void)snprintf(key, sizeof key, "%06u", number);
    memset(filler, (int)(number & 127), size);
    const struct store_fact one = {kind, key, filler, size};
    return store_put(store, &one, 1);
}

static bool has_filler(struct store *store, enum store_kind kind, unsigned number)
{
    char key[16];
    (void)snprintf(key, sizeof key, "%06u", number);
    return has(store, kind, key);
}

/* Those that are left are the youngest; returns the oldest of them. */
static unsigned assert_youngest(struct store *store, enum store_kind kind, unsigned count)
{
    unsigned first = 0;
    while (first < count && !has_filler(store, kind, first))
        first++;
    for (unsigned i = first; i < count; i++)
        assert_true(has_filler(store, kind, i));
    return first;
}

static void test_the_oldest_go_first(void **state)
{
    struct shop *shop = *state;
    enum { FACTS = 5000 / EASE };
    for (size_t size = 50; size <= 50000; size *= 10) {
        const uint64_t capacity = size < 5000 ? MEGABYTE / 4 : 4 * MEGABYTE;
        const unsigned count = size < 5000 ? FACTS : FACTS / 10;
        shop_open(shop, store_is_remote(shop->store) ? 2 * capacity : capacity); /* units may have half of it there */
        assert_int_equal(store_delete_prefix(shop->store, STORE_UNIT, ""), NQ_OK);
        for (unsigned i = 0; i < count; i++) {
            assert_int_equal(put_filler(shop->store, STORE_UNIT, i, size), NQ_OK);
            if (i % 97 == 0)
                assert_within(shop, capacity);
        }
        const unsigned first = assert_youngest(shop->store, STORE_UNIT, count);
        if (first) { /* and not many more than needed: half of the capacity is used for what it is for */
            assert_true((count - first) * (size + 80) > capacity / 2);
            assert_true(store_is_remote(shop->store) || store_figures(shop->store).evicted >= first);
        } else
            assert_true(count * size < capacity);
        assert_within(shop, capacity);
    }
}

static void test_replacing_makes_young(void **state)
{
    struct shop *shop = *state;
    shop_open(shop, MEGABYTE / 2);
    for (unsigned i = 0; i < 4000; i++) {
        assert_int_equal(put_filler(shop->store, STORE_RESULT, i, 500), NQ_OK);
        if (i % 50 == 0)
            assert_int_equal(put_filler(shop->store, STORE_RESULT, 0, 500), NQ_OK);
    }
    assert_true(has_filler(shop->store, STORE_RESULT, 0));
    assert_false(has_filler(shop->store, STORE_RESULT, 1));
    assert_true(has_filler(shop->store, STORE_RESULT, 3999));
}

static void test_results_go_before_units_and_jobs_never(void **state)
{
    struct shop *shop = *state;
    struct store *store;
    unsigned jobs = 0;
    shop_open(shop, MEGABYTE);
    store = shop->store;
    for (unsigned i = 0; i < 300; i++) {
        assert_int_equal(put_filler(store, STORE_UNIT, i, 1000), NQ_OK);
        assert_int_equal(put_filler(store, STORE_JOB, jobs++, 100), NQ_OK);
    }
    for (unsigned i = 0; i < 2000; i++)
        assert_int_equal(put_filler(store, STORE_RESULT, i, 1000), NQ_OK);
    assert_int_equal(assert_youngest(store, STORE_UNIT, 300), 0);
    assert_true(assert_youngest(store, STORE_RESULT, 2000) > 1000);
    enum nq_status status;
    while ((status = put_filler(store, STORE_JOB, jobs, 1000)) == NQ_OK) {
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
    assert_int_equal(put_filler(store, STORE_JOB, jobs, 1000), NQ_OK);
    assert_int_equal(assert_youngest(store, STORE_JOB, jobs + 1), 100);
}

static void test_a_batch_makes_room_for_all_of_itself(void **state)
{
    struct shop *shop = *state;
    static char large[900000];
    shop_open(shop, MEGABYTE);
    for (unsigned i = 0; i < 2000; i++)
        assert_int_equal(put_filler(shop->store, STORE_UNIT, i, 1000), NQ_OK);
    assert_int_equal(put_filler(shop->store, STORE_RESULT, 1, 50000), NQ_OK);
    assert_true(has_filler(shop->store, STORE_RESULT, 1)); /* units go for a result, when there is no older one */
    assert_true(has_filler(shop->store, STORE_UNIT, 1999));
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

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 200 };

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

/* Writes pairs that must always be alike, and looks at everybody's. */
static void *work(void *context)
{
    struct clerk *clerk = context;
    for (unsigned i = 0; i < ROUNDS; i++) {
        char key[16], value[64];
        struct bytes read = {0};
        (void)snprintf(key, sizeof key, "%u.%u", clerk->number, i % 10);
        memset(value, (int)(i & 127), sizeof value);
        const struct store_fact facts[] = {{STORE_UNIT, key, value, sizeof value}, {STORE_JOB, key, value, i % 64}};
        clerk->wrong += store_put(clerk->store, facts, 2) != NQ_OK;
        clerk->wrong += store_get(clerk->store, STORE_UNIT, key, &read) != NQ_OK || read.size != sizeof value ||
                        memcmp(read.data, value, sizeof value) != 0;
        bytes_free(&read);
        if (i % 10 == 0)
            clerk->wrong += store_each(clerk->store, STORE_JOB, "", is_alike, &clerk->wrong) != NQ_OK;
        if (i % 50 == 49)
            clerk->wrong += store_delete_prefix(clerk->store, STORE_JOB, key) != NQ_OK;
        (void)store_figures(clerk->store);
    }
    return NULL;
}

static void test_threads(void **state)
{
    struct clerk clerks[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        clerks[i] = (struct clerk){.store = ((struct shop *)*state)->store, .number = i};
        assert_int_equal(pthread_create(&clerks[i].thread, NULL, work, &clerks[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(clerks[i].thread, NULL);
        assert_int_equal(clerks[i].wrong, 0);
    }
    assert_int_equal(count_facts(clerks[0].store), THREADS * (10 + 9));
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",      "nats",   "nats:",   "natss:x", "memory:", "memory:x",
                                        "memor", "sqlite", "sqlite:", ":x",      "Memory"};
    const struct store_options options = {.capacity = MEGABYTE};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char error[STORE_ERROR_MAX] = "", expected[STORE_ERROR_MAX];
        struct store *store;
        assert_int_equal(store_open(wrong[i], &options, &store, error), NQ_INVALID);
        (void)snprintf(expected, sizeof expected,
                       "'%s' is not a store; it takes memory or sqlite:PATH or nats:URL[,URL...]", wrong[i]);
        assert_string_equal(error, expected);
    }
    store_close(NULL);
}

static void test_no_password_is_told(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "natss://user:secret@host",     "nats://user:secret@",   "nats://user:secret@host:port",
        "nats:http://user:secret@host", "nats:user:secret@host", "nats://host,//user:secret@,//other",
        "nats://user:secret@host,x",
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
    char *text = bytes_take(&path);
    assert_string_equal(text, expected ? expected : "");
    free(text);
}

static void test_default_path(void **state)
{
    (void)state;
    assert_default("/var/x", "/home/q", "/var/x/nqueensd/nqueensd.db");
    assert_default("/var/x", NULL, "/var/x/nqueensd/nqueensd.db");
    assert_default(NULL, "/home/q", "/home/q/.local/state/nqueensd/nqueensd.db");
    assert_default("", "/home/q", "/home/q/.local/state/nqueensd/nqueensd.db");
    assert_default("relative", "/home/q", "/home/q/.local/state/nqueensd/nqueensd.db");
    assert_default("relative", "relative", NULL);
    assert_default(NULL, "", NULL);
    assert_default(NULL, NULL, NULL);
}

static int broker_begin(void **state)
{
    (void)state;
    broker_start(&broker, NULL);
    return 0;
}

static int broker_done(void **state)
{
    (void)state;
    broker_end(&broker);
    return 0;
}

#define SHOP(test) cmocka_unit_test_prestate_setup_teardown(test, shop_begin, shop_end, (void *)stores[at]->name)

int main(void)
{
    int failed = 0;
    for (size_t at = 0; stores[at]; at++) {
        const bool shared = strcmp(stores[at]->name, "nats") == 0;
        const struct CMUnitTest tests[] = {
            SHOP(test_put_get_replace_delete),
            SHOP(test_get_appends),
            SHOP(test_any_bytes),
            SHOP(test_add_keeps_what_is_there),
            SHOP(test_amend),
            SHOP(test_a_batch_in_order),
            SHOP(test_prefixes_are_bytes),
            SHOP(test_each_ends_when_told),
            SHOP(test_many_facts),
            SHOP(test_the_oldest_go_first),
            SHOP(test_replacing_makes_young),
            SHOP(test_threads),
        };
        const struct CMUnitTest ours[] = {
            /* of those that no other process uses */
            SHOP(test_a_batch_that_does_not_fit_changes_nothing),
            SHOP(test_results_go_before_units_and_jobs_never),
            SHOP(test_a_batch_makes_room_for_all_of_itself),
        };
        failed += cmocka_run_group_tests_name(stores[at]->name, tests, shared ? broker_begin : NULL,
                                              shared ? broker_done : NULL);
        if (!shared)
            failed += cmocka_run_group_tests_name(stores[at]->name, ours, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_no_password_is_told),
        cmocka_unit_test(test_default_path),
    };
    return failed + cmocka_run_group_tests_name("stores", tests, NULL, NULL);
}
