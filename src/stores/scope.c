/* scope.c - keys with the name of a build before them, and without. */
#include "stores/scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scope_open(struct scope *scope, const char *build)
{
    *scope = (struct scope){.size = 0};
    if (!build_is_release(build))
        scope->size = (size_t)snprintf(scope->prefix, sizeof scope->prefix, "%c%.*s ", SCOPE_MARK, BUILD_ID_MAX, build);
}

static bool is_scoped(const struct scope *scope, enum store_kind kind)
{
    return scope->size && kind != STORE_JOB;
}

const char *scope_key(const struct scope *scope, enum store_kind kind, const char *key)
{
    char *scoped = NULL;
    if (!is_scoped(scope, kind))
        return key;
    return asprintf(&scoped, "%s%s", scope->prefix, key) < 0 ? NULL : scoped;
}

void scope_free(const char *scoped, const char *key)
{
    if (scoped != key)
        free((void *)scoped);
}

/* One block: the facts, then their keys. */
const struct store_fact *scope_facts(const struct scope *scope, const struct store_fact *facts, size_t count)
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

void scope_free_facts(const struct store_fact *scoped, const struct store_fact *facts)
{
    if (scoped != facts)
        free((void *)scoped);
}

const char *scope_own(const struct scope *scope, enum store_kind kind, const char *key)
{
    if (kind == STORE_JOB)
        return key;
    if (!scope->size)
        return *key == SCOPE_MARK ? NULL : key;
    return strncmp(key, scope->prefix, scope->size) == 0 ? key + scope->size : NULL;
}

void scope_builder(const char *key, char build[static BUILD_ID_MAX + 1])
{
    const size_t size = *key == SCOPE_MARK ? strcspn(key + 1, " ") : 0;
    (void)snprintf(build, BUILD_ID_MAX + 1, "%.*s", (int)(size < BUILD_ID_MAX ? size : BUILD_ID_MAX), key + 1);
}
