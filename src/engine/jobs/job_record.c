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
    record->begun = moment_after(0);
    job_record_claim(record);
    if (record->key && record->path)
        return true;
    job_record_close(record);
    return false;
}

void job_record_close(struct job_record *record)
{
    answer_unref(record->result);
    owners_free(&record->owners);
    free(record->key);
    free(record->path);
}

/* No date is above the last second of the year 9999. */
#define LAST_DATE (MOMENT_MOST / 1000000)

/* ---- How it changes ---- */

static void begin_anew(struct job_record *record)
{
    answer_unref(record->result);
    record->result = NULL;
    record->state = JOB_RUNNING;
    record->begun = moment_after(record->begun);
    record->created = time(NULL);
    record->finished = 0;
    record->fault.text[0] = '\0';
    record->last = (struct progress){0};
}

/* Makes its state agree with its owners. */
static void settle(struct job_record *record)
{
    const bool owned = owners_count(&record->owners);
    if (!owned && !job_state_over(record->state)) {
        job_record_end(record, JOB_CANCELLED);
    } else if (owned && record->state == JOB_CANCELLED) { /* one came elsewhere when the last one left here */
        record->state = JOB_RUNNING;
        record->finished = 0;
        record->last = (struct progress){0};
    }
}

enum nq_status job_record_enter(struct job_record *record, const char *owner)
{
    const bool anew = record->state == JOB_FAILED || record->state == JOB_CANCELLED;
    const enum nq_status status = owners_enter(&record->owners, owner, anew);
    if (anew && status == NQ_OK)
        begin_anew(record);
    return status;
}

enum nq_status job_record_leave(struct job_record *record, const char *owner)
{
    const enum nq_status status = owners_leave(&record->owners, owner);
    if (status == NQ_OK)
        settle(record);
    return status;
}

/* Whether what became of it is to be taken from another copy. */
static bool is_ahead(const struct job_record *other, const struct job_record *own)
{
    if (own->state == JOB_DONE || other->state == JOB_DONE)
        return other->state == JOB_DONE;
    if (other->begun != own->begun)
        return other->begun > own->begun;
    if (own->state == JOB_FAILED || other->state == JOB_FAILED)
        return other->state == JOB_FAILED;
    return job_state_over(other->state) && !job_state_over(own->state);
}

/* All but id, key, path, which a thread that starts the job may be reading, and owners. */
static void exchange_run(struct job_record *own, struct job_record *other)
{
    struct job_record former = *own;
    *own = *other;
    memcpy(own->id, former.id, sizeof own->id);
    own->key = former.key;
    own->path = former.path;
    own->owners = former.owners;
    former.key = other->key;
    former.path = other->path;
    former.owners = other->owners;
    *other = former;
}

enum nq_status job_record_join(struct job_record *record, struct job_record *other, bool owners_only)
{
    if (!owners_join(&record->owners, &other->owners))
        return NQ_NOMEM;
    if (!owners_only && is_ahead(other, record))
        exchange_run(record, other);
    settle(record);
    return NQ_OK;
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

/* ---- As text ---- */

/* For earlier releases, which take only what has a greater one. */
static uint64_t version_of(const struct job_record *record)
{
    const uint64_t changed = owners_moment(&record->owners), ended = ((uint64_t)record->finished + 1) * 1000000;
    const uint64_t last = changed > record->begun ? changed : record->begun;
    return record->finished && ended > last ? ended : last;
}

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
    json_write_number(text, "begun", record->begun);
    json_write_number(text, "version", version_of(record));
    json_write_number(text, "units_done", record->last.units_done);
    json_write_number(text, "weight", record->last.weight);
    json_write_number(text, "weight_done", record->last.weight_done);
    json_failure(text, &record->fault, DIGITS);
    owners_write(&record->owners, text);
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
        json_whole(json, "begun", MOMENT_MOST, &record->begun) && json_whole(json, "units", INT64_MAX, &units) &&
        json_whole(json, "restored", units, &restored) && json_whole(json, "nodes", INT64_MAX, &record->last.nodes) &&
        read_progress(json, units, &record->last);
    if (!sound)
        return false;
    record->created = (int64_t)created;
    record->finished = (int64_t)finished;
    record->last.units_restored = (size_t)restored;
    if (!record->begun) /* of an earlier release */
        record->begun = created * 1000000;
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
    enum nq_status status = read_numbers(json, record) ? owners_read(&record->owners, json, record->begun) : NQ_INVALID;
    if (status == NQ_OK && !job_state_over(state) && !owners_count(&record->owners)) /* of an earlier release */
        status = owners_enter(&record->owners, "", false);
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
