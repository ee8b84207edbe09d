/* messages.c - texts in JSON. Any client of the broker may write anything: a text is a message only if
 * all of it makes sense. */
#include "engine/cluster/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/process.h"
#include "base/wide.h"
#include "engine/ask/digest.h"

/* Of seconds: what is written is read as the same number. */
enum { DIGITS = 17 };

static const char *const reports[] = {[MESSAGE_COUNTED] = "counted", [MESSAGE_CHECKED] = "checked"};

/* The id of a worker: it is written into logs and into replies. */
static bool read_id(const char *text, char out[static QUEUE_ID_MAX + 1])
{
    const bool sound = queue_id_is_sound(text);
    if (sound)
        memcpy(out, text, strlen(text) + 1);
    return sound;
}

/* A number from 0 to most. */
static bool read_u32(json_int_t value, uint32_t most, uint32_t *out)
{
    *out = (uint32_t)value;
    return value >= 0 && value <= most;
}

/* Decimal digits. */
static bool read_digits(const char *text, nq_wide most, nq_wide *out)
{
    return wide_read(text, text + strlen(text), out) && *out <= most;
}

static enum nq_status read(const char *text, size_t size, json_t **json, json_error_t *error)
{
    return json_read(text, size, JSON_REJECT_DUPLICATES, json, error);
}

void work_id(const char *query, char id[static 17])
{
    digest_id(build_id, query, id);
}

/* Frees the document. error: of json_unpack_ex(), unless it has read everything. */
static enum nq_status outcome(json_t *json, bool sound, const json_error_t *error)
{
    json_decref(json);
    return sound ? NQ_OK : json_error_code(error) == json_error_out_of_memory ? NQ_NOMEM : NQ_INVALID;
}

/* ---- Progress ---- */

void progress_write(const struct progress *progress, struct bytes *text)
{
    const size_t start = text->size;
    const uint64_t numbers[] = {progress->weight, progress->weight_done, progress->weight_restored,
                                progress->units,  progress->units_done,  progress->units_restored,
                                progress->nodes};
    json_begin_array(text, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_write_number(text, NULL, numbers[i]);
    json_write_real(text, NULL, progress->seconds, DIGITS);
    json_end_array(text);
    json_end_document(text, start);
}

/* They are only to be shown: a number that is too large is cut. */
static json_int_t at_most(json_int_t number, json_int_t most)
{
    return number < most ? number : most;
}

enum nq_status progress_read(struct progress *progress, const char *text, size_t size)
{
    json_t *json;
    json_error_t error = {.text = ""}; /* what can be unpacked leaves it as it is */
    json_int_t weight, weight_done, weight_restored, units, units_done, units_restored, nodes;
    double seconds;
    enum nq_status status = read(text, size, &json, &error);
    if (status != NQ_OK)
        return status;
    const bool sound = json_unpack_ex(json, &error, 0, "[IIIIIIIF!]", &weight, &weight_done, &weight_restored, &units,
                                      &units_done, &units_restored, &nodes, &seconds) == 0 &&
                       weight >= 0 && weight_done >= 0 && weight_restored >= 0 && units >= 0 && units_done >= 0 &&
                       units_restored >= 0 && nodes >= 0 && seconds >= 0 && seconds <= MESSAGE_SECONDS_MAX;
    status = outcome(json, sound, &error);
    if (status != NQ_OK)
        return status;
    weight_done = at_most(weight_done, weight);
    units_done = at_most(units_done, units);
    *progress = (struct progress){.weight = (uint64_t)weight,
                                  .weight_done = (uint64_t)weight_done,
                                  .weight_restored = (uint64_t)at_most(weight_restored, weight_done),
                                  .units = (size_t)units,
                                  .units_done = (size_t)units_done,
                                  .units_restored = (size_t)at_most(units_restored, units_done),
                                  .nodes = (uint64_t)nodes,
                                  .seconds = seconds};
    return NQ_OK;
}

/* ---- Batches ---- */

static void write_three(struct bytes *text, const char *name, const uint32_t numbers[static 3])
{
    json_begin_array(text, name);
    for (int i = 0; i < 3; i++)
        json_write_number(text, NULL, numbers[i]);
    json_end_array(text);
}

void batch_message_write(const struct batch_message *message, struct bytes *text)
{
    const size_t start = text->size;
    json_begin_object(text, NULL);
    json_write_text(text, "query", message->query);
    json_write_text(text, "name", message->name);
    json_write_number(text, "term", message->run[0].from.term);
    json_begin_array(text, "runs");
    for (size_t i = 0; i < message->runs; i++) {
        const struct message_run *run = &message->run[i];
        write_three(text, NULL, (const uint32_t[]){run->from.unit, run->from.piece, run->count});
    }
    json_end_array(text);
    json_end_object(text);
    json_end_document(text, start);
}

static bool read_run(json_t *json, uint32_t term, struct message_run *run)
{
    json_int_t unit, piece, count;
    run->from.term = term;
    return json_unpack(json, "[III!]", &unit, &piece, &count) == 0 && read_u32(unit, UINT32_MAX, &run->from.unit) &&
           read_u32(piece, UNIT_WHOLE, &run->from.piece) && read_u32(count, UINT32_MAX, &run->count) &&
           (piece == UNIT_WHOLE ? unit + count <= UINT32_MAX : piece + count <= UNIT_WHOLE);
}

static bool read_batch(json_t *json, struct batch_message *message, const char **query, const char **name,
                       json_error_t *error)
{
    json_int_t number;
    uint32_t term = 0;
    json_t *runs;
    bool sound = json_unpack_ex(json, error, 0, "{s:s, s:s, s:I, s:o}", "query", query, "name", name, "term", &number,
                                "runs", &runs) == 0 &&
                 read_u32(number, UINT32_MAX, &term) && json_array_size(runs) > 0 &&
                 json_array_size(runs) <= MESSAGE_RUNS_MAX;
    message->runs = sound ? json_array_size(runs) : 0;
    for (size_t i = 0; sound && i < message->runs; i++)
        sound = read_run(json_array_get(runs, i), term, &message->run[i]);
    return sound;
}

enum nq_status batch_message_read(struct batch_message *message, const char *text, size_t size)
{
    json_t *json;
    json_error_t error = {.text = ""};
    const char *query, *name;
    enum nq_status status = read(text, size, &json, &error);
    message->query = message->name = NULL;
    if (status != NQ_OK)
        return status;
    const bool sound = read_batch(json, message, &query, &name, &error);
    if (sound) {
        message->query = strdup(query);
        message->name = strdup(name);
    }
    status = outcome(json, sound, &error);
    if (status == NQ_OK && !(message->query && message->name))
        status = NQ_NOMEM;
    if (status != NQ_OK)
        batch_message_free(message);
    return status;
}

void batch_message_free(struct batch_message *message)
{
    free(message->query);
    free(message->name);
    message->query = message->name = NULL;
}

/* ---- Reports ---- */

void report_message_write(const struct report_message *message, struct bytes *text)
{
    const size_t start = text->size;
    char parts[WIDE_TEXT_MAX], nodes[WIDE_TEXT_MAX];
    const struct message_place *place = &message->place;
    json_begin_object(text, NULL);
    json_write_text(text, "worker", message->worker);
    json_write_text(text, "report", reports[message->report]);
    write_three(text, "place", (const uint32_t[]){place->term, place->unit, place->piece});
    json_write_text(text, "parts", wide_text(message->parts, parts));
    json_write_text(text, "nodes", wide_text(message->nodes, nodes));
    json_write_real(text, "seconds", message->seconds, DIGITS);
    json_end_object(text);
    json_end_document(text, start);
}

static bool read_report(const char *name, enum message_report *report)
{
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++)
        if (strcmp(name, reports[i]) == 0) {
            *report = (enum message_report)i;
            return true;
        }
    return false;
}

enum nq_status report_message_read(struct report_message *message, const char *text, size_t size)
{
    json_t *json;
    json_error_t error = {.text = ""};
    const char *worker, *report, *parts, *nodes;
    json_int_t term, unit, piece;
    nq_wide tried = 0;
    struct message_place *place = &message->place;
    const enum nq_status status = read(text, size, &json, &error);
    if (status != NQ_OK)
        return status;
    const bool sound = json_unpack_ex(json, &error, 0, "{s:s, s:s, s:[III!], s:s, s:s, s:F}", "worker", &worker,
                                      "report", &report, "place", &term, &unit, &piece, "parts", &parts, "nodes",
                                      &nodes, "seconds", &message->seconds) == 0 &&
                       read_id(worker, message->worker) && read_report(report, &message->report) &&
                       read_u32(term, UINT32_MAX, &place->term) && read_u32(unit, UINT32_MAX, &place->unit) &&
                       read_u32(piece, UNIT_WHOLE, &place->piece) && read_digits(parts, ~(nq_wide)0, &message->parts) &&
                       read_digits(nodes, UINT64_MAX, &tried) && message->seconds >= 0;
    message->nodes = (uint64_t)tried;
    return outcome(json, sound, &error);
}

/* ---- Workers ---- */

void worker_message_write(const struct worker_message *message, struct bytes *text)
{
    const size_t start = text->size;
    json_begin_object(text, NULL);
    json_write_number(text, "threads", message->threads);
    json_write_text(text, "version", build_id);
    json_end_object(text);
    json_end_document(text, start);
}

/* Only characters that a release's name may have: it is written into logs. */
static bool is_release(const char *text)
{
    static const char *const known = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+~_-";
    const size_t size = strlen(text);
    return size >= 1 && size <= RELEASE_MAX && strspn(text, known) == size;
}

enum nq_status worker_message_read(struct worker_message *message, const char *text, size_t size)
{
    enum { THREADS_MAX = 4096 };
    json_t *json;
    json_error_t error = {.text = ""};
    const char *release = NULL;
    json_int_t threads;
    enum nq_status status = read(text, size, &json, &error);
    if (status != NQ_OK)
        return status;
    message->release[0] = '\0';
    const bool sound = json_unpack_ex(json, &error, 0, "{s:I, s?s}", "threads", &threads, "version", &release) == 0 &&
                       read_u32(threads, THREADS_MAX, &message->threads) && (!release || is_release(release));
    if (sound && release)
        memcpy(message->release, release, strlen(release) + 1);
    return outcome(json, sound, &error);
}
