/* store_facts.h - puts facts into a store, and checks what it holds. */
#ifndef TESTS_UNIT_SUPPORT_STORE_FACTS_H
#define TESTS_UNIT_SUPPORT_STORE_FACTS_H

#include "stores/store.h"
#include "support/tests.h"

/* The fact that a key has a text; value NULL: that it has none. */
struct store_fact fact(enum store_kind kind, const char *key, const char *value);

/* Puts such a fact, which must succeed. */
void put(struct store *store, enum store_kind kind, const char *key, const char *value);

bool has(struct store *store, enum store_kind kind, const char *key);

void assert_holds(struct store *store, enum store_kind kind, const char *key, const void *data, size_t size);
void assert_text(struct store *store, enum store_kind kind, const char *key, const char *text);

/* Appends "key=value;" to struct bytes: a store_visit. */
bool note(void *context, const char *key, const void *value, size_t size);

/* What note() makes of the facts below a prefix, by key: those of a shared store, which come in any order, are sorted.
 * For the caller to free. */
char *list_facts(struct store *store, enum store_kind kind, const char *prefix);

/* Compares them. */
void assert_lists(struct store *store, enum store_kind kind, const char *prefix, const char *expected);

/* Puts a fact of at most 100000 bytes whose key and value follow from a number. */
enum nq_status put_number(struct store *store, enum store_kind kind, unsigned number, size_t size);

/* NQ_OK: the fact is as put_number() put it; NQ_INVALID: it differs; otherwise what store_get() returns. */
enum nq_status get_number(struct store *store, enum store_kind kind, unsigned number, size_t size);

#endif
