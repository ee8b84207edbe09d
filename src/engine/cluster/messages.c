/* messages.c - written and read with jansson. Any client of the broker may write anything: a text is a message only if
 * all of it makes sense. */
#include "engine/cluster/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/wide.h"

static const char *const reports[] = {
    [MESSAGE_COUNTED] = "counted", [MESSAGE_CHECKED] = "checked", [MESSAGE_DIFFERS] = "differs"};

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static bool read_text(const json_t *json, const char *name, size_t most, char *out)
{
    const char *text = json_string_value(json_object_get(json, name));
    if (!text || strlen(text) > most)
        return false;
    memcpy(out, text, strlen(text) + 1);
    return true;
}

/* Only characters that a release's name may have: it is written into logs. */
static bool read_release(const json_t *json, char out[static RELEASE_MAX + 1])
{
    static const char *const known = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+~_-";
    return read_text(json, "version", RELEASE_MAX, out) && *out && strspn(out, known) == strlen(out);
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

void work_message_id(const char *query, char id[static 17])
{
    hash_hex(hash_text(hash_text(HASH_START, NQ_VERSION), query), id);
}

void work_message_write(const struct work_message *message, struct bytes *text)
{
    json_t *json = json_object(), *terms = json_array();
    for (size_t i = 0; i < message->terms; i++) {
        json_t *term = json_object();
        json_member(&term, "term", number(message->term[i].term));
        json_text(&term, "name", message->term[i].name);
        json_element(&terms, term);
    }
    json_text(&json, "version", NQ_VERSION);
    json_text(&json, "query", message->query);
    json_member(&json, "terms", terms);
    json_member(&json, "weight", number(message->progress.weight));
    json_member(&json, "weight_done", number(message->progress.weight_done));
    json_member(&json, "weight_restored", number(message->progress.weight_restored));
    json_member(&json, "units", number(message->progress.units));
    json_member(&json, "units_done", number(message->progress.units_done));
    json_member(&json, "units_restored", number(message->progress.units_restored));
    json_member(&json, "nodes", number(message->progress.nodes));
    json_member(&json, "seconds", json_real(message->progress.seconds));
    bytes_json(text, json, JSON_COMPACT);
}

static uint64_t least(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static bool read_progress(const json_t *json, struct work_message *message)
{
    struct progress *progress = &message->progress;
    uint64_t units, units_done, units_restored;
    if (!read_u64(json, "weight", INT64_MAX, &progress->weight) ||
        !read_u64(json, "weight_done", INT64_MAX, &progress->weight_done) ||
        !read_u64(json, "weight_restored", INT64_MAX, &progress->weight_restored) ||
        !read_u64(json, "units", INT64_MAX, &units) || !read_u64(json, "units_done", INT64_MAX, &units_done) ||
        !read_u64(json, "units_restored", INT64_MAX, &units_restored) ||
        !read_u64(json, "nodes", INT64_MAX, &progress->nodes))
        return false;
    const json_t *seconds = json_object_get(json, "seconds");
    progress->seconds = json_number_value(seconds);
    if (!json_is_number(seconds) || progress->seconds < 0 || progress->seconds > MESSAGE_SECONDS_MAX)
        return false;
    /* They are only to be shown: a number that is too large is cut, and the work goes on. */
    progress->weight_done = least(progress->weight_done, progress->weight);
    progress->weight_restored = least(progress->weight_restored, progress->weight_done);
    progress->units = (size_t)units;
    progress->units_done = (size_t)least(units_done, units);
    progress->units_restored = (size_t)least(units_restored, progress->units_done);
    return true;
}

static enum nq_status read_terms(const json_t *terms, struct work_message *message)
{
    if (!json_is_array(terms) || json_array_size(terms) > MESSAGE_TERMS_MAX)
        return NQ_INVALID;
    for (size_t i = 0; i < json_array_size(terms); i++) {
        struct message_term *term = &message->term[message->terms];
        const char *name = json_string_value(json_object_get(json_array_get(terms, i), "name"));
        if (!name || !read_u32(json_array_get(terms, i), "term", &term->term))
            return NQ_INVALID;
        term->name = strdup(name);
        if (!term->name)
            return NQ_NOMEM;
        message->terms++;
    }
    return NQ_OK;
}

enum nq_status work_message_read(struct work_message *message, const char *text, size_t size)
{
    json_t *json;
    enum nq_status status = read(text, size, &json);
    *message = (struct work_message){.query = NULL};
    if (status != NQ_OK)
        return status;
    const char *query = json_string_value(json_object_get(json, "query"));
    if (!read_release(json, message->release))
        status = NQ_INVALID;
    else if (strcmp(message->release, NQ_VERSION) != 0)
        status = NQ_DENIED;
    else if (!query || !read_progress(json, message))
        status = NQ_INVALID;
    if (status == NQ_OK)
        status = read_terms(json_object_get(json, "terms"), message);
    if (status == NQ_OK) {
        message->query = strdup(query);
        status = message->query ? NQ_OK : NQ_NOMEM;
    }
    json_decref(json);
    if (status != NQ_OK)
        work_message_free(message);
    return status;
}

void work_message_free(struct work_message *message)
{
    for (size_t i = 0; i < message->terms; i++)
        free(message->term[i].name);
    free(message->query);
    message->terms = 0;
    message->query = NULL;
}

/* ---- Batches ---- */

void batch_message_write(const struct batch_message *message, struct bytes *text)
{
    json_t *json = json_object(), *runs = json_array();
    for (size_t i = 0; i < message->runs; i++) {
        const struct message_run *run = &message->run[i];
        json_t *numbers = json_array();
        json_element(&numbers, number(run->from.term));
        json_element(&numbers, number(run->from.unit));
        json_element(&numbers, number(run->count));
        if (run->from.piece != UNIT_WHOLE)
            json_element(&numbers, number(run->from.piece));
        json_element(&runs, numbers);
    }
    json_text(&json, "not", message->not_for);
    json_member(&json, "runs", runs);
    bytes_json(text, json, JSON_COMPACT);
}

static bool read_run(const json_t *json, struct message_run *run)
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
    *run =
        (struct message_run){{(uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[3]}, (uint32_t)numbers[2]};
    return size == 4 ? numbers[2] + numbers[3] <= UNIT_WHOLE : numbers[1] + numbers[2] <= UINT32_MAX;
}

enum nq_status batch_message_read(struct batch_message *message, const char *text, size_t size)
{
    json_t *json;
    const enum nq_status status = read(text, size, &json);
    if (status != NQ_OK)
        return status;
    const json_t *runs = json_object_get(json, "runs");
    message->runs = json_array_size(runs);
    bool sound = json_is_array(runs) && message->runs <= MESSAGE_RUNS_MAX &&
                 read_text(json, "not", QUEUE_ID_MAX, message->not_for);
    for (size_t i = 0; sound && i < message->runs; i++)
        sound = read_run(json_array_get(runs, i), &message->run[i]);
    json_decref(json);
    return sound ? NQ_OK : NQ_INVALID;
}

/* ---- Reports ---- */

void report_message_write(const struct report_message *message, struct bytes *text)
{
    char digits[WIDE_TEXT_MAX];
    json_t *json = json_object();
    json_text(&json, "worker", message->worker);
    json_text(&json, "report", reports[message->report]);
    json_member(&json, "term", number(message->place.term));
    json_member(&json, "unit", number(message->place.unit));
    if (message->place.piece != UNIT_WHOLE)
        json_member(&json, "piece", number(message->place.piece));
    json_text(&json, "parts", wide_text(message->parts, digits));
    json_text(&json, "nodes", wide_text(message->nodes, digits));
    json_member(&json, "seconds", json_real(message->seconds));
    bytes_json(text, json, JSON_COMPACT);
}

static bool read_report(const json_t *json, enum message_report *report)
{
    const char *name = json_string_value(json_object_get(json, "report"));
    for (size_t i = 0; name && i < sizeof reports / sizeof reports[0]; i++)
        if (strcmp(name, reports[i]) == 0) {
            *report = (enum message_report)i;
            return true;
        }
    return false;
}

static bool read_place(const json_t *json, struct message_place *place)
{
    place->piece = UNIT_WHOLE;
    if (json_object_get(json, "piece") && (!read_u32(json, "piece", &place->piece) || place->piece >= UNIT_WHOLE))
        return false;
    return read_u32(json, "term", &place->term) && read_u32(json, "unit", &place->unit);
}

enum nq_status report_message_read(struct report_message *message, const char *text, size_t size)
{
    json_t *json;
    const enum nq_status status = read(text, size, &json);
    if (status != NQ_OK)
        return status;
    const json_t *seconds = json_object_get(json, "seconds");
    message->seconds = json_number_value(seconds);
    const bool sound = json_is_number(seconds) && read_text(json, "worker", QUEUE_ID_MAX, message->worker) &&
                       read_report(json, &message->report) && read_place(json, &message->place) &&
                       read_digits(json, "parts", &message->parts) && read_digits(json, "nodes", &message->nodes) &&
                       message->seconds >= 0;
    json_decref(json);
    return sound ? NQ_OK : NQ_INVALID;
}

/* ---- Workers ---- */

void worker_message_write(const struct worker_message *message, struct bytes *text)
{
    json_t *json = json_object();
    json_member(&json, "threads", number(message->threads));
    json_text(&json, "version", NQ_VERSION);
    bytes_json(text, json, JSON_COMPACT);
}

enum nq_status worker_message_read(struct worker_message *message, const char *text, size_t size)
{
    json_t *json;
    const enum nq_status status = read(text, size, &json);
    if (status != NQ_OK)
        return status;
    message->release[0] = '\0';
    const bool sound = read_u32(json, "threads", &message->threads) && message->threads <= 4096 &&
                       (!json_object_get(json, "version") || read_release(json, message->release));
    json_decref(json);
    return sound ? NQ_OK : NQ_INVALID;
}
