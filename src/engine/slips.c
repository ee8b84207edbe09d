/* slips.c - written and read with jansson. Whoever may write to the broker may write anything: what is read is looked
 * at, and what is odd about it makes it no slip. */
#include "engine/slips.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/wide.h"

static const char *const reports[] = {
    [SLIP_COUNTED] = "counted", [SLIP_CHECKED] = "checked", [SLIP_DIFFERS] = "differs"};

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static bool read_text(const json_t *json, const char *name, char out[static QUEUE_ID_MAX + 1])
{
    const char *text = json_string_value(json_object_get(json, name));
    if (!text || strlen(text) > QUEUE_ID_MAX)
        return false;
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool read_u64(const json_t *json, const char *name, uint64_t most, uint64_t *out)
{
    const json_t *value = json_object_get(json, name);
    *out = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0 && *out <= most;
}

static bool read_u32(const json_t *json, const char *name, uint32_t *out)
{
    uint64_t wide;
    const bool sound = read_u64(json, name, UINT32_MAX, &wide);
    *out = (uint32_t)wide;
    return sound;
}

/* Up to 2^64 - 1, in decimal digits. */
static bool read_digits(const json_t *json, const char *name, uint64_t *out)
{
    const char *text = json_string_value(json_object_get(json, name));
    nq_wide wide;
    if (!text || !wide_read(text, text + strlen(text), &wide) || wide > UINT64_MAX)
        return false;
    *out = (uint64_t)wide;
    return true;
}

static enum nq_status read(const char *text, size_t size, json_t **json)
{
    json_error_t error;
    const enum nq_status status = json_read(text, size, JSON_REJECT_DUPLICATES, json, &error);
    if (status != NQ_OK)
        return status;
    if (json_is_object(*json))
        return NQ_OK;
    json_decref(*json);
    return NQ_INVALID;
}

/* ---- Works ---- */

void work_slip_id(const char *query, char id[static 17])
{
    hash_hex(hash_text(hash_text(HASH_START, NQ_VERSION), query), id);
}

void work_slip_write(const struct work_slip *slip, struct bytes *text)
{
    json_t *json = json_object(), *terms = json_array();
    for (size_t i = 0; i < slip->terms; i++) {
        json_t *term = json_object();
        json_member(&term, "term", number(slip->term[i].term));
        json_text(&term, "name", slip->term[i].name);
        json_element(&terms, term);
    }
    json_text(&json, "version", NQ_VERSION);
    json_text(&json, "query", slip->query);
    json_member(&json, "terms", terms);
    json_member(&json, "weight", number(slip->progress.weight));
    json_member(&json, "weight_done", number(slip->progress.weight_done));
    json_member(&json, "weight_restored", number(slip->progress.weight_restored));
    json_member(&json, "units", number(slip->progress.units));
    json_member(&json, "units_done", number(slip->progress.units_done));
    json_member(&json, "units_restored", number(slip->progress.units_restored));
    json_member(&json, "nodes", number(slip->progress.nodes));
    bytes_json(text, json, JSON_COMPACT);
}

static bool read_progress(const json_t *json, struct work_slip *slip)
{
    struct progress *progress = &slip->progress;
    uint64_t units, units_done, units_restored;
    if (!read_u64(json, "weight", INT64_MAX, &progress->weight) ||
        !read_u64(json, "weight_done", INT64_MAX, &progress->weight_done) ||
        !read_u64(json, "weight_restored", INT64_MAX, &progress->weight_restored) ||
        !read_u64(json, "units", INT64_MAX, &units) || !read_u64(json, "units_done", INT64_MAX, &units_done) ||
        !read_u64(json, "units_restored", INT64_MAX, &units_restored) ||
        !read_u64(json, "nodes", INT64_MAX, &progress->nodes))
        return false;
    progress->units = (size_t)units;
    progress->units_done = (size_t)units_done;
    progress->units_restored = (size_t)units_restored;
    return true;
}

static enum nq_status read_terms(const json_t *terms, struct work_slip *slip)
{
    if (!json_is_array(terms) || json_array_size(terms) > SLIP_TERMS_MAX)
        return NQ_INVALID;
    for (size_t i = 0; i < json_array_size(terms); i++) {
        struct slip_term *term = &slip->term[slip->terms];
        const char *name = json_string_value(json_object_get(json_array_get(terms, i), "name"));
        if (!name || !read_u32(json_array_get(terms, i), "term", &term->term))
            return NQ_INVALID;
        term->name = strdup(name);
        if (!term->name)
            return NQ_NOMEM;
        slip->terms++;
    }
    return NQ_OK;
}

enum nq_status work_slip_read(struct work_slip *slip, const char *text, size_t size)
{
    json_t *json;
    enum nq_status status = read(text, size, &json);
    *slip = (struct work_slip){.query = NULL};
    if (status != NQ_OK)
        return status;
    const char *query = json_string_value(json_object_get(json, "query"));
    const char *version = json_string_value(json_object_get(json, "version"));
    if (!query || !version || strcmp(version, NQ_VERSION) != 0 || !read_progress(json, slip))
        status = NQ_INVALID;
    if (status == NQ_OK)
        status = read_terms(json_object_get(json, "terms"), slip);
    if (status == NQ_OK) {
        slip->query = strdup(query);
        status = slip->query ? NQ_OK : NQ_NOMEM;
    }
    json_decref(json);
    if (status != NQ_OK)
        work_slip_free(slip);
    return status;
}

void work_slip_free(struct work_slip *slip)
{
    for (size_t i = 0; i < slip->terms; i++)
        free(slip->term[i].name);
    free(slip->query);
    *slip = (struct work_slip){.query = NULL};
}

/* ---- Batches ---- */

void batch_slip_write(const struct batch_slip *slip, struct bytes *text)
{
    json_t *json = json_object(), *runs = json_array();
    for (size_t i = 0; i < slip->runs; i++) {
        const struct slip_run *run = &slip->run[i];
        json_t *numbers = json_array();
        json_element(&numbers, number(run->from.term));
        json_element(&numbers, number(run->from.unit));
        json_element(&numbers, number(run->count));
        if (run->from.piece != UNIT_WHOLE)
            json_element(&numbers, number(run->from.piece));
        json_element(&runs, numbers);
    }
    json_text(&json, "not", slip->not_for);
    json_member(&json, "runs", runs);
    bytes_json(text, json, JSON_COMPACT);
}

static bool read_run(const json_t *json, struct slip_run *run)
{
    json_int_t numbers[4] = {[3] = UNIT_WHOLE};
    const size_t size = json_array_size(json);
    if (size != 3 && size != 4)
        return false;
    for (size_t i = 0; i < size; i++) {
        const json_t *value = json_array_get(json, i);
        numbers[i] = json_integer_value(value);
        if (!json_is_integer(value) || numbers[i] < 0 || numbers[i] > UINT32_MAX)
            return false;
    }
    *run = (struct slip_run){{(uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[3]}, (uint32_t)numbers[2]};
    return size == 4 ? numbers[2] + numbers[3] <= UNIT_WHOLE : numbers[1] + numbers[2] <= UINT32_MAX;
}

enum nq_status batch_slip_read(struct batch_slip *slip, const char *text, size_t size)
{
    json_t *json;
    const enum nq_status status = read(text, size, &json);
    if (status != NQ_OK)
        return status;
    const json_t *runs = json_object_get(json, "runs");
    slip->runs = json_array_size(runs);
    bool sound = json_is_array(runs) && slip->runs <= SLIP_RUNS_MAX && read_text(json, "not", slip->not_for);
    for (size_t i = 0; sound && i < slip->runs; i++)
        sound = read_run(json_array_get(runs, i), &slip->run[i]);
    json_decref(json);
    return sound ? NQ_OK : NQ_INVALID;
}

/* ---- Reports ---- */

void report_slip_write(const struct report_slip *slip, struct bytes *text)
{
    char digits[WIDE_TEXT_MAX];
    json_t *json = json_object();
    json_text(&json, "worker", slip->worker);
    json_text(&json, "report", reports[slip->report]);
    json_member(&json, "term", number(slip->place.term));
    json_member(&json, "unit", number(slip->place.unit));
    if (slip->place.piece != UNIT_WHOLE)
        json_member(&json, "piece", number(slip->place.piece));
    json_text(&json, "parts", wide_text(slip->parts, digits));
    json_text(&json, "nodes", wide_text(slip->nodes, digits));
    json_member(&json, "seconds", json_real(slip->seconds));
    bytes_json(text, json, JSON_COMPACT);
}

static bool read_report(const json_t *json, enum slip_report *report)
{
    const char *name = json_string_value(json_object_get(json, "report"));
    for (size_t i = 0; name && i < sizeof reports / sizeof reports[0]; i++)
        if (strcmp(name, reports[i]) == 0) {
            *report = (enum slip_report)i;
            return true;
        }
    return false;
}

static bool read_place(const json_t *json, struct slip_place *place)
{
    place->piece = UNIT_WHOLE;
    if (json_object_get(json, "piece") && (!read_u32(json, "piece", &place->piece) || place->piece >= UNIT_WHOLE))
        return false;
    return read_u32(json, "term", &place->term) && read_u32(json, "unit", &place->unit);
}

enum nq_status report_slip_read(struct report_slip *slip, const char *text, size_t size)
{
    json_t *json;
    const enum nq_status status = read(text, size, &json);
    if (status != NQ_OK)
        return status;
    const json_t *seconds = json_object_get(json, "seconds");
    slip->seconds = json_number_value(seconds);
    const bool sound = json_is_number(seconds) && read_text(json, "worker", slip->worker) &&
                       read_report(json, &slip->report) && read_place(json, &slip->place) &&
                       read_digits(json, "parts", &slip->parts) && read_digits(json, "nodes", &slip->nodes) &&
                       slip->seconds >= 0;
    json_decref(json);
    return sound ? NQ_OK : NQ_INVALID;
}

/* ---- Workers ---- */

void worker_slip_write(const struct worker_slip *slip, struct bytes *text)
{
    json_t *json = json_object();
    json_member(&json, "threads", number(slip->threads));
    bytes_json(text, json, JSON_COMPACT);
}

enum nq_status worker_slip_read(struct worker_slip *slip, const char *text, size_t size)
{
    json_t *json;
    const enum nq_status status = read(text, size, &json);
    if (status != NQ_OK)
        return status;
    const bool sound = read_u32(json, "threads", &slip->threads) && slip->threads <= 4096;
    json_decref(json);
    return sound ? NQ_OK : NQ_INVALID;
}
