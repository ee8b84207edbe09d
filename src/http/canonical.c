/* canonical.c - one way to write every question. */
#include "http/canonical.h"

#include <stdlib.h>

bool canonical_names(const char *format, const char *space, const char *path, const struct param *params,
                     const struct value *values, char **key, char **target)
{
    struct bytes key_text = {0}, path_text = {0};
    bytes_text(&key_text, format);
    bytes_char(&key_text, ' ');
    bytes_text(&key_text, space);
    params_canonical(params, values, true, &key_text);
    bytes_text(&path_text, path);
    params_canonical(params, values, false, &path_text);
    *key = bytes_take(&key_text);
    *target = bytes_take(&path_text);
    if (*key && *target)
        return true;
    free(*key);
    free(*target);
    *key = *target = NULL;
    return false;
}
