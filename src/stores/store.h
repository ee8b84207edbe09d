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
    uint64_t evicted; /* facts given up to make room, since it was opened */
};

/* Sees one fact, which is there only during the call, and returns whether to go on. It must not call the store. */
typedef bool store_visit(void *context, const char *key, const void *value, size_t size);

/* The functions are those below; no two of one store are called at once. self is the leaf's own. */
struct store_class {
    const char *name;
    const char *summary;
    const char *where; /* what follows "name:", in a word; NULL: nothing does */
    enum nq_status (*open)(const char *where, uint64_t capacity, void **self, char error[static STORE_ERROR_MAX]);
    enum nq_status (*put)(void *self, const struct store_fact *facts, size_t count);
    enum nq_status (*get)(void *self, enum store_kind kind, const char *key, struct bytes *value);
    enum nq_status (*each)(void *self, enum store_kind kind, const char *prefix, store_visit *visit, void *context);
    enum nq_status (*delete_prefix)(void *self, enum store_kind kind, const char *prefix);
    struct store_figures (*figures)(const void *self);
    const char *(*trouble)(const void *self); /* NULL: it has none, ever */
    void (*close)(void *self);
};

/* The first is the default; ends with NULL. */
extern const struct store_class *const stores[];

/* An open store. Any thread may call any function; they take turns. Where the disk is slow, so are they.
 * Each of them may come to NQ_NOMEM, or to NQ_BROKEN: the store cannot be read or written now. Then everything is as it
 * was, and a later call may succeed. */
struct store;

/* Opens "memory" or "sqlite:PATH", making the file and its directories where they are missing, for as many bytes as
 * `capacity`; a file has a log beside it, of 2 MB or as large as the largest batch. NQ_OK; otherwise `error` holds a
 * sentence without a full stop, and the status is NQ_INVALID (no such store, or a file that is none of ours: it is left
 * alone), NQ_BUSY (another process has it), NQ_BROKEN or NQ_NOMEM. */
enum nq_status store_open(const char *spec, uint64_t capacity, struct store **store,
                          char error[static STORE_ERROR_MAX]);

/* Writes all of a batch or nothing: later facts replace earlier ones, in the store and within the batch. Written facts
 * are the youngest of their kind, replaced ones too. What is there afterwards survives a kill of the process. Older
 * facts are given up for room; NQ_LIMIT: that was not enough, and nothing is changed. */
enum nq_status store_put(struct store *store, const struct store_fact *facts, size_t count);

/* Appends the value of a fact. NQ_OK or NQ_NONE. A fact that is not any more what was put is taken for none, below
 * too: a damaged disk may forget, and must not lie. */
enum nq_status store_get(struct store *store, enum store_kind kind, const char *key, struct bytes *value);

/* Shows every fact whose key begins so, in the order of strcmp, until visit returns false. Everybody else waits. */
enum nq_status store_each(struct store *store, enum store_kind kind, const char *prefix, store_visit *visit,
                          void *context);

/* Deletes every fact whose key begins so, or none. */
enum nq_status store_delete_prefix(struct store *store, enum store_kind kind, const char *prefix);

/* Reads memory only. */
struct store_figures store_figures(struct store *store);

/* What the last NQ_BROKEN was about, a sentence for the log; "" when there was none. */
void store_trouble(struct store *store, char text[static STORE_ERROR_MAX]);

void store_close(struct store *store);

/* Appends where the file is by default, as the XDG base directory specification has it: nqueensd/nqueensd.db below
 * $XDG_STATE_HOME or $HOME/.local/state. False when neither is an absolute path. */
bool store_default_path(struct bytes *path);

#endif
