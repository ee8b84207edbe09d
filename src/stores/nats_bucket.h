/* nats_bucket.h - the buckets of a store in NATS, one for each kind of facts, and facts as their messages. */
#ifndef STORES_NATS_BUCKET_H
#define STORES_NATS_BUCKET_H

#include "stores/nats.h"

/* A line of NATS's protocol, with a subject and some more in it, is at most 4096 bytes long. No fact has a longer
 * subject. */
enum { NATS_SUBJECT_MAX = 3500 };

/* A bucket's subjects: before a key, and of all its keys. The stream where they lie. quarters: its share of the
 * capacity. Facts that can be computed again are given up where room is needed. */
extern const struct bucket_layout {
    const char *subject, *all, *stream;
    unsigned quarters;
    jsDiscardPolicy discard;
} bucket_layouts[STORE_KINDS];

struct bucket {
    bool made, changed;          /* changed: it was written since its numbers were read */
    uint64_t bytes, facts, last; /* last: the number of its last message, gone or not */
    int64_t replicas;            /* of its stream; 0: not known */
};

struct nats_store {
    struct nats *nats;
    uint64_t capacity;
    uint64_t asked; /* clock_now(), for the buckets' numbers */
    uint64_t damaged;
    struct bucket buckets[STORE_KINDS];
    char trouble[STORE_ERROR_MAX];
};

/* Keeps a sentence for the log, and returns NQ_BROKEN. */
__attribute__((format(printf, 2, 3))) enum nq_status bucket_broken(struct nats_store *store, const char *format, ...);

/* What a call about a kind came to. A bucket that is gone has no facts, and is made when it is needed again; so it may
 * be with one that failed. */
enum nq_status bucket_judge(struct nats_store *store, enum store_kind kind, natsStatus status, jsErrCode code);

/* NQ_BROKEN, at once, while there is no connection. */
enum nq_status bucket_connect(struct nats_store *store);

/* Begins a call about a kind: connects, and makes the bucket if it is missing. */
enum nq_status bucket_enter(struct nats_store *store, enum store_kind kind);

/* Reads the numbers of a bucket; NQ_BROKEN also if most of its servers are away. And reads those of all that were
 * written, at most once in 200 ms. */
enum nq_status bucket_ask(struct nats_store *store, enum store_kind kind);
void bucket_refresh(struct nats_store *store);

/* The subject of a key, for the caller to free; NULL when memory is out. */
char *bucket_subject(enum store_kind kind, const char *key);

/* What a message under a key is. Every store puts a checksum with a fact: a message without one was put there by hand
 * or by another program, and one that does not agree with its own is damaged, or of another key. Neither is a fact. */
enum fact_state { FACT_SOUND, FACT_DAMAGED, FACT_FOREIGN };
enum fact_state fact_judge(natsMsg *message, const char *key);

/* Whether a message is a fact; counts those that are damaged. */
bool bucket_is_sound(struct nats_store *store, natsMsg *message, const char *key);

/* Writes a fact. NQ_LIMIT: it does not fit into a message or into the bucket. */
enum nq_status bucket_publish(struct nats_store *store, const struct store_fact *fact, const char *subject,
                              jsPubOptions *options);

/* Removes what a subject, perhaps with a wildcard at its end, stands for. */
enum nq_status bucket_purge(struct nats_store *store, enum store_kind kind, const char *subject);

/* The last message of a subject, from the stream's leader, who has everything that was acknowledged; or NQ_NONE. */
enum nq_status bucket_last_message(struct nats_store *store, enum store_kind kind, const char *subject,
                                   natsMsg **message);

#endif
