/* every_store.c - opens each store where a test may fill it, and removes what it kept. */
#include "support/every_store.h"

#include <dirent.h>
#include <unistd.h>

#include "support/broker.h"

static bool is_shared(const char *kind)
{
    return strcmp(kind, "nats") == 0;
}

/* For all tests on NATS: started by the first of them. */
static struct broker broker;

__attribute__((destructor)) static void end_broker(void)
{
    if (broker.pid)
        broker_end(&broker);
}

void shop_open(struct shop *shop, uint64_t capacity)
{
    char error[STORE_ERROR_MAX] = "";
    const struct store_options options = {.capacity = capacity};
    store_close(shop->store);
    if (is_shared(shop->kind))
        broker_clear(&broker);
    if (store_open(shop->spec, &options, &shop->store, error) != NQ_OK)
        fail_msg("%s", error);
}

uint64_t count_facts(struct store *store)
{
    if (store_is_remote(store)) {
        usleep(250000);
        assert_int_equal(store_put(store, NULL, 0), NQ_OK);
    }
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

void shop_test_add(const char *file, const char *name, CMUnitTestFunction test, bool shared)
{
    static char names[100][96]; /* cmocka keeps them */
    static size_t count;
    for (size_t at = 0; stores[at]; at++) {
        if (is_shared(stores[at]->name) && !shared)
            continue;
        (void)snprintf(names[count], sizeof names[count], "%s: %s", stores[at]->name, name);
        tests_add(file, (struct CMUnitTest){names[count++], test, shop_begin, shop_end, (void *)stores[at]->name});
    }
}
