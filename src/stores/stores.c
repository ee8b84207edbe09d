/* stores.c - the table of stores, and the one lock around each: leaves know no threads, and this file knows no leaf. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stores/store.h"

extern const struct store_class store_memory, store_sqlite, store_nats;

const struct store_class *const stores[] = {&store_memory, &store_sqlite, &store_nats, NULL};

struct store {
    const struct store_class *class;
    pthread_mutex_t lock; /* around every use of self */
    void *self;
};

static const struct store_class *find(const char *name, size_t size)
{
    for (const struct store_class *const *at = stores; *at; at++)
        if (strlen((*at)->name) == size && strncmp((*at)->name, name, size) == 0)
            return *at;
    return NULL;
}

/* "memory or sqlite:PATH or nats:URL[,URL...]" */
static void list(char text[static STORE_ERROR_MAX])
{
    size_t size = 0;
    for (const struct store_class *const *at = stores; *at && size < STORE_ERROR_MAX; at++)
        size += (size_t)snprintf(text + size, STORE_ERROR_MAX - size, "%s%s%s%s", at == stores ? "" : " or ",
                                 (*at)->name, (*at)->where ? ":" : "", (*at)->where ? (*at)->where : "");
}

/* The class that a spec names, and what follows the colon; NULL when it names none or does not fit it. */
static const struct store_class *parse(const char *spec, const char **where)
{
    const size_t size = strcspn(spec, ":");
    const struct store_class *class = find(spec, size);
    *where = spec[size] ? spec + size + 1 : NULL;
    return class && !!class->where == (*where && **where) && (class->where || !*where) ? class : NULL;
}

/* A spec that may hold a password is told as far as its colon. */
static int shown(const char *spec)
{
    return (int)strcspn(spec, strchr(spec, '@') ? ":" : "");
}

enum nq_status store_open(const char *spec, const struct store_options *options, struct store **out,
                          char error[static STORE_ERROR_MAX])
{
    const char *where;
    const struct store_class *class = parse(spec, &where);
    if (!class) {
        char known[STORE_ERROR_MAX];
        const int size = shown(spec);
        list(known);
        (void)snprintf(error, STORE_ERROR_MAX, "'%.*s' is not a store; it takes %.200s", size < 200 ? size : 200, spec,
                       known);
        return NQ_INVALID;
    }
    struct store *store = malloc(sizeof *store);
    if (!store) {
        (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
        return NQ_NOMEM;
    }
    store->class = class;
    enum nq_status status = class->open(where, options, &store->self, error);
    if (status != NQ_OK) {
        free(store);
        return status;
    }
    pthread_mutex_init(&store->lock, NULL);
    *out = store;
    return NQ_OK;
}

static void *enter(struct store *store)
{
    pthread_mutex_lock(&store->lock);
    return store->self;
}

static enum nq_status leave(struct store *store, enum nq_status status)
{
    pthread_mutex_unlock(&store->lock);
    return status;
}

enum nq_status store_put(struct store *store, const struct store_fact *facts, size_t count)
{
    return leave(store, store->class->put(enter(store), facts, count));
}

/* An empty value is a value. */
static const char *some(const struct bytes *value)
{
    return value->data ? value->data : "";
}

static enum nq_status look_and_put(struct store *store, enum store_kind kind, const char *key, store_change *change,
                                   void *context)
{
    struct bytes value = {0}, next = {0};
    enum nq_status status = store->class->get(store->self, kind, key, &value);
    if (status == NQ_OK || status == NQ_NONE)
        status = change(context, key, status == NQ_OK ? some(&value) : NULL, value.size, &next);
    const struct store_fact fact = {.kind = kind, .key = key, .value = some(&next), .size = next.size};
    if (status == NQ_OK)
        status = next.failed ? NQ_NOMEM : store->class->put(store->self, &fact, 1);
    bytes_free(&value);
    bytes_free(&next);
    return status;
}

/* After enter(). */
static enum nq_status amend(struct store *store, enum store_kind kind, const char *key, store_change *change,
                            void *context)
{
    const enum nq_status status = store->class->amend ? store->class->amend(store->self, kind, key, change, context)
                                                      : look_and_put(store, kind, key, change, context);
    return status == NQ_NONE ? NQ_OK : status;
}

enum nq_status store_amend(struct store *store, enum store_kind kind, const char *key, store_change *change,
                           void *context)
{
    (void)enter(store);
    return leave(store, amend(store, kind, key, change, context));
}

static enum nq_status write_if_none(void *context, const char *key, const void *value, size_t size, struct bytes *next)
{
    const struct store_fact *fact = context;
    (void)key, (void)size;
    if (value)
        return NQ_DENIED;
    bytes_add(next, fact->value, fact->size);
    return NQ_OK;
}

enum nq_status store_add(struct store *store, const struct store_fact *fact)
{
    struct store_fact added = *fact;
    void *self = enter(store);
    const enum nq_status status = store->class->add ? store->class->add(self, fact) : NQ_AGAIN;
    return leave(store, status == NQ_AGAIN ? amend(store, fact->kind, fact->key, write_if_none, &added) : status);
}

enum nq_status store_get(struct store *store, enum store_kind kind, const char *key, struct bytes *value)
{
    return leave(store, store->class->get(enter(store), kind, key, value));
}

enum nq_status store_each(struct store *store, enum store_kind kind, const char *prefix, store_visit *visit,
                          void *context)
{
    return leave(store, store->class->each(enter(store), kind, prefix, visit, context));
}

enum nq_status store_delete_prefix(struct store *store, enum store_kind kind, const char *prefix)
{
    return leave(store, store->class->delete_prefix(enter(store), kind, prefix));
}

bool store_is_remote(const struct store *store)
{
    return store->class->check;
}

enum nq_status store_check(struct store *store)
{
    return store->class->check ? leave(store, store->class->check(enter(store))) : NQ_OK;
}

struct store_figures store_figures(struct store *store)
{
    struct store_figures figures = store->class->figures(enter(store));
    (void)leave(store, NQ_OK);
    return figures;
}

void store_trouble(struct store *store, char text[static STORE_ERROR_MAX])
{
    const void *self = enter(store);
    (void)snprintf(text, STORE_ERROR_MAX, "%s", store->class->trouble ? store->class->trouble(self) : "");
    (void)leave(store, NQ_OK);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    store->class->close(store->self);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

const char *store_broker(const char *spec)
{
    const char *where;
    return parse(spec, &where) == &store_nats ? where : NULL;
}

bool store_default_path(struct bytes *path)
{
    /* A relative path would be another one after every cd: the specification wants it ignored. */
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && state[0] == '/') {
        bytes_format(path, "%s/nqueensd/nqueensd.db", state);
        return true;
    }
    if (home && home[0] == '/') {
        bytes_format(path, "%s/.local/state/nqueensd/nqueensd.db", home);
        return true;
    }
    return false;
}
