/* canonical.h - the two names of a question in canonical form: its key in the cache and the store, and the path where
 * it can be asked again. Equal questions have equal names. */
#ifndef ENGINE_ASK_CANONICAL_H
#define ENGINE_ASK_CANONICAL_H

#include "base/param.h"

struct canonical {
    const char *format;
    const char *space; /* what the key is unique in: mostly the path */
    const char *path;  /* without parameters */
    const struct param *params;
    const struct value *values;
};

/* Makes both names, for the caller to free; the path has no parameters of a place. False: out of memory, both are NULL.
 */
bool canonical_names(const struct canonical *of, char **key, char **path);

#endif
