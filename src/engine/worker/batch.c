/* batch.c - unit by unit; what another one has stored first must be the same. */
#include "engine/worker/batch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/stop.h"
#include "engine/cluster/waits.h"
#include "engine/units/units.h"

static void report(const struct batch_tools *tools, const struct assignment *assignment,
                   const struct report_message *message)
{
    struct bytes text = {0};
    char id[17];
    work_id(assignment->query, id);
    report_message_write(message, &text);
    char *taken = bytes_take(&text);
    if (taken)
        (void)queue_publish(tools->queue, QUEUE_REPORT, id, taken); /* the store has it, too */
    free(taken);
}

/* Reads the store's result of a unit. */
static enum nq_status look(const struct batch_tools *tools, const char *key, uint64_t *parts, uint64_t *nodes)
{
    struct bytes value = {0};
    nq_wide read = 0;
    enum nq_status status = store_get(tools->store, STORE_UNIT, key, &value);
    if (status == NQ_OK && (!units_read_fact(value.data, value.size, &read, nodes) || read > UINT64_MAX))
        status = NQ_NONE;
    *parts = (uint64_t)read;
    bytes_free(&value);
    return status;
}

/* Stores a result, as soon as there is a broker; if another worker has stored one first, compares them. */
static enum nq_status keep(struct batch_tools *tools, const char *key, struct report_message *message)
{
    char value[UNIT_FACT_MAX];
    uint64_t parts, nodes;
    enum nq_status status;
    units_fact(message->parts, message->nodes, value);
    const struct store_fact fact = {.kind = STORE_UNIT, .key = key, .value = value, .size = strlen(value)};
    const struct timespec pause = {.tv_nsec = PAUSE_MS * CLOCK_MILLISECOND};
    while ((status = store_add(tools->store, &fact)) == NQ_BROKEN && !stop_wanted(tools->stop))
        nanosleep(&pause, NULL);
    if (status != NQ_DENIED)
        return status;
    atomic_fetch_add(&tools->refused, 1);
    if (look(tools, key, &parts, &nodes) == NQ_OK && parts != message->parts)
        message->report = MESSAGE_DIFFERS;
    return NQ_OK;
}

static enum nq_status count_it(const struct batch_tools *tools, const struct assignment *assignment,
                               const struct message_place *place, struct unit_result *result)
{
    const struct counting *counting = assignment->counting;
    const size_t unit = counting_first(counting, place->term) + place->unit;
    return place->piece == UNIT_WHOLE
               ? counting_count(counting, unit, tools->kernel, tools->stop, result)
               : counting_count_piece(counting, unit, place->piece, tools->kernel, tools->stop, result);
}

/* audit: the result is only reported, for comparison. */
static enum nq_status count_unit(struct batch_tools *tools, const struct assignment *assignment,
                                 const struct message_place *place, bool audit, bool again)
{
    struct report_message message = {.report = audit ? MESSAGE_CHECKED : MESSAGE_COUNTED, .place = *place};
    const uint64_t since = clock_now();
    struct unit_result result;
    strncpy(message.worker, tools->id, sizeof message.worker - 1);
    char *key = units_key(assignment->name, place->unit, place->piece);
    enum nq_status status = key ? NQ_AGAIN : NQ_NOMEM;
    if (key && again && !audit)
        status = look(tools, key, &message.parts, &message.nodes) == NQ_OK ? NQ_OK : NQ_AGAIN;
    if (status == NQ_AGAIN) {
        status = count_it(tools, assignment, place, &result);
        message.parts = result.thirds;
        message.nodes = result.nodes;
        message.seconds = (double)(clock_now() - since) / (double)CLOCK_SECOND;
        if (status == NQ_OK && !audit)
            status = keep(tools, key, &message);
    }
    if (status == NQ_OK) {
        report(tools, assignment, &message);
        atomic_fetch_add(&tools->units, 1);
        atomic_fetch_add(&tools->nodes, message.nodes);
        atomic_fetch_add(&tools->worked, clock_now() - since);
    }
    free(key);
    return status;
}

static bool is_there(const struct assignment *assignment, const struct message_place *place)
{
    const struct counting *counting = assignment->counting;
    return place->unit < counting_first(counting, place->term + 1) - counting_first(counting, place->term);
}

enum nq_status batch_count(struct batch_tools *tools, const struct assignment *assignment,
                           const struct batch_message *message, bool again)
{
    enum nq_status status = NQ_OK;
    for (size_t i = 0; i < message->runs && status == NQ_OK; i++) {
        const struct message_run *run = &message->run[i];
        for (uint32_t j = 0; j < run->count && status == NQ_OK; j++) {
            const struct message_place place = message_place(run, j);
            status = is_there(assignment, &place) ? count_unit(tools, assignment, &place, *message->not_for, again)
                                                  : NQ_INVALID;
        }
    }
    return status;
}

/* Where the sum is stored nobody needs the units. */
enum nq_status batch_clean_up(const struct batch_tools *tools, const struct assignment *assignment)
{
    struct bytes sum = {0};
    enum nq_status status = store_get(tools->store, STORE_RESULT, assignment->name, &sum);
    bytes_free(&sum);
    if (status != NQ_OK)
        return status == NQ_NONE ? NQ_OK : status;
    char *prefix = units_prefix(assignment->name);
    status = prefix ? store_delete_prefix(tools->store, STORE_UNIT, prefix) : NQ_NOMEM;
    free(prefix);
    return status;
}
