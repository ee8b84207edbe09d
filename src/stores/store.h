/* store.h - a store: facts by kind and key, which outlive the search that found them, and usually the process. It does
 * not know what keys and values mean. */
#ifndef STORES_STORE_H
#define STORES_STORE_H

#include <string.h>

#include "base/bytes.h"
#include "base/process.h"
#include "base/status.h"

/* Every kind has keys of its own. When room is needed, facts are deleted in this order of kinds, the oldest first;
 * those of the last kind never are. */
enum store_kind { STORE_RESULT, STORE_UNIT, STORE_JOB };
enum { STORE_KINDS = STORE_JOB + 1 };

enum { STORE_ERROR_MAX = 512 };

struct store_fact {
    enum store_kind kind;
    const char *key;
    const void *value; /* NULL deletes the fact. An empty value is any other pointer, with size 0 */
    size_t size;
};

struct store_stats {
    uint64_t bytes; /* of the capacity, taken */
    uint64_t facts;
    uint64_t evicted; /* facts deleted to make room, since it was opened; 0 where a broker does that */
    uint64_t damaged; /* facts read since then that differ from what was put */
};

/* How to connect to NATS. */
struct nats_options {
    const char *credentials; /* a file with a user's JWT and seed; "": none */
    const char *ca;          /* a file of certificates, one of which must have signed the servers'; "": the system's */
    unsigned replicas;       /* of all that is kept there: 1, 3 or 5 */
    unsigned wait_ms;        /* for an answer; 0: NATS_WAIT_MS */
};

struct store_options {
    uint64_t capacity; /* bytes */
    const char *build; /* whose facts it is to have, see stores.c; NULL: this one's */
    struct nats_options nats;
};

/* Sees one fact, which is valid only during the call, and returns whether to go on. Called on the thread of
 * store_each(), under the lock of the store: it must be quick and must not call the store. */
typedef bool store_visit(void *context, const char *key, const void *value, size_t size);

/* Whether what is there (NULL: nothing) is a former value (NULL: none). */
static inline bool store_is_former(const struct bytes *value, const void *former, size_t size)
{
    if (!value || !former)
        return !value && !former;
    return value->size == size && !value->failed && (size == 0 || memcmp(value->data, former, size) == 0);
}

/* The functions are those below; no two of one store are called at once. self is the leaf's own. swap is NULL if
 * no other process can share such a store: then it is made of get and put. check NULL: the store is in this process,
 * and always works. */
struct store_class {
    const char *name;
    bool fleeting;     /* it ends with the process */
    const char *where; /* what follows "name:", in a word; NULL: nothing does */
    const char *also;  /* a second scheme; open() gets it with what follows; NULL: none */
    enum nq_status (*open)(const char *where, const struct store_options *options, void **self,
                           char error[static STORE_ERROR_MAX]);
    enum nq_status (*put)(void *self, const struct store_fact *facts, size_t count);
    enum nq_status (*swap)(void *self, const struct store_fact *fact, const void *former, size_t size);
    enum nq_status (*get)(void *self, enum store_kind kind, const char *key, struct bytes *value);
    enum nq_status (*each)(void *self, enum store_kind kind, const char *prefix, store_visit *visit, void *context);
    enum nq_status (*delete_prefix)(void *self, enum store_kind kind, const char *prefix);
    enum nq_status (*check)(void *self, bool all);
    struct store_stats (*stats)(const void *self);
    const char *(*trouble)(const void *self); /* NULL: it has none, ever */
    /* Both NULL: there is nothing to look at. Whether open() would accept these, without opening anything; and see
     * store_reload(): while other threads call the rest. */
    enum nq_status (*check_settings)(const char *where, const struct store_options *options,
                                     char error[static STORE_ERROR_MAX]);
    enum nq_status (*reload)(void *self, char error[static STORE_ERROR_MAX]);
    void (*close)(void *self);
};

/* The first is the default; ends with NULL. */
extern const struct store_class *const stores[];

/* An open store. Any thread may call any function; calls run one after the other, and each takes as long as the disk or
 * the network. Each may return NQ_NOMEM, or NQ_BROKEN: the store cannot be read or written now. Then nothing is
 * changed, except in shared stores as described below, and a later call may succeed. */
struct store;

/* Opens "memory", "sqlite:PATH", for which it makes the file and its folders, or a store shared with other processes,
 * "nats://HOST:PORT[,URL...]" or "tls://HOST:PORT[,URL...]", perhaps with "nats:" before it. options->capacity limits
 * it; a file has a log beside it, of 2 MB or as large as the largest batch. NQ_OK: with NATS even if there is no server
 * yet. Otherwise `error` holds a sentence without a full stop and without passwords, and the status is NQ_INVALID (no
 * such store, or a file of another program, which is not changed), NQ_BUSY (another process has it), NQ_BROKEN or
 * NQ_NOMEM. */
enum nq_status store_open(const char *spec, const struct store_options *options, struct store **store,
                          char error[static STORE_ERROR_MAX]);

/* Whether store_open() would accept these settings, as far as that can be known without opening, locking or making
 * anything: NQ_OK, or NQ_INVALID or NQ_NOMEM with a sentence as above. */
enum nq_status store_check_settings(const char *spec, const struct store_options *options,
                                    char error[static STORE_ERROR_MAX]);

/* The same of a class; where: what its open() takes. */
enum nq_status store_open_class(const struct store_class *class, const char *where, const struct store_options *options,
                                struct store **store, char error[static STORE_ERROR_MAX]);

/* Writes a whole batch or nothing: later facts replace earlier ones, in the store and within the batch. Written facts
 * become the youngest of their kind, replaced ones too, and survive a kill of the process. Older facts are deleted for
 * room; NQ_LIMIT: there is not enough, and nothing is changed.
 * A shared store is written fact by fact, in order: after a failure the first ones are stored, perhaps with the one
 * that failed. To put the whole batch again has the same result. */
enum nq_status store_put(struct store *store, const struct store_fact *facts, size_t count);

/* Writes one fact, whose value must not be NULL, in place of exactly that former one (NULL: of none). NQ_AGAIN: another
 * value is there, which stays: of all threads and processes that replace the same, one at most gets NQ_OK. With
 * NQ_BROKEN it may have been written nevertheless. Otherwise as store_put. */
enum nq_status store_swap(struct store *store, const struct store_fact *fact, const void *former, size_t size);

/* Appends the value of a fact. NQ_OK or NQ_NONE. Here and below, a fact that differs from what was put counts as
 * missing: a damaged disk may lose facts, but not change them. */
enum nq_status store_get(struct store *store, enum store_kind kind, const char *key, struct bytes *value);

/* Calls visit with every fact whose key begins so, in the order of strcmp, until it returns false. In a shared store
 * they come in any order, and one that is written meanwhile may come twice, the later value last; a prefix is empty
 * there or ends with the '#' after a text, and is itself no key. After a failure some may have been visited. */
enum nq_status store_each(struct store *store, enum store_kind kind, const char *prefix, store_visit *visit,
                          void *context);

/* Deletes every fact whose key begins so, or none; in a shared store, when it fails, perhaps some. */
enum nq_status store_delete_prefix(struct store *store, enum store_kind kind, const char *prefix);

/* Whether there are results or units of other builds, which no call above sees; and one of these builds, "" for a
 * release. A build that is no release may look at all facts of its own for this: not for a remote store. */
bool store_has_foreign(struct store *store, char build[static BUILD_ID_MAX + 1]);

/* Whether the facts outlive the process. */
bool store_lasts(const struct store *store);

/* Whether the store is remote, and so can fail and recover while it is not used; and whether it can be read and written
 * now: NQ_OK, or what any other call would return. all: with jobs, and what is missing is made, as a server needs it;
 * otherwise results and units, as far as there are any: a worker has no right to more. */
bool store_is_remote(const struct store *store);
enum nq_status store_check(struct store *store, bool all);

/* Reads again the files that the settings name: credentials and certificates of a broker. NQ_OK: they are used from the
 * next call on. NQ_INVALID or NQ_NOMEM, with a sentence: nothing changes. */
enum nq_status store_reload(struct store *store, char error[static STORE_ERROR_MAX]);

/* Reads memory only: bytes and facts of a shared store are those of its last check. */
struct store_stats store_stats(struct store *store);

/* The reason of the last NQ_BROKEN, a sentence for the log; "" if there was none. */
void store_trouble(struct store *store, char text[static STORE_ERROR_MAX]);

void store_close(struct store *store); /* NULL: nothing */

/* The URLs of the broker in the spec of a store, for nats_open(); NULL: it has none. */
const char *store_broker(const char *spec);

/* Appends the default path of the file by the XDG base directory specification: nqueensd/nqueensd.db below
 * $XDG_STATE_HOME or $HOME/.local/state. False if neither is an absolute path. */
bool store_default_path(struct bytes *path);

#endif
