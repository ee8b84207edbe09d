/* canonical.h - the names of a question: what it is called in the cache, and where it can be asked again. */
#ifndef HTTP_CANONICAL_H
#define HTTP_CANONICAL_H

#include "http/param.h"

/* Makes both names, for the caller to free: the key, of a format, the space it is known in and the parameters, and the
 * path, without a cursor. False: out of memory, both are NULL. */
bool canonical_names(const char *format, const char *space, const char *path, const struct param *params,
                     const struct value *values, char **key, char **target);

#endif
