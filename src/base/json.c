/* json.c - writes jansson's documents into bytes. */
#include "base/json.h"

#include <stdlib.h>

/* Whether memory was out for jansson on this thread since json_read began. */
static _Thread_local bool poor;

static void *take(size_t size)
{
    void *data = malloc(size);
    poor |= !data;
    return data;
}

void json_begin(void)
{
    json_set_alloc_funcs(take, free);
}

enum nq_status json_read(const char *text, size_t size, size_t flags, json_t **json, json_error_t *error)
{
    poor = false;
    *json = json_loadb(text ? text : "", size, flags, error);
    if (!poor)
        return *json ? NQ_OK : NQ_INVALID;
    json_decref(*json);
    *json = NULL;
    return NQ_NOMEM;
}

static int append(const char *text, size_t size, void *out)
{
    bytes_add(out, text, size);
    return 0;
}

/* Out of memory: half a document is none. */
static void give_up(json_t **json)
{
    json_decref(*json);
    *json = NULL;
}

void json_member(json_t **object, const char *name, json_t *value)
{
    if (json_object_set_new(*object, name, value) != 0)
        give_up(object);
}

void json_element(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) != 0)
        give_up(array);
}

void json_text(json_t **object, const char *name, const char *text)
{
    if (text)
        json_member(object, name, json_string(text));
}

void bytes_json(struct bytes *out, json_t *json, size_t flags)
{
    if (!json || json_dump_callback(json, append, out, flags) != 0)
        out->failed = true;
    bytes_char(out, '\n');
    json_decref(json);
}
