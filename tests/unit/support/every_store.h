/* every_store.h - tests that run once on each store. */
#ifndef TESTS_UNIT_SUPPORT_EVERY_STORE_H
#define TESTS_UNIT_SUPPORT_EVERY_STORE_H

#include "support/sanitizer.h"
#include "support/store_facts.h"

/* A sanitizer finds no more in many facts than in some: tests divide their numbers by this. */
enum { EASE = THREAD_SANITIZED ? 5 : ADDRESS_SANITIZED ? 2 : 1 };

enum { MEGABYTE = 1 << 20 };

/* A store, and where it keeps its files if any. */
struct shop {
    const char *kind;
    char folder[64], spec[128];
    struct store *store;
};

/* ON_EVERY_STORE(name) { ... } defines a test that runs on each store; ON_OWN_STORES(name): on those that no other
 * process uses. The test has `shop`, whose store is empty. */
#define ON_EVERY_STORE(test) ON_STORES(test, true)
#define ON_OWN_STORES(test) ON_STORES(test, false)
#define ON_STORES(test, shared) \
    static void test(struct shop *shop); \
    static void run_##test(void **state) \
    { \
        test(*state); \
    } \
    __attribute__((constructor)) static void add_##test(void) \
    { \
        shop_test_add(__FILE__, #test, run_##test, shared); \
    } \
    static void test(struct shop *shop)

/* Opens the store with another capacity. A shared one, whose capacity is fixed when it is made, is made anew. */
void shop_open(struct shop *shop, uint64_t capacity);

/* Stored facts. Waits for a remote store, whose statistics come late. */
uint64_t count_facts(struct store *store);

/* Called by the macros before main. */
void shop_test_add(const char *file, const char *name, CMUnitTestFunction test, bool shared);

#endif
