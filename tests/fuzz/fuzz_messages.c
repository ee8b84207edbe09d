/* fuzz_messages.c - what comes from the broker, as every message there is: what is read keeps to its bounds, is
 * written, and is then read again the same. */
#include <string.h>

#include "engine/cluster/messages.h"
#include "fuzz.h"

static void check_progress(const char *text, size_t size)
{
    struct progress progress, again;
    struct bytes out = {0};
    if (progress_read(&progress, text, size) != NQ_OK)
        return;
    REQUIRE(progress.weight_restored <= progress.weight_done && progress.weight_done <= progress.weight);
    REQUIRE(progress.units_restored <= progress.units_done && progress.units_done <= progress.units);
    progress_write(&progress, &out);
    REQUIRE(!out.failed && progress_read(&again, out.data, out.size) == NQ_OK);
    REQUIRE(memcmp(&again, &progress, sizeof again) == 0);
    bytes_free(&out);
}

static void check_batch(const char *text, size_t size)
{
    struct batch_message message, again;
    struct bytes out = {0};
    if (batch_message_read(&message, text, size) != NQ_OK)
        return;
    REQUIRE(message.runs && message.runs <= MESSAGE_RUNS_MAX);
    batch_message_write(&message, &out);
    REQUIRE(!out.failed && batch_message_read(&again, out.data, out.size) == NQ_OK);
    REQUIRE(again.runs == message.runs);
    REQUIRE(strcmp(again.query, message.query) == 0 && strcmp(again.name, message.name) == 0);
    for (size_t i = 0; i < message.runs; i++) {
        const struct message_run *one = &message.run[i], *other = &again.run[i];
        REQUIRE(one->from.piece == UNIT_WHOLE ? (uint64_t)one->from.unit + one->count <= UINT32_MAX
                                              : (uint64_t)one->from.piece + one->count <= UNIT_WHOLE);
        REQUIRE(memcmp(one, other, sizeof *one) == 0);
    }
    batch_message_free(&message);
    batch_message_free(&again);
    bytes_free(&out);
}

static void check_report(const char *text, size_t size)
{
    struct report_message message, again;
    struct bytes out = {0};
    if (report_message_read(&message, text, size) != NQ_OK)
        return;
    REQUIRE(strnlen(message.worker, sizeof message.worker) <= QUEUE_ID_MAX);
    REQUIRE(message.report <= MESSAGE_CHECKED && message.seconds >= 0);
    report_message_write(&message, &out);
    REQUIRE(!out.failed && report_message_read(&again, out.data, out.size) == NQ_OK);
    REQUIRE(strcmp(again.worker, message.worker) == 0 && again.report == message.report);
    REQUIRE(memcmp(&again.place, &message.place, sizeof message.place) == 0 && message.place.piece <= UNIT_WHOLE);
    REQUIRE(again.parts == message.parts && again.nodes == message.nodes && again.seconds == message.seconds);
    bytes_free(&out);
}

static void check_worker(const char *text, size_t size)
{
    struct worker_message message, again;
    struct bytes out = {0};
    if (worker_message_read(&message, text, size) != NQ_OK)
        return;
    worker_message_write(&message, &out);
    REQUIRE(!out.failed && worker_message_read(&again, out.data, out.size) == NQ_OK);
    REQUIRE(again.threads == message.threads);
    bytes_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    check_progress(text, size);
    check_batch(text, size);
    check_report(text, size);
    check_worker(text, size);
    return 0;
}
