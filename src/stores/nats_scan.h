/* nats_scan.h - finds every fact of a store in NATS whose key begins with a prefix. */
#ifndef STORES_NATS_SCAN_H
#define STORES_NATS_SCAN_H

#include "stores/nats_bucket.h"

/* Which subjects the keys with a prefix have. `all` stands for them and perhaps for others. Where the prefix ends with
 * the border of a token it is for no others, and it is not for the prefix itself as a key, which would end with an
 * empty token: that has a subject of its `own`, NULL in any other case. */
struct subjects {
    char *all, *own;
};

/* False: memory is out. */
bool subjects_open(enum store_kind kind, const char *prefix, struct subjects *subjects);
void subjects_close(struct subjects *subjects);

struct found {
    char *key;
    natsMsg *message;
    uint64_t sequence;
};

struct finding {
    const char *prefix;
    size_t skip;   /* of a subject, before that of a key */
    uint64_t seen; /* messages of the consumer, facts or not */
    struct found *list;
    size_t count, room;
};

/* Finds the facts of these subjects whose keys begin with finding->prefix, each once, in the order of strcmp.
 * keys_only: without their values. */
enum nq_status nats_find(struct nats_store *store, enum store_kind kind, const struct subjects *subjects,
                         bool keys_only, struct finding *finding);
void finding_close(struct finding *finding);

#endif
