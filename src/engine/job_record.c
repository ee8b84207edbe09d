/* job_record.c - to JSON and from it. What another release has found out is not taken over: it said it in its own way.
 */
#include "engine/job_record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "engine/answer.h"

bool job_record_open(struct job_record *record, const char *key, const char *path)
{
    *record =
        (struct job_record){.state = JOB_RUNNING, .created = time(NULL), .key = strdup(key), .path = strdup(path)};
    if (record->key && record->path)
        return true;
    job_record_close(record);
    return false;
}

void job_record_close(struct job_record *record)
{
    answer_unref(record->result);
    shares_clear(&record->shares);
    free(record->key);
    free(record->path);
}

char *job_record_write(const struct job_record *record)
{
    struct bytes text = {0};
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:I, s:I, s:I}", "release", NQ_VERSION, "key", record->key,
                  "path", record->path, "trace", record->trace, "state", job_state_name(record->state), "created",
                  (json_int_t)record->created, "finished", (json_int_t)record->finished, "why", record->why, "units",
                  (json_int_t)record->last.units, "restored", (json_int_t)record->last.units_restored, "nodes",
                  (json_int_t)record->last.nodes);
    json_text(&json, "origin", record->origin);
    if (!shares_write(&record->shares, json)) {
        json_decref(json);
        json = NULL;
    }
    if (record->result)
        json_member(&json, "body", json_stringn(record->result->bytes, record->result->size));
    bytes_json(&text, json, JSON_COMPACT);
    return bytes_take(&text);
}

static const char *member(const json_t *json, const char *name)
{
    return json_string_value(json_object_get(json, name));
}

static int64_t number(const json_t *json, const char *name)
{
    return json_integer_value(json_object_get(json, name));
}

static bool read_state(const json_t *json, enum job_state *state)
{
    const char *name = member(json, "state");
    for (*state = JOB_QUEUED; name && *state <= JOB_CANCELLED; ++*state)
        if (strcmp(name, job_state_name(*state)) == 0)
            return true;
    return false;
}

static void read_trace(const json_t *json, char trace[static TRACE_ID_SIZE])
{
    const char *text = member(json, "trace");
    if (text && strlen(text) == TRACE_ID_SIZE - 1 && strspn(text, "0123456789abcdef") == TRACE_ID_SIZE - 1)
        memcpy(trace, text, TRACE_ID_SIZE);
}

/* What a job has found. False: out of memory. */
static bool read_result(const json_t *json, struct job_record *record)
{
    const json_t *body = json_object_get(json, "body");
    struct bytes bytes = {0};
    bytes_add(&bytes, json_string_value(body), json_string_length(body));
    record->result = answer_new(&bytes, format_find("json")->media_type);
    bytes_free(&bytes);
    record->last.units = record->last.units_done = (size_t)number(json, "units");
    record->last.units_restored = (size_t)number(json, "restored");
    record->last.nodes = (uint64_t)number(json, "nodes");
    return record->result;
}

static enum nq_status read(const json_t *json, const char *id, struct job_record *record)
{
    const char *key = member(json, "key"), *path = member(json, "path"), *why = member(json, "why"),
               *release = member(json, "release"), *origin = member(json, "origin");
    enum job_state state;
    if (!key || !path || strlen(id) != JOB_ID_SIZE - 1 || !read_state(json, &state) ||
        (job_state_over(state) && !(release && strcmp(release, NQ_VERSION) == 0)))
        return NQ_INVALID;
    if (!job_record_open(record, key, path))
        return NQ_NOMEM;
    memcpy(record->id, id, JOB_ID_SIZE);
    record->state = state;
    record->created = number(json, "created");
    record->finished = number(json, "finished");
    strncpy(record->why, why ? why : "", sizeof record->why - 1);
    strncpy(record->origin, origin ? origin : "", sizeof record->origin - 1);
    read_trace(json, record->trace);
    if (shares_read(&record->shares, json) && (state != JOB_DONE || read_result(json, record)))
        return NQ_OK;
    job_record_close(record);
    return NQ_NOMEM;
}

enum nq_status job_record_read(struct job_record *record, const char *id, const void *text, size_t size)
{
    json_t *json;
    enum nq_status status = json_read(text, size, 0, &json, NULL);
    if (status != NQ_OK)
        return status;
    status = read(json, id, record);
    json_decref(json);
    return status;
}
