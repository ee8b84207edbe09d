/* json.c - writes jansson's documents into bytes. */
#include "base/json.h"

static int append(const char *text, size_t size, void *out)
{
    bytes_add(out, text, size);
    return 0;
}

void bytes_json(struct bytes *out, json_t *json, size_t flags)
{
    if (!json || json_dump_callback(json, append, out, flags) != 0)
        out->failed = true;
    bytes_char(out, '\n');
    json_decref(json);
}
