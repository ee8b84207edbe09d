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

/* ---- How it changes ---- */

static void begin_anew(struct job_record *record)
{
    answer_unref(record->result);
    shares_clear(&record->shares);
    record->result = NULL;
    record->state = JOB_RUNNING;
    record->created = time(NULL);
    record->finished = 0;
    record->why[0] = '\0';
    record->last = (struct progress){0};
}

enum nq_status job_record_take(struct job_record *record, const char *name, bool own)
{
    const bool anew = record->state == JOB_FAILED || record->state == JOB_CANCELLED;
    struct shares first = {0};
    if (!shares_add(anew ? &first : &record->shares, name, own))
        return NQ_NOMEM;
    if (anew) {
        begin_anew(record);
        record->shares = first;
    }
    return NQ_OK;
}

enum nq_status job_record_give(struct job_record *record, const char *name)
{
    const enum nq_status status = shares_return(&record->shares, name);
    if (status == NQ_OK && shares_count(&record->shares) == 0 && !job_state_over(record->state))
        job_record_end(record, JOB_CANCELLED);
    return status;
}

void job_record_end(struct job_record *record, enum job_state state)
{
    record->state = state;
    record->finished = time(NULL);
}

/* ---- Who has changed it ---- */

/* The place of a process among the writers; that of the last one, if it has none. */
static size_t place_of(const struct job_record *record, const char *process)
{
    size_t place = 0;
    while (place < JOB_WRITERS - 1 && strcmp(record->writers[place].process, process) != 0)
        place++;
    return place;
}

uint64_t job_record_changes(const struct job_record *record, const char *process)
{
    const struct job_writer *writer = &record->writers[place_of(record, process)];
    return strcmp(writer->process, process) == 0 ? writer->changes : 0;
}

void job_record_sign(struct job_record *record, const char *process, uint64_t changes)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    /* By the clock: a job that was forgotten and is begun once more is younger than what somebody else remembers. */
    const uint64_t microseconds = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
    record->version = record->version < microseconds ? microseconds : record->version + 1;
    memmove(&record->writers[1], record->writers, place_of(record, process) * sizeof record->writers[0]);
    record->writers[0].changes = changes;
    memcpy(record->writers[0].process, process, JOB_ID_SIZE);
}

/* ---- As text ---- */

/* NULL: out of memory. */
static json_t *write_writers(const struct job_record *record)
{
    json_t *writers = json_object();
    for (size_t i = 0; i < JOB_WRITERS && *record->writers[i].process; i++)
        json_member(&writers, record->writers[i].process, json_integer((json_int_t)record->writers[i].changes));
    return writers;
}

void job_record_write(const struct job_record *record, struct bytes *text)
{
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:I, s:I, s:I, s:I}", "release", NQ_VERSION, "key",
                  record->key, "path", record->path, "trace", record->trace, "state", job_state_name(record->state),
                  "created", (json_int_t)record->created, "finished", (json_int_t)record->finished, "why", record->why,
                  "units", (json_int_t)record->last.units, "restored", (json_int_t)record->last.units_restored, "nodes",
                  (json_int_t)record->last.nodes, "version", (json_int_t)record->version);
    json_member(&json, "writers", write_writers(record));
    if (!shares_write(&record->shares, json)) {
        json_decref(json);
        json = NULL;
    }
    if (record->result)
        json_member(&json, "body", json_stringn(record->result->bytes, record->result->size));
    bytes_json(text, json, JSON_COMPACT);
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

static void read_writers(json_t *json, struct job_record *record)
{
    const char *process;
    json_t *changes;
    size_t count = 0;
    json_object_foreach(json_object_get(json, "writers"), process, changes)
    {
        if (count == JOB_WRITERS || strlen(process) != JOB_ID_SIZE - 1 || json_integer_value(changes) < 0)
            break;
        memcpy(record->writers[count].process, process, JOB_ID_SIZE);
        record->writers[count++].changes = (uint64_t)json_integer_value(changes);
    }
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

static enum nq_status read(json_t *json, const char *id, struct job_record *record)
{
    const char *key = member(json, "key"), *path = member(json, "path"), *why = member(json, "why"),
               *release = member(json, "release");
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
    record->version = number(json, "version") < 0 ? 0 : (uint64_t)number(json, "version");
    read_trace(json, record->trace);
    read_writers(json, record);
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
