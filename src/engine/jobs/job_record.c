/* job_record.c - to JSON and from it. A result of another major version is not read: its body may have another form. */
#include "engine/jobs/job_record.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "engine/ask/answer.h"

bool job_record_open(struct job_record *record, const char *key, const char *path)
{
    *record =
        (struct job_record){.state = JOB_RUNNING, .created = time(NULL), .key = strdup(key), .path = strdup(path)};
    job_record_claim(record);
    if (record->key && record->path)
        return true;
    job_record_close(record);
    return false;
}

void job_record_close(struct job_record *record)
{
    answer_unref(record->result);
    subscriptions_clear(&record->subscriptions);
    free(record->key);
    free(record->path);
}

/* No date and no version is above the last second of the year 9999; versions are microseconds. */
#define LAST_DATE UINT64_C(253402300799)
#define LAST_VERSION (LAST_DATE * 1000000)

/* ---- How it changes ---- */

static void begin_anew(struct job_record *record)
{
    answer_unref(record->result);
    subscriptions_clear(&record->subscriptions);
    record->result = NULL;
    record->state = JOB_RUNNING;
    record->created = time(NULL);
    record->finished = 0;
    record->fault.text[0] = '\0';
    record->last = (struct progress){0};
}

enum nq_status job_record_subscribe(struct job_record *record, const char *name, bool own)
{
    const bool anew = record->state == JOB_FAILED || record->state == JOB_CANCELLED;
    struct subscriptions first = {0};
    if (!subscriptions_add(anew ? &first : &record->subscriptions, name, own))
        return NQ_NOMEM;
    if (anew) {
        begin_anew(record);
        record->subscriptions = first;
    }
    return NQ_OK;
}

enum nq_status job_record_unsubscribe(struct job_record *record, const char *name)
{
    const enum nq_status status = subscriptions_remove(&record->subscriptions, name);
    if (status == NQ_OK && subscriptions_count(&record->subscriptions) == 0 && !job_state_over(record->state))
        job_record_end(record, JOB_CANCELLED);
    return status;
}

void job_record_claim(struct job_record *record)
{
    (void)snprintf(record->release, sizeof record->release, "%s", build_id);
}

bool job_record_is_foreign(const struct job_record *record)
{
    return record->state == JOB_DONE && strcmp(record->release, build_id) != 0;
}

void job_record_end(struct job_record *record, enum job_state state)
{
    assert(job_state_over(state));
    record->state = state;
    record->finished = time(NULL);
}

/* ---- Who has changed it ---- */

/* The index of a process among the writers; of the last one, which is replaced, if it is none of them. */
static size_t writer_of(const struct job_record *record, const char *process)
{
    size_t writer = 0;
    while (writer < JOB_WRITERS - 1 && strcmp(record->writers[writer].process, process) != 0)
        writer++;
    return writer;
}

uint64_t job_record_changes(const struct job_record *record, const char *process)
{
    const struct job_writer *writer = &record->writers[writer_of(record, process)];
    return strcmp(writer->process, process) == 0 ? writer->changes : 0;
}

void job_record_sign(struct job_record *record, const char *process, uint64_t changes)
{
    assert(strlen(process) == JOB_ID_SIZE - 1);
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    /* By the clock, so that a job begun again after it was forgotten here is newer than every other process's copy. */
    const uint64_t microseconds = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
    record->version = record->version < microseconds ? microseconds : record->version + 1;
    memmove(&record->writers[1], record->writers, writer_of(record, process) * sizeof record->writers[0]);
    record->writers[0].changes = changes;
    memcpy(record->writers[0].process, process, JOB_ID_SIZE);
}

/* ---- As text ---- */

void job_record_write(const struct job_record *record, struct bytes *text)
{
    enum { DIGITS = 17 }; /* read back they are the same */
    const size_t start = text->size;
    json_begin_object(text, NULL);
    json_write_text(text, "release", record->release);
    json_write_text(text, "key", record->key);
    json_write_text(text, "path", record->path);
    json_write_text(text, "trace", record->trace);
    json_write_text(text, "state", job_state_name(record->state));
    json_write_number(text, "created", (uint64_t)record->created);
    json_write_number(text, "finished", (uint64_t)record->finished);
    json_write_text(text, "why", record->fault.text);
    json_write_number(text, "units", record->last.units);
    json_write_number(text, "restored", record->last.units_restored);
    json_write_number(text, "nodes", record->last.nodes);
    json_write_number(text, "version", record->version);
    json_write_number(text, "units_done", record->last.units_done);
    json_write_number(text, "weight", record->last.weight);
    json_write_number(text, "weight_done", record->last.weight_done);
    json_failure(text, &record->fault, DIGITS);
    json_begin_object(text, "writers");
    for (size_t i = 0; i < JOB_WRITERS && *record->writers[i].process; i++)
        json_write_number(text, record->writers[i].process, record->writers[i].changes);
    json_end_object(text);
    subscriptions_write(&record->subscriptions, text);
    if (record->result)
        json_write_part(text, "body", record->result->bytes, record->result->size);
    json_end_object(text);
    json_end_document(text, start);
}

static const char *member(const json_t *json, const char *name)
{
    return json_string_value(json_object_get(json, name));
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

static void read_release(const char *text, char release[static JOB_RELEASE_SIZE])
{
    const size_t size = text ? strlen(text) + 1 : 0;
    release[0] = '\0';
    if (size <= JOB_RELEASE_SIZE)
        memcpy(release, text ? text : "", size);
}

/* False: it makes no sense. */
static bool read_writers(json_t *json, struct job_record *record)
{
    json_t *writers = json_object_get(json, "writers"), *changes;
    const char *process;
    size_t count = 0;
    json_object_foreach(writers, process, changes)
    {
        if (count == JOB_WRITERS || !job_id_is_sound(process))
            break;
        if (!json_whole(writers, process, INT64_MAX, &record->writers[count].changes))
            return false;
        memcpy(record->writers[count++].process, process, JOB_ID_SIZE);
    }
    return true;
}

/* How far it was when it ended. Records of earlier versions have only its units. False: some number makes no sense. */
static bool read_progress(const json_t *json, uint64_t units, struct progress *last)
{
    uint64_t done, weight_done;
    if (!json_whole(json, "units_done", INT64_MAX, &done) || !json_whole(json, "weight", INT64_MAX, &last->weight) ||
        !json_whole(json, "weight_done", INT64_MAX, &weight_done))
        return false;
    last->units = (size_t)units;
    last->units_done = (size_t)(done < units && json_object_get(json, "units_done") ? done : units);
    last->weight_done = weight_done < last->weight ? weight_done : last->weight;
    return true;
}

/* False: some number is missing or out of range. */
static bool read_numbers(json_t *json, struct job_record *record)
{
    uint64_t created, finished, units, restored;
    const bool sound =
        json_whole(json, "created", LAST_DATE, &created) && json_whole(json, "finished", LAST_DATE, &finished) &&
        json_whole(json, "version", LAST_VERSION, &record->version) && json_whole(json, "units", INT64_MAX, &units) &&
        json_whole(json, "restored", units, &restored) && json_whole(json, "nodes", INT64_MAX, &record->last.nodes) &&
        read_progress(json, units, &record->last) && read_writers(json, record);
    if (!sound)
        return false;
    record->created = (int64_t)created;
    record->finished = (int64_t)finished;
    record->last.units_restored = (size_t)restored;
    return true;
}

/* The count that a body has; a body that is no count has none, and *count stays. NQ_OK or NQ_NOMEM. */
static enum nq_status read_count(const char *text, size_t size, nq_wide *count)
{
    json_t *json;
    nq_wide number;
    if (json_read(text, size, 0, &json, NULL) == NQ_NOMEM)
        return NQ_NOMEM;
    const char *digits = member(json, "count_text");
    if (digits && wide_read(digits, digits + strlen(digits), &number))
        *count = number;
    json_decref(json);
    return NQ_OK;
}

/* NQ_OK, NQ_INVALID or NQ_NOMEM. */
static enum nq_status read_result(const json_t *json, struct job_record *record)
{
    const json_t *body = json_object_get(json, "body");
    struct bytes bytes = {0};
    if (!json_is_string(body))
        return NQ_INVALID;
    bytes_add(&bytes, json_string_value(body), json_string_length(body));
    record->result = answer_new(&bytes, format_find("json")->media_type);
    bytes_free(&bytes);
    return record->result ? read_count(record->result->bytes, record->result->size, &record->result->count) : NQ_NOMEM;
}

static enum nq_status read(json_t *json, const char *id, struct job_record *record)
{
    const char *key = member(json, "key"), *path = member(json, "path"), *why = member(json, "why"),
               *release = member(json, "release");
    enum job_state state;
    if (!key || !path || !job_id_is_sound(id) || !read_state(json, &state) ||
        (job_state_over(state) && !(release && strtol(release, NULL, 10) == NQ_VERSION_MAJOR)))
        return NQ_INVALID;
    if (!job_record_open(record, key, path))
        return NQ_NOMEM;
    memcpy(record->id, id, JOB_ID_SIZE);
    read_release(release, record->release);
    record->state = state;
    json_fault_read(json_object_get(json, "failure"), &record->fault);
    strncpy(record->fault.text, why ? why : "", sizeof record->fault.text - 1);
    read_trace(json, record->trace);
    enum nq_status status = read_numbers(json, record) ? subscriptions_read(&record->subscriptions, json) : NQ_INVALID;
    if (status == NQ_OK && state == JOB_DONE)
        status = read_result(json, record);
    if (status != NQ_OK)
        job_record_close(record);
    return status;
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
