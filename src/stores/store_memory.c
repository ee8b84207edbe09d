/* store_memory.c - a store that lives as long as the process: for every kind a skip list in the order of keys, threaded
 * by a list in the order of age. It knows no files. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stores/store.h"

/* Every node is in the lists of levels 0 .. levels - 1, one in four reaches the next: enough for 4^12 facts. */
enum { LEVELS = 12 };

struct node {
    struct node *older, *newer; /* of its kind */
    uint64_t batch;             /* the put that wrote it, or last looked at it */
    const char *key;            /* both behind the node */
    const void *value;
    size_t size, cost;
    unsigned levels;
    struct node *next[];
};

struct shelf {
    struct node *first[LEVELS];
    struct node *oldest, *newest;
    uint64_t cost;
};

struct memory {
    uint64_t capacity, batch;
    uint64_t dice; /* of a generator: the levels do not depend on keys, by which a client could make the skip list a
                      plain list */
    struct store_stats stats;
    struct shelf shelves[STORE_KINDS];
};

static enum nq_status memory_open(const char *where, const struct store_options *options, void **self,
                                  char error[static STORE_ERROR_MAX])
{
    (void)where;
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory) {
        (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
        return NQ_NOMEM;
    }
    memory->capacity = options->capacity;
    memory->dice = 1;
    *self = memory;
    return NQ_OK;
}

/* Finds the links that a node of this key hangs, or would hang, on, and returns the first node at or after the key. */
static struct node *trace(struct shelf *shelf, const char *key, struct node **links[LEVELS])
{
    struct node **next = shelf->first;
    for (unsigned level = LEVELS; level-- > 0;) {
        while (next[level] && strcmp(next[level]->key, key) < 0)
            next = next[level]->next;
        links[level] = &next[level];
    }
    return next[0];
}

static struct node *find(struct shelf *shelf, const char *key)
{
    struct node **links[LEVELS], *node = trace(shelf, key, links);
    return node && strcmp(node->key, key) == 0 ? node : NULL;
}

static unsigned roll(struct memory *memory)
{
    unsigned levels = 1;
    memory->dice = memory->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth, MMIX */
    for (uint64_t bits = memory->dice >> 32; levels < LEVELS && bits % 4 == 0; bits /= 4)
        levels++;
    return levels;
}

static size_t cost_of(unsigned levels, size_t length, size_t size)
{
    return sizeof(struct node) + levels * sizeof(struct node *) + length + size;
}

static struct node *node_new(struct memory *memory, const struct store_fact *fact)
{
    const size_t length = strlen(fact->key) + 1;
    const unsigned levels = roll(memory);
    const size_t cost = cost_of(levels, length, fact->size);
    struct node *node = malloc(cost);
    if (!node)
        return NULL;
    char *key = (char *)&node->next[levels], *value = key + length;
    memcpy(key, fact->key, length);
    if (fact->size)
        memcpy(value, fact->value, fact->size);
    *node = (struct node){
        .batch = memory->batch, .key = key, .value = value, .size = fact->size, .cost = cost, .levels = levels};
    return node;
}

static void add(struct memory *memory, struct shelf *shelf, struct node *node)
{
    assert(node->levels >= 1 && node->levels <= LEVELS);
    struct node **links[LEVELS];
    (void)trace(shelf, node->key, links);
    for (unsigned level = 0; level < node->levels; level++) {
        node->next[level] = *links[level];
        *links[level] = node;
    }
    node->older = shelf->newest;
    *(shelf->newest ? &shelf->newest->newer : &shelf->oldest) = node;
    shelf->newest = node;
    shelf->cost += node->cost;
    memory->stats.bytes += node->cost;
    memory->stats.facts++;
}

static void drop(struct memory *memory, struct shelf *shelf, struct node *node)
{
    assert(shelf->cost >= node->cost && memory->stats.bytes >= node->cost && memory->stats.facts);
    struct node **links[LEVELS];
    (void)trace(shelf, node->key, links);
    for (unsigned level = 0; level < node->levels; level++)
        *links[level] = node->next[level];
    *(node->newer ? &node->newer->older : &shelf->newest) = node->older;
    *(node->older ? &node->older->newer : &shelf->oldest) = node->newer;
    shelf->cost -= node->cost;
    memory->stats.bytes -= node->cost;
    memory->stats.facts--;
    free(node);
}

/* Whether the batch fits once all that may be given up is. A key that is twice in the batch counts twice. */
static bool fits(struct memory *memory, const struct store_fact *facts, struct node *const *nodes, size_t count)
{
    uint64_t need = memory->shelves[STORE_JOB].cost;
    for (size_t i = 0; i < count; i++) {
        struct node *old = facts[i].kind == STORE_JOB ? find(&memory->shelves[STORE_JOB], facts[i].key) : NULL;
        if (old && old->batch != memory->batch) {
            need -= old->cost;
            old->batch = memory->batch;
        }
        need += nodes[i] ? nodes[i]->cost : 0;
    }
    return need <= memory->capacity;
}

static void make_room(struct memory *memory)
{
    assert(memory->stats.bytes >= memory->shelves[STORE_JOB].cost);
    for (int kind = STORE_RESULT; kind < STORE_JOB; kind++) {
        struct shelf *shelf = &memory->shelves[kind];
        while (memory->stats.bytes > memory->capacity && shelf->oldest && shelf->oldest->batch != memory->batch) {
            drop(memory, shelf, shelf->oldest);
            memory->stats.evicted++;
        }
    }
}

/* All memory is had and the room is sure before anything is changed. */
static enum nq_status memory_put(void *self, const struct store_fact *facts, size_t count)
{
    struct memory *memory = self;
    enum nq_status status = NQ_NOMEM;
    struct node **nodes = calloc(count + !count, sizeof(struct node *));
    memory->batch++;
    for (size_t i = 0; nodes && i < count; i++) {
        assert((int)facts[i].kind < STORE_KINDS);
        if (facts[i].size > memory->capacity) {
            status = NQ_LIMIT;
            goto cleanup;
        }
        if (facts[i].value && !(nodes[i] = node_new(memory, &facts[i])))
            goto cleanup;
    }
    if (!nodes)
        goto cleanup;
    status = NQ_LIMIT;
    if (!fits(memory, facts, nodes, count))
        goto cleanup;
    for (size_t i = 0; i < count; i++) {
        struct shelf *shelf = &memory->shelves[facts[i].kind];
        struct node *old = find(shelf, facts[i].key);
        if (old)
            drop(memory, shelf, old);
        if (nodes[i])
            add(memory, shelf, nodes[i]);
        nodes[i] = NULL;
    }
    make_room(memory);
    status = NQ_OK;
cleanup:
    for (size_t i = 0; nodes && i < count; i++)
        free(nodes[i]);
    free(nodes);
    return status;
}

static enum nq_status memory_get(void *self, enum store_kind kind, const char *key, struct bytes *value)
{
    struct memory *memory = self;
    const struct node *node = find(&memory->shelves[kind], key);
    if (!node)
        return NQ_NONE;
    bytes_add(value, node->value, node->size);
    return value->failed ? NQ_NOMEM : NQ_OK;
}

static bool begins(const struct node *node, const char *prefix)
{
    return node && strncmp(node->key, prefix, strlen(prefix)) == 0;
}

static enum nq_status memory_each(void *self, enum store_kind kind, const char *prefix, store_visit *visit,
                                  void *context)
{
    struct memory *memory = self;
    struct node **links[LEVELS];
    const struct node *node = trace(&memory->shelves[kind], prefix, links);
    while (begins(node, prefix) && visit(context, node->key, node->value, node->size))
        node = node->next[0];
    return NQ_OK;
}

static enum nq_status memory_delete_prefix(void *self, enum store_kind kind, const char *prefix)
{
    struct memory *memory = self;
    struct shelf *shelf = &memory->shelves[kind];
    struct node **links[LEVELS], *node = trace(shelf, prefix, links);
    while (begins(node, prefix)) {
        struct node *next = node->next[0];
        drop(memory, shelf, node);
        node = next;
    }
    return NQ_OK;
}

static struct store_stats memory_stats(const void *self)
{
    const struct memory *memory = self;
    return memory->stats;
}

static void memory_close(void *self)
{
    struct memory *memory = self;
    for (int kind = 0; kind < STORE_KINDS; kind++)
        (void)memory_delete_prefix(memory, (enum store_kind)kind, "");
    free(memory);
}

const struct store_class store_memory = {
    .name = "memory",
    .fleeting = true,
    .open = memory_open,
    .put = memory_put,
    .get = memory_get,
    .each = memory_each,
    .delete_prefix = memory_delete_prefix,
    .stats = memory_stats,
    .close = memory_close,
};
