/* json.c - reads and writes jansson's documents. */
#include "base/json.h"

#include <stdlib.h>

/* Whether memory was out for jansson on this thread since json_read began. */
static _Thread_local bool out_of_memory;

static void *take(size_t size)
{
    void *data = malloc(size);
    out_of_memory |= !data;
    return data;
}

void json_begin(void)
{
    json_set_alloc_funcs(take, free);
}

enum nq_status json_read(const char *text, size_t size, size_t flags, json_t **json, json_error_t *error)
{
    out_of_memory = false;
    *json = json_loadb(text ? text : "", size, flags, error);
    if (!out_of_memory)
        return *json ? NQ_OK : NQ_INVALID;
    json_decref(*json);
    *json = NULL;
    return NQ_NOMEM;
}

bool json_whole(const json_t *object, const char *name, uint64_t most, uint64_t *number)
{
    const json_t *member = json_object_get(object, name);
    const json_int_t value = json_integer_value(member);
    *number = value < 0 ? 0 : (uint64_t)value;
    return !member || (json_is_integer(member) && value >= 0 && *number <= most);
}

static int append(const char *text, size_t size, void *out)
{
    bytes_add(out, text, size);
    return 0;
}

/* Out of memory: an incomplete document must not be sent. */
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
