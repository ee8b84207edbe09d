/* answer.h - a finished body: immutable, shared by reference count, the same bytes for everyone who asked the same. */
#ifndef ENGINE_ASK_ANSWER_H
#define ENGINE_ASK_ANSWER_H

#include <stdatomic.h>

#include "base/bytes.h"
#include "base/lock.h"
#include "base/status.h"
#include "base/wide.h"

struct answer {
    atomic_uint references;
    size_t size;
    const char *media_type; /* static */
    bool complete;          /* false: a budget ran out, so it is neither cached nor tagged */
    /* A path inside the bytes, of the next page; the public prefix stands before it. length 0: there is none. */
    size_t link, link_length;
    const char *relation; /* of what it leads to; static; NULL: the next page */
    nq_wide count;        /* of a count that was computed */
    /* What the engine has of it beyond the bytes, NULL: nothing; so many bytes, given back with the answer. */
    void *extra;
    size_t extra_size;
    void (*free_extra)(void *extra);
    char bytes[];
};

/* Copies a body into an answer with one reference; NULL when out of memory or when the body failed. */
struct answer *answer_new(const struct bytes *body, const char *media_type);

/* The same bytes without what the engine has beyond them: a new reference, of another answer if there is any of that.
 * NULL when out of memory. */
struct answer *answer_bare(struct answer *answer);

struct answer *answer_ref(struct answer *answer);
void answer_unref(struct answer *answer); /* NULL is allowed */

/* ---- Cache ---- */

/* Answers by the text of their question: bounded in bytes, the least recently used go first. Any thread. */

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
