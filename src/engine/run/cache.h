/* cache.h - answers by the text of their question: bounded in bytes, the least recently used go first. Any thread. */
#ifndef ENGINE_RUN_CACHE_H
#define ENGINE_RUN_CACHE_H

#include "base/lock.h"
#include "engine/ask/answer.h"

struct cache;

struct cache *cache_new(size_t budget);
void cache_free(struct cache *cache); /* NULL: nothing */

/* Seeded: strangers choose the keys, and must not choose the buckets of any table that they are in. */
uint64_t cache_hash(const struct cache *cache, const char *key);

/* A new reference, or NULL. */
struct answer *cache_get(struct cache *cache, const char *key);

/* Keeps a reference under a copy of the key, in place of an older answer. Answers above an eighth of the budget are not
 * kept, nor is anything when memory is out: a cache may forget. */
void cache_put(struct cache *cache, const char *key, struct answer *answer);

struct cache_stats {
    size_t bytes, entries;
    uint64_t evictions, lookups, hits;
};
struct cache_stats cache_stats(struct cache *cache);

#ifdef CHECKS
/* Asserts that every entry is in its chain and in the list, once, and that bytes and entries are their sums. */
void cache_check(struct cache *cache);
#endif

#endif
