/* store.h - the shape of a store: facts that outlive whoever found them out, by kind and key. It knows neither what a
 * key nor what a value means. */
#ifndef STORES_STORE_H
#define STORES_STORE_H

#include <nqueens.h>

#include "base/bytes.h"

/* Every kind is a name space of its own. Where room is needed, facts are given up in this order of kinds, the oldest
 * first; those of the last kind never are. */
enum store_kind { STORE_RESULT, STORE_UNIT, STORE_JOB };
enum { STORE_KINDS = STORE_JOB + 1 };

enum { STORE_ERROR_MAX = 512 };

struct store_fact {
    enum store_kind kind;
    const char *key;
    const void *value; /* NULL: there shall be no such fact. An empty value is any other pointer, with size 0 */
    size_t size;
};

struct store_figures {
    uint64_t bytes; /* of the capacity, taken */
    uint64_t facts;
    uint64_t evicted; /* facts given up to make room, since it was opened; 0 where that is done elsewhere */
    uint64_t damaged; /* times that one was read, since then, that is not what was put */
};

/* How to reach NATS, for the stores that do. */
struct nats_options {
    const char *credentials; /* a file with a user's JWT and seed; "": none */
    const char *ca;          /* a file of certificates, one of which must have signed the servers'; "": the system's */
    unsigned replicas;       /* of all that is kept there: 1, 3 or 5 */
};

struct store_options {
    uint64_t capacity; /* bytes */
    struct nats_options nats;
};

/* Sees one fact, which is there only during the call, and returns whether to go on. It must not call the store. */
typedef bool store_visit(void *context, const char *key, const void *value, size_t size);

/* Says what a fact shall be in place of what it is; value NULL: there is none. NQ_OK: what was appended to *next, which
 * was empty; NQ_NONE: it stays as it is; anything else: likewise, and that is what it comes to. It is asked once more
 * if somebody else has changed the fact in between. It must not call the store. */
typedef enum nq_status store_change(void *context, const char *key, const void *value, size_t size, struct bytes *next);

/* The functions are those below; no two of one store are called at once. self is the leaf's own. amend NULL: nobody
 * else has such a store, so that to look and then to put does it. check NULL: it is here, and is always said to be
 * well. */
struct store_class {
    const char *name;
    const char *summary;
    const char *where; /* what follows "name:", in a word; NULL: nothing does */
    enum nq_status (*open)(const char *where, const struct store_options *options, void **self,
                           char error[static STORE_ERROR_MAX]);
    enum nq_status (*put)(void *self, const struct store_fact *facts, size_t count);
    enum nq_status (*amend)(void *self, enum store_kind kind, const char *key, store_change *change, void *context);
    /* Without looking; NQ_AGAIN: there is something, perhaps no fact. NULL: it is quicker to look. */
    enum nq_status (*add)(void *self, const struct store_fact *fact);
    enum nq_status (*get)(void *self, enum store_kind kind, const char *key, struct bytes *value);
    enum nq_status (*each)(void *self, enum store_kind kind, const char *prefix, store_visit *visit, void *context);
    enum nq_status (*delete_prefix)(void *self, enum store_kind kind, const char *prefix);
    enum nq_status (*check)(void *self);
    struct store_figures (*figures)(const void *self);
    const char *(*trouble)(const void *self); /* NULL: it has none, ever */
    void (*close)(void *self);
};

/* The first is the default; ends with NULL. */
extern const struct store_class *const stores[];

/* An open store. Any thread may call any function; they take turns. Where the disk is slow, so are they.
 * Each of them may come to NQ_NOMEM, or to NQ_BROKEN: the store cannot be read or written now. Then everything is as it
 * was, but for what is said of shared ones, and a later call may succeed. */
struct store;

/* Opens "memory", "sqlite:PATH", making the file and its directories where they are missing, or "nats:URL[,URL...]",
 * which other processes share, for as many bytes as the capacity; a file has a log beside it, of 2 MB or as large as
 * the largest batch. NQ_OK, with NATS though nobody may be there yet; otherwise `error` holds a sentence without a full
 * stop and without any password, and the status is NQ_INVALID (no such store, or a file that is none of ours: it is
 * left alone), NQ_BUSY (another process has it), NQ_BROKEN or NQ_NOMEM. */
enum nq_status store_open(const char *spec, const struct store_options *options, struct store **store,
                          char error[static STORE_ERROR_MAX]);

/* Writes all of a batch or nothing: later facts replace earlier ones, in the store and within the batch. Written facts
 * are the youngest of their kind, replaced ones too. What is there afterwards survives a kill of the process. Older
 * facts are given up for room; NQ_LIMIT: that was not enough, and nothing is changed.
 * A shared store knows no batches: it is written fact by fact, in order, and when that fails the first ones are there
 * already, perhaps with the one that failed. To put the whole batch again comes to the same. */
enum nq_status store_put(struct store *store, const struct store_fact *facts, size_t count);

/* Changes one fact, of which nobody who shares the store loses a change so: what is written takes the place of just
 * that which `change` was shown. With NQ_BROKEN it may have been written nevertheless. Otherwise as store_put. */
enum nq_status store_amend(struct store *store, enum store_kind kind, const char *key, store_change *change,
                           void *context);

/* Writes one fact, whose value must not be NULL, unless there is one of that kind and key: NQ_OK, or NQ_DENIED: there
 * is one, which stays. Of all who share the store and add the same, exactly one is told NQ_OK; or none, when NQ_BROKEN
 * kept the word from that one. */
enum nq_status store_add(struct store *store, const struct store_fact *fact);

/* Appends the value of a fact. NQ_OK or NQ_NONE. A fact that is not any more what was put is taken for none, below
 * too: a damaged disk may forget, and must not lie. */
enum nq_status store_get(struct store *store, enum store_kind kind, const char *key, struct bytes *value);

/* Shows every fact whose key begins so, in the order of strcmp, until visit returns false. Everybody else waits. */
enum nq_status store_each(struct store *store, enum store_kind kind, const char *prefix, store_visit *visit,
                          void *context);

/* Deletes every fact whose key begins so, or none; in a shared store, when it fails, perhaps some. */
enum nq_status store_delete_prefix(struct store *store, enum store_kind kind, const char *prefix);

/* Whether the store is elsewhere, so that it can be gone and come back while nobody uses it; and then whether it is
 * there now, and ready: NQ_OK or what any other call would come to. */
bool store_is_remote(const struct store *store);
enum nq_status store_check(struct store *store);

/* Reads memory only: for a shared store, as it was a moment ago. */
struct store_figures store_figures(struct store *store);

/* What the last NQ_BROKEN was about, a sentence for the log; "" when there was none. */
void store_trouble(struct store *store, char text[static STORE_ERROR_MAX]);

void store_close(struct store *store);

/* Where the broker is, by the spec of a store: what follows "nats:"; NULL: it has none. */
const char *store_broker(const char *spec);

/* Appends where the file is by default, as the XDG base directory specification has it: nqueensd/nqueensd.db below
 * $XDG_STATE_HOME or $HOME/.local/state. False when neither is an absolute path. */
bool store_default_path(struct bytes *path);

#endif
