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

/* ---- Whose facts are seen ---- */

/* Keys of builds that are no release begin with it, and come after those of releases. */
enum { SCOPE_MARK = '~' };

struct scope {
    char prefix[BUILD_ID_MAX + 3]; /* mark, name and a blank; "": of releases */
    size_t size;                   /* of the prefix */
};

static void scope_open(struct scope *scope, const char *build)
{
    *scope = (struct scope){.size = 0};
    if (!build_is_release(build))
        scope->size = (size_t)snprintf(scope->prefix, sizeof scope->prefix, "%c%.*s ", SCOPE_MARK, BUILD_ID_MAX, build);
}

static bool is_scoped(const struct scope *scope, enum store_kind kind)
{
    return scope->size && kind != STORE_JOB;
}

/* The key under which a fact lies in the store; NULL: out of memory. scope_free() frees it. */
static const char *scope_key(const struct scope *scope, enum store_kind kind, const char *key)
{
    char *scoped = NULL;
    if (!is_scoped(scope, kind))
        return key;
    return asprintf(&scoped, "%s%s", scope->prefix, key) < 0 ? NULL : scoped;
}

static void scope_free(const char *scoped, const char *key)
{
    if (scoped != key)
        free((void *)scoped);
}

/* The facts with such keys, which are `facts` itself if they have them already; NULL: out of memory. One block: the
 * facts, then their keys. */
static const struct store_fact *scope_facts(const struct scope *scope, const struct store_fact *facts, size_t count)
{
    size_t size = count * sizeof *facts;
    if (!scope->size)
        return facts;
    for (size_t i = 0; i < count; i++)
        size += scope->size + strlen(facts[i].key) + 1;
    struct store_fact *scoped = malloc(size ? size : 1);
    char *text = (char *)(scoped + count);
    for (size_t i = 0; scoped && i < count; i++) {
        scoped[i] = facts[i];
        if (!is_scoped(scope, facts[i].kind))
            continue;
        scoped[i].key = text;
        text = stpcpy(stpcpy(text, scope->prefix), facts[i].key) + 1;
    }
    return scoped;
}

static void scope_free_facts(const struct store_fact *scoped, const struct store_fact *facts)
{
    if (scoped != facts)
        free((void *)scoped);
}

/* The key of a fact without the prefix; NULL: it is another build's. */
static const char *scope_own(const struct scope *scope, enum store_kind kind, const char *key)
{
    if (kind == STORE_JOB)
        return key;
    if (!scope->size)
        return *key == SCOPE_MARK ? NULL : key;
    return strncmp(key, scope->prefix, scope->size) == 0 ? key + scope->size : NULL;
}

/* The build that has put the fact with a key: "" for a release. */
static void scope_builder(const char *key, char build[static BUILD_ID_MAX + 1])
{
    const size_t size = *key == SCOPE_MARK ? strcspn(key + 1, " ") : 0;
    (void)snprintf(build, BUILD_ID_MAX + 1, "%.*s", (int)(size < BUILD_ID_MAX ? size : BUILD_ID_MAX), key + 1);
}

/* ---- The stores ---- */

extern const struct store_class store_memory, store_sqlite, store_nats;

const struct store_class *const stores[] = {&store_memory, &store_sqlite, &store_nats, NULL};

struct store {
    const struct store_class *class;
    struct scope scope;
    struct lock lock; /* guards what follows; held by every call of the class, while the disk or the network works */
    void *self;
};

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
    scope_open(&store->scope, options->build ? options->build : build_id);
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
    const struct store_fact *scoped = scope_facts(&store->scope, facts, count);
    if (!scoped && count)
        return NQ_NOMEM;
    const enum nq_status status = leave(store, store->class->put(enter(store), scoped, count));
    scope_free_facts(scoped, facts);
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
    const struct store_fact *scoped = scope_facts(&store->scope, fact, 1);
    if (!scoped)
        return NQ_NOMEM;
    void *self = enter(store);
    const enum nq_status status = leave(store, class->swap ? class->swap(self, scoped, former, size)
                                                           : compare_and_put(class, self, scoped, former, size));
    scope_free_facts(scoped, fact);
    return status;
}

enum nq_status store_get(struct store *store, enum store_kind kind, const char *key, struct bytes *value)
{
    const char *scoped = scope_key(&store->scope, kind, key);
    if (!scoped)
        return NQ_NOMEM;
    const enum nq_status status = leave(store, store->class->get(enter(store), kind, scoped, value));
    scope_free(scoped, key);
    return status;
}

struct own_visit {
    const struct scope *scope;
    enum store_kind kind;
    store_visit *visit;
    void *context;
};

static bool visit_own(void *context, const char *key, const void *value, size_t size)
{
    const struct own_visit *own = context;
    const char *plain = scope_own(own->scope, own->kind, key);
    return !plain || own->visit(own->context, plain, value, size);
}

enum nq_status store_each(struct store *store, enum store_kind kind, const char *prefix, store_visit *visit,
                          void *context)
{
    struct own_visit own = {.scope = &store->scope, .kind = kind, .visit = visit, .context = context};
    const char *scoped = scope_key(&store->scope, kind, prefix);
    if (!scoped)
        return NQ_NOMEM;
    const enum nq_status status = leave(store, store->class->each(enter(store), kind, scoped, visit_own, &own));
    scope_free(scoped, prefix);
    return status;
}

enum nq_status store_delete_prefix(struct store *store, enum store_kind kind, const char *prefix)
{
    const char *scoped = scope_key(&store->scope, kind, prefix);
    if (!scoped)
        return NQ_NOMEM;
    const enum nq_status status = leave(store, store->class->delete_prefix(enter(store), kind, scoped));
    scope_free(scoped, prefix);
    return status;
}

/* ---- Of other builds ---- */

struct foreign_visit {
    const struct scope *scope;
    bool found;
    char *build;
};

static bool visit_foreign(void *context, const char *key, const void *value, size_t size)
{
    struct foreign_visit *foreign = context;
    (void)value, (void)size;
    foreign->found = !scope_own(foreign->scope, STORE_RESULT, key);
    if (foreign->found)
        scope_builder(key, foreign->build);
    return !foreign->found;
}

/* Facts of a release come first: of them none need be looked at. */
bool store_has_foreign(struct store *store, char build[static BUILD_ID_MAX + 1])
{
    struct foreign_visit foreign = {.scope = &store->scope, .build = build};
    const char *prefix = store->scope.size ? "" : (const char[]){SCOPE_MARK, '\0'};
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
