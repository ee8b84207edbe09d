/* answer.c - reference-counted bodies. */
#include "engine/ask/answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash.h"

struct answer *answer_new(const struct bytes *body, const char *media_type)
{
    struct answer *answer = body->failed ? NULL : malloc(sizeof *answer + body->size);
    if (!answer)
        return NULL;
    *answer = (struct answer){.references = 1, .size = body->size, .media_type = media_type, .complete = true};
    if (body->size)
        memcpy(answer->bytes, body->data, body->size);
    return answer;
}

struct answer *answer_bare(struct answer *answer)
{
    if (!answer->extra)
        return answer_ref(answer);
    struct answer *bare = malloc(sizeof *bare + answer->size);
    if (!bare)
        return NULL;
    *bare = (struct answer){.references = 1, /* not copied with the rest: others are counting */
                            .size = answer->size,
                            .media_type = answer->media_type,
                            .complete = answer->complete,
                            .link = answer->link,
                            .link_length = answer->link_length,
                            .relation = answer->relation,
                            .count = answer->count};
    memcpy(bare->bytes, answer->bytes, answer->size);
    return bare;
}

struct answer *answer_ref(struct answer *answer)
{
    atomic_fetch_add_explicit(&answer->references, 1, memory_order_relaxed);
    return answer;
}

void answer_unref(struct answer *answer)
{
    if (answer && atomic_fetch_sub_explicit(&answer->references, 1, memory_order_acq_rel) == 1) {
        if (answer->extra)
            answer->free_extra(answer->extra);
        free(answer);
    }
}

/* ---- Cache ---- */

enum { BUCKETS = 1 << 14 };

struct entry {
    struct entry *chain;         /* next in the same bucket */
    struct entry *newer, *older; /* by use */
    uint64_t hash;
    size_t cost;
    struct answer *answer;
    char key[];
};

struct cache {
    size_t budget;
    uint64_t seed;    /* of the hash: strangers choose the keys, and must not choose the buckets */
    struct lock lock; /* guards what follows */
    struct cache_stats stats;
    struct entry *newest, *oldest;
    struct entry *buckets[BUCKETS];
};

struct cache *cache_new(size_t budget)
{
    struct cache *cache = calloc(1, sizeof *cache);
    if (cache) {
        cache->budget = budget;
        lock_init(&cache->lock, LOCK_CACHE);
        if (getrandom(&cache->seed, sizeof cache->seed, GRND_NONBLOCK) != sizeof cache->seed)
            cache->seed = HASH_START;
    }
    return cache;
}

static struct entry **find(struct cache *cache, const char *key, uint64_t hash)
{
    struct entry **at = &cache->buckets[hash % BUCKETS];
    while (*at && ((*at)->hash != hash || strcmp((*at)->key, key) != 0))
        at = &(*at)->chain;
    return at;
}

static void link_newest(struct cache *cache, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    if (cache->newest)
        cache->newest->newer = entry;
    else
        cache->oldest = entry;
    cache->newest = entry;
}

static void unlink_entry(struct cache *cache, struct entry *entry)
{
    assert(entry->newer ? entry->newer->older == entry : cache->newest == entry);
    assert(entry->older ? entry->older->newer == entry : cache->oldest == entry);
    if (entry->newer)
        entry->newer->older = entry->older;
    else
        cache->newest = entry->older;
    if (entry->older)
        entry->older->newer = entry->newer;
    else
        cache->oldest = entry->newer;
}

/* Takes out the entry that *at points to. */
static void drop(struct cache *cache, struct entry **at)
{
    struct entry *entry = *at;
    assert(entry);
    assert(cache->stats.entries && cache->stats.bytes >= entry->cost);
    *at = entry->chain;
    unlink_entry(cache, entry);
    cache->stats.bytes -= entry->cost;
    cache->stats.entries--;
    answer_unref(entry->answer);
    free(entry);
}

void cache_free(struct cache *cache)
{
    if (!cache)
        return;
    while (cache->oldest)
        drop(cache, find(cache, cache->oldest->key, cache->oldest->hash));
    lock_destroy(&cache->lock);
    free(cache);
}

uint64_t cache_hash(const struct cache *cache, const char *key)
{
    return hash_text(cache->seed, key);
}

struct answer *cache_get(struct cache *cache, const char *key)
{
    const uint64_t hash = cache_hash(cache, key);
    struct answer *answer = NULL;
    lock_take(&cache->lock);
    struct entry *entry = *find(cache, key, hash);
    cache->stats.lookups++;
    if (entry) {
        cache->stats.hits++;
        unlink_entry(cache, entry);
        link_newest(cache, entry);
        answer = answer_ref(entry->answer);
    }
    lock_release(&cache->lock);
    return answer;
}

/* Under the lock: adds an entry in place of an older one. */
static void add(struct cache *cache, struct entry *entry)
{
    lock_assert(&cache->lock);
    assert(entry->cost <= cache->budget); /* otherwise all is dropped, and it has no room yet */
    struct entry **at = find(cache, entry->key, entry->hash);
    if (*at)
        drop(cache, at);
    while (cache->stats.bytes + entry->cost > cache->budget) {
        drop(cache, find(cache, cache->oldest->key, cache->oldest->hash));
        cache->stats.evictions++;
    }
    at = &cache->buckets[entry->hash % BUCKETS];
    entry->chain = *at;
    *at = entry;
    link_newest(cache, entry);
    cache->stats.bytes += entry->cost;
    cache->stats.entries++;
}

static size_t cost_of(const char *key, const struct answer *answer)
{
    return sizeof(struct entry) + strlen(key) + 1 + sizeof *answer + answer->size + answer->extra_size;
}

void cache_put(struct cache *cache, const char *key, struct answer *answer)
{
    const size_t length = strlen(key) + 1, cost = cost_of(key, answer);
    if (cost > cache->budget / (answer->extra ? 2 : 8)) /* what was made to be looked into is large */
        return;
    struct entry *entry = malloc(sizeof *entry + length);
    if (!entry)
        return;
    *entry = (struct entry){.hash = cache_hash(cache, key), .cost = cost, .answer = answer_ref(answer)};
    memcpy(entry->key, key, length);
    lock_take(&cache->lock);
    add(cache, entry);
    lock_release(&cache->lock);
}

struct cache_stats cache_stats(struct cache *cache)
{
    lock_take(&cache->lock);
    const struct cache_stats stats = cache->stats;
    lock_release(&cache->lock);
    return stats;
}

#ifdef CHECKS
void cache_check(struct cache *cache)
{
    size_t entries = 0, bytes = 0, chained = 0;
    const struct entry *newer = NULL;
    if (!lock_take_to_check(&cache->lock))
        return;
    for (const struct entry *entry = cache->newest; entry; newer = entry, entry = entry->older, entries++) {
        assert(entries < cache->stats.entries); /* or it is a circle */
        assert(entry->newer == newer);
        assert(entry->hash == hash_text(cache->seed, entry->key));
        assert(*find(cache, entry->key, entry->hash) == entry);
        assert(entry->cost == cost_of(entry->key, entry->answer));
        assert(atomic_load(&entry->answer->references) >= 1 && entry->answer->complete);
        bytes += entry->cost;
    }
    assert(cache->oldest == newer);
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct entry *entry = cache->buckets[i]; entry; entry = entry->chain, chained++)
            assert(entry->hash % BUCKETS == i && chained < entries);
    assert(cache->stats.entries == entries && chained == entries);
    assert(cache->stats.bytes == bytes && bytes <= cache->budget);
    assert(cache->stats.hits <= cache->stats.lookups);
    lock_release(&cache->lock);
}
#endif
