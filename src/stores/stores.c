/* stores.c - the table of stores, and the one lock around each: leaves know no threads, and this file knows no leaf.
 * Releases share their facts; every other build has facts of its own, whose keys begin with its name: its rules may be
 * others. Jobs, which are questions, are everybody's. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/process.h"
#include "stores/store.h"

/* ---- The stores ---- */

extern const struct store_class store_memory, store_sqlite, store_nats;

const struct store_class *const stores[] = {&store_memory, &store_sqlite, &store_nats, NULL};

/* Keys of builds that are no release begin with it, and come after those of releases. */
enum { SCOPE_MARK = '~' };

struct store {
    const struct store_class *class;
    char scope[BUILD_ID_MAX + 3]; /* mark, name of the build and a blank; "": of releases */
    struct lock lock; /* guards what follows; held by every call of the class, while the disk or the network works */
    void *self;
};

/* ---- Whose facts are seen ---- */

static void scope_open(struct store *store, const char *build)
{
    if (!build_is_release(build))
        (void)snprintf(store->scope, sizeof store->scope, "%c%.*s ", SCOPE_MARK, BUILD_ID_MAX, build);
}

/* With what the keys of a kind begin. */
static const char *scope_of(const struct store *store, enum store_kind kind)
{
    return kind == STORE_JOB ? "" : store->scope;
}

/* The key under which a fact lies in the store, for the caller to free; NULL: out of memory. */
static char *scope_key(const struct store *store, enum store_kind kind, const char *key)
{
    char *scoped = NULL;
    return asprintf(&scoped, "%s%s", scope_of(store, kind), key) < 0 ? NULL : scoped;
}

/* The facts with such keys, for the caller to free; NULL: out of memory. One block: the facts, then their keys. */
static struct store_fact *scope_facts(const struct store *store, const struct store_fact *facts, size_t count)
{
    size_t size = count * sizeof *facts;
    for (size_t i = 0; i < count; i++)
        size += sizeof store->scope + strlen(facts[i].key);
    struct store_fact *scoped = malloc(size ? size : 1);
    char *text = (char *)(scoped + count);
    for (size_t i = 0; scoped && i < count; i++) {
        scoped[i] = facts[i];
        scoped[i].key = text;
        text = stpcpy(stpcpy(text, scope_of(store, facts[i].kind)), facts[i].key) + 1;
    }
    return scoped;
}

/* The key of a fact without the prefix; NULL: it is another build's. */
static const char *scope_own(const struct store *store, enum store_kind kind, const char *key)
{
    const char *scope = scope_of(store, kind);
    const bool own = *scope ? strncmp(key, scope, strlen(scope)) == 0 : kind == STORE_JOB || *key != SCOPE_MARK;
    return own ? key + strlen(scope) : NULL;
}

/* The build that has put the fact with a key: "" for a release. */
static void scope_builder(const char *key, char build[static BUILD_ID_MAX + 1])
{
    const size_t size = *key == SCOPE_MARK ? strcspn(key + 1, " ") : 0;
    (void)snprintf(build, BUILD_ID_MAX + 1, "%.*s", (int)(size < BUILD_ID_MAX ? size : BUILD_ID_MAX), key + 1);
}

/* ---- How stores are named ---- */

static bool is_word(const char *word, const char *text, size_t size)
{
    return word && strlen(word) == size && strncmp(word, text, size) == 0;
}

static const struct store_class *find(const char *name, size_t size)
{
    for (const struct store_class *const *at = stores; *at; at++)
        if (is_word((*at)->name, name, size) || is_word((*at)->also, name, size))
            return *at;
    return NULL;
}

/* Appends one of the "memory or sqlite:PATH or nats://..."; the new size. */
static size_t list_one(char text[static STORE_ERROR_MAX], size_t size, const char *name, const char *where)
{
    if (!name || size >= STORE_ERROR_MAX)
        return size;
    return size + (size_t)snprintf(text + size, STORE_ERROR_MAX - size, "%s%s%s%s", size ? " or " : "", name,
                                   where ? ":" : "", where ? where : "");
}

static void list(char text[static STORE_ERROR_MAX])
{
    size_t size = 0;
    for (const struct store_class *const *at = stores; *at; at++) {
        size = list_one(text, size, (*at)->name, (*at)->where);
        size = list_one(text, size, (*at)->also, (*at)->where);
    }
}

/* The class that a spec names, and the argument of its open(); NULL if there is none or its form is wrong. */
static const struct store_class *parse(const char *spec, const char **where)
{
    const size_t size = strcspn(spec, ":");
    const struct store_class *class = find(spec, size);
    const char *rest = spec[size] ? spec + size + 1 : NULL;
    if (!class || !!class->where != (rest && *rest) || (!class->where && rest))
        return NULL;
    *where = is_word(class->also, spec, size) ? spec : rest;
    return class;
}

/* A spec that may hold a password is shown up to its colon. */
static int shown(const char *spec)
{
    return (int)strcspn(spec, strchr(spec, '@') ? ":" : "");
}

/* What a spec must be: a sentence for the log. */
static enum nq_status refuse_spec(const char *spec, char error[static STORE_ERROR_MAX])
{
    char known[STORE_ERROR_MAX];
    const int size = shown(spec);
    list(known);
    (void)snprintf(error, STORE_ERROR_MAX, "'%.*s' is not a store; use %.200s", size < 200 ? size : 200, spec, known);
    return NQ_INVALID;
}

enum nq_status store_check_settings(const char *spec, const struct store_options *options,
                                    char error[static STORE_ERROR_MAX])
{
    const char *where;
    const struct store_class *class = parse(spec, &where);
    if (!class)
        return refuse_spec(spec, error);
    return class->check_settings ? class->check_settings(where, options, error) : NQ_OK;
}

enum nq_status store_open(const char *spec, const struct store_options *options, struct store **out,
                          char error[static STORE_ERROR_MAX])
{
    const char *where;
    const struct store_class *class = parse(spec, &where);
    if (!class)
        return refuse_spec(spec, error);
    return store_open_class(class, where, options, out, error);
}

enum nq_status store_open_class(const struct store_class *class, const char *where, const struct store_options *options,
                                struct store **out, char error[static STORE_ERROR_MAX])
{
    struct store *store = calloc(1, sizeof *store);
    if (!store) {
        (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
        return NQ_NOMEM;
    }
    store->class = class;
    scope_open(store, options->build ? options->build : build_id);
    enum nq_status status = class->open(where, options, &store->self, error);
    if (status != NQ_OK) {
        free(store);
        return status;
    }
    lock_init(&store->lock, LOCK_STORE);
    *out = store;
    return NQ_OK;
}

enum nq_status store_reload(struct store *store, char error[static STORE_ERROR_MAX])
{
    return store->class->reload ? store->class->reload(store->self, error) : NQ_OK;
}

static void *enter(struct store *store)
{
    lock_take(&store->lock);
    return store->self;
}

static enum nq_status leave(struct store *store, enum nq_status status)
{
    lock_release(&store->lock);
    return status;
}

enum nq_status store_put(struct store *store, const struct store_fact *facts, size_t count)
{
    assert(count == 0 || facts);
    struct store_fact *scoped = scope_facts(store, facts, count);
    if (!scoped)
        return NQ_NOMEM;
    const enum nq_status status = leave(store, store->class->put(enter(store), scoped, count));
    free(scoped);
    return status;
}

/* Under the lock: nobody else writes. */
static enum nq_status compare_and_put(const struct store_class *class, void *self, const struct store_fact *fact,
                                      const void *former, size_t size)
{
    struct bytes value = {0};
    enum nq_status status = class->get(self, fact->kind, fact->key, &value);
    if (status == NQ_OK || status == NQ_NONE)
        status = store_is_former(status == NQ_OK ? &value : NULL, former, size) ? NQ_OK : NQ_AGAIN;
    bytes_free(&value);
    return status == NQ_OK ? class->put(self, fact, 1) : status;
}

enum nq_status store_swap(struct store *store, const struct store_fact *fact, const void *former, size_t size)
{
    const struct store_class *class = store->class;
    struct store_fact *scoped = scope_facts(store, fact, 1);
    if (!scoped)
        return NQ_NOMEM;
    void *self = enter(store);
    const enum nq_status status = leave(store, class->swap ? class->swap(self, scoped, former, size)
                                                           : compare_and_put(class, self, scoped, former, size));
    free(scoped);
    return status;
}

enum nq_status store_get(struct store *store, enum store_kind kind, const char *key, struct bytes *value)
{
    char *scoped = scope_key(store, kind, key);
    if (!scoped)
        return NQ_NOMEM;
    const enum nq_status status = leave(store, store->class->get(enter(store), kind, scoped, value));
    free(scoped);
    return status;
}

struct own_visit {
    const struct store *store;
    enum store_kind kind;
    store_visit *visit;
    void *context;
};

static bool visit_own(void *context, const char *key, const void *value, size_t size)
{
    const struct own_visit *own = context;
    const char *plain = scope_own(own->store, own->kind, key);
    return !plain || own->visit(own->context, plain, value, size);
}

enum nq_status store_each(struct store *store, enum store_kind kind, const char *prefix, store_visit *visit,
                          void *context)
{
    struct own_visit own = {.store = store, .kind = kind, .visit = visit, .context = context};
    char *scoped = scope_key(store, kind, prefix);
    if (!scoped)
        return NQ_NOMEM;
    const enum nq_status status = leave(store, store->class->each(enter(store), kind, scoped, visit_own, &own));
    free(scoped);
    return status;
}

enum nq_status store_delete_prefix(struct store *store, enum store_kind kind, const char *prefix)
{
    char *scoped = scope_key(store, kind, prefix);
    if (!scoped)
        return NQ_NOMEM;
    const enum nq_status status = leave(store, store->class->delete_prefix(enter(store), kind, scoped));
    free(scoped);
    return status;
}

/* ---- Of other builds ---- */

struct foreign_visit {
    const struct store *store;
    bool found;
    char *build;
};

static bool visit_foreign(void *context, const char *key, const void *value, size_t size)
{
    struct foreign_visit *foreign = context;
    (void)value, (void)size;
    foreign->found = !scope_own(foreign->store, STORE_RESULT, key);
    if (foreign->found)
        scope_builder(key, foreign->build);
    return !foreign->found;
}

/* Facts of a release come first: of them none need be looked at. */
bool store_has_foreign(struct store *store, char build[static BUILD_ID_MAX + 1])
{
    struct foreign_visit foreign = {.store = store, .build = build};
    const char *prefix = *store->scope ? "" : (const char[]){SCOPE_MARK, '\0'};
    for (int kind = STORE_RESULT; kind < STORE_JOB && !foreign.found; kind++)
        (void)leave(store, store->class->each(enter(store), (enum store_kind)kind, prefix, visit_foreign, &foreign));
    return foreign.found;
}

bool store_lasts(const struct store *store)
{
    return !store->class->fleeting;
}

bool store_is_remote(const struct store *store)
{
    return store->class->check;
}

enum nq_status store_check(struct store *store, bool all)
{
    return store->class->check ? leave(store, store->class->check(enter(store), all)) : NQ_OK;
}

struct store_stats store_stats(struct store *store)
{
    struct store_stats stats = store->class->stats(enter(store));
    (void)leave(store, NQ_OK);
    return stats;
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
    lock_destroy(&store->lock);
    free(store);
}

const char *store_broker(const char *spec)
{
    const char *where;
    return parse(spec, &where) == &store_nats ? where : NULL;
}

bool store_default_path(struct bytes *path)
{
    /* The specification ignores a relative path, which would change with every cd. */
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
