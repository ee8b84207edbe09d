/* canonical.c - writes the names of a question. */
#include "engine/ask/canonical.h"

#include <stdlib.h>

bool canonical_names(const struct canonical *of, char **key, char **path)
{
    static const struct param none[] = {{0}};
    const struct param *params = of->params ? of->params : none; /* as a route says that it has none */
    struct bytes key_text = {0}, path_text = {0};
    bytes_format(&key_text, "%s %s", of->format, of->space);
    params_canonical(params, of->values, true, &key_text);
    bytes_text(&path_text, of->path);
    params_canonical(params, of->values, false, &path_text);
    *key = bytes_take(&key_text);
    *path = bytes_take(&path_text);
    if (*key && *path)
        return true;
    free(*key);
    free(*path);
    *key = *path = NULL;
    return false;
}
