/* fuzz_slips.c - what comes from the broker, as every slip there is: what is read keeps to its bounds, is written, and
 * is then read again the same. */
#include <string.h>

#include "engine/slips.h"
#include "fuzz.h"

static void check_work(const char *text, size_t size)
{
    struct work_slip slip, again;
    struct bytes out = {0}, once_more = {0};
    if (work_slip_read(&slip, text, size) != NQ_OK)
        return;
    REQUIRE(slip.query && slip.terms <= SLIP_TERMS_MAX);
    work_slip_write(&slip, &out);
    REQUIRE(!out.failed && work_slip_read(&again, out.data, out.size) == NQ_OK);
    REQUIRE(again.terms == slip.terms && strcmp(again.query, slip.query) == 0);
    for (size_t i = 0; i < slip.terms; i++)
        REQUIRE(again.term[i].term == slip.term[i].term && strcmp(again.term[i].name, slip.term[i].name) == 0);
    work_slip_write(&again, &once_more);
    REQUIRE(once_more.size == out.size && memcmp(once_more.data, out.data, out.size) == 0);
    work_slip_free(&slip);
    work_slip_free(&again);
    bytes_free(&out);
    bytes_free(&once_more);
}

static void check_batch(const char *text, size_t size)
{
    struct batch_slip slip, again;
    struct bytes out = {0};
    if (batch_slip_read(&slip, text, size) != NQ_OK)
        return;
    REQUIRE(slip.runs <= SLIP_RUNS_MAX && strnlen(slip.not_for, sizeof slip.not_for) <= QUEUE_ID_MAX);
    batch_slip_write(&slip, &out);
    REQUIRE(!out.failed && batch_slip_read(&again, out.data, out.size) == NQ_OK);
    REQUIRE(again.runs == slip.runs && strcmp(again.not_for, slip.not_for) == 0);
    for (size_t i = 0; i < slip.runs; i++) {
        const struct slip_run *one = &slip.run[i], *other = &again.run[i];
        REQUIRE(one->from.piece == UNIT_WHOLE ? (uint64_t)one->from.unit + one->count <= UINT32_MAX
                                              : (uint64_t)one->from.piece + one->count <= UNIT_WHOLE);
        REQUIRE(memcmp(one, other, sizeof *one) == 0);
    }
    bytes_free(&out);
}

static void check_report(const char *text, size_t size)
{
    struct report_slip slip, again;
    struct bytes out = {0};
    if (report_slip_read(&slip, text, size) != NQ_OK)
        return;
    REQUIRE(strnlen(slip.worker, sizeof slip.worker) <= QUEUE_ID_MAX);
    REQUIRE(slip.report <= SLIP_DIFFERS && slip.seconds >= 0);
    report_slip_write(&slip, &out);
    REQUIRE(!out.failed && report_slip_read(&again, out.data, out.size) == NQ_OK);
    REQUIRE(strcmp(again.worker, slip.worker) == 0 && again.report == slip.report);
    REQUIRE(memcmp(&again.place, &slip.place, sizeof slip.place) == 0 && slip.place.piece <= UNIT_WHOLE);
    REQUIRE(again.parts == slip.parts && again.nodes == slip.nodes && again.seconds == slip.seconds);
    bytes_free(&out);
}

static void check_worker(const char *text, size_t size)
{
    struct worker_slip slip, again;
    struct bytes out = {0};
    if (worker_slip_read(&slip, text, size) != NQ_OK)
        return;
    worker_slip_write(&slip, &out);
    REQUIRE(!out.failed && worker_slip_read(&again, out.data, out.size) == NQ_OK);
    REQUIRE(again.threads == slip.threads);
    bytes_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    check_work(text, size);
    check_batch(text, size);
    check_report(text, size);
    check_worker(text, size);
    return 0;
}
