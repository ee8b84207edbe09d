/* store_facts.c - facts of stores, made and compared. */
#include "support/store_facts.h"

#include <stdlib.h>

struct store_fact fact(enum store_kind kind, const char *key, const char *value)
{
    return (struct store_fact){kind, key, value, value ? strlen(value) : 0};
}

void put(struct store *store, enum store_kind kind, const char *key, const char *value)
{
    const struct store_fact one = fact(kind, key, value);
    assert_int_equal(store_put(store, &one, 1), NQ_OK);
}

bool has(struct store *store, enum store_kind kind, const char *key)
{
    struct bytes value = {0};
    const enum nq_status status = store_get(store, kind, key, &value);
    bytes_free(&value);
    assert_true(status == NQ_OK || status == NQ_NONE);
    return status == NQ_OK;
}

void assert_holds(struct store *store, enum store_kind kind, const char *key, const void *data, size_t size)
{
    BYTES(value);
    assert_int_equal(store_get(store, kind, key, &value), NQ_OK);
    assert_int_equal(value.size, size);
    if (size)
        assert_memory_equal(value.data, data, size);
}

void assert_text(struct store *store, enum store_kind kind, const char *key, const char *text)
{
    assert_holds(store, kind, key, text, strlen(text));
}

bool note(void *context, const char *key, const void *value, size_t size)
{
    bytes_text(context, key);
    bytes_char(context, '=');
    bytes_add(context, value, size);
    bytes_char(context, ';');
    return true;
}

struct listing {
    struct listed {
        char *key;
        struct bytes noted; /* by note() */
    } fact[10000];
    size_t count;
};

static bool list_one(void *context, const char *key, const void *value, size_t size)
{
    struct listing *listing = context;
    assert_true(listing->count < sizeof listing->fact / sizeof listing->fact[0]);
    struct listed *listed = &listing->fact[listing->count++];
    *listed = (struct listed){.key = strdup(key)};
    return note(&listed->noted, key, value, size);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const struct listed *)a)->key, ((const struct listed *)b)->key);
}

char *list_facts(struct store *store, enum store_kind kind, const char *prefix)
{
    static struct listing listing;
    struct bytes seen = {0};
    listing.count = 0;
    assert_int_equal(store_each(store, kind, prefix, list_one, &listing), NQ_OK);
    if (store_is_remote(store))
        qsort(listing.fact, listing.count, sizeof listing.fact[0], compare_keys);
    for (size_t i = 0; i < listing.count; i++) {
        bytes_add(&seen, listing.fact[i].noted.data, listing.fact[i].noted.size);
        bytes_free(&listing.fact[i].noted);
        free(listing.fact[i].key);
    }
    return bytes_take(&seen);
}

void assert_lists(struct store *store, enum store_kind kind, const char *prefix, const char *expected)
{
    OWNED(free) char *text = list_facts(store, kind, prefix);
    assert_string_equal(text, expected);
}

enum nq_status put_number(struct store *store, enum store_kind kind, unsigned number, size_t size)
{
    static char filler[100000];
    char key[16];
    (void)snprintf(key, sizeof key, "%06u", number);
    memset(filler, (int)(number & 127), size);
    const struct store_fact one = {kind, key, filler, size};
    return store_put(store, &one, 1);
}

enum nq_status get_number(struct store *store, enum store_kind kind, unsigned number, size_t size)
{
    BYTES(value);
    char key[16];
    (void)snprintf(key, sizeof key, "%06u", number);
    enum nq_status status = store_get(store, kind, key, &value);
    for (size_t i = 0; status == NQ_OK && i < size; i++)
        if (value.size != size || value.data[i] != (char)(number & 127))
            status = NQ_INVALID;
    return status;
}
