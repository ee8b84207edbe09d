/* scope.h - whose facts are seen in a store. Releases share theirs; every other build has facts of its own, whose keys
 * begin with its name: its rules may be others. Jobs, which are questions, are everybody's. */
#ifndef STORES_SCOPE_H
#define STORES_SCOPE_H

#include "base/process.h"
#include "stores/store.h"

/* Keys of builds that are no release begin with it, and come after those of releases. */
enum { SCOPE_MARK = '~' };

struct scope {
    char prefix[BUILD_ID_MAX + 3]; /* mark, name and a blank; "": of releases */
    size_t size;                   /* of the prefix */
};

void scope_open(struct scope *scope, const char *build);

/* The key under which a fact lies in the store; NULL: out of memory. scope_free() frees it. */
const char *scope_key(const struct scope *scope, enum store_kind kind, const char *key);
void scope_free(const char *scoped, const char *key);

/* The facts with such keys, which are `facts` itself if they have them already; NULL: out of memory. */
const struct store_fact *scope_facts(const struct scope *scope, const struct store_fact *facts, size_t count);
void scope_free_facts(const struct store_fact *scoped, const struct store_fact *facts);

/* The key of a fact without the prefix; NULL: it is another build's. */
const char *scope_own(const struct scope *scope, enum store_kind kind, const char *key);

/* The build that has put the fact with a key: "" for a release. */
void scope_builder(const char *key, char build[static BUILD_ID_MAX + 1]);

#endif
