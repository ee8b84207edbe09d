/* test_readiness.c - tests of src/http/guard/readiness.c: every reason is listed, and no other. */
/* CI builds: address */
#include "http/guard/readiness.h"

#include <jansson.h>

#include "support/facts.h"

/* The status and what its reasons are about: "status: what what ...". */
static void assert_reports(struct readiness readiness, unsigned status, const char *wanted)
{
    BYTES(out);
    char report[200];
    size_t i;
    json_t *reason;
    assert_int_equal(readiness_write(&readiness, &out), status);
    OWNED(json_decref) json_t *json = json_loadb(out.data, out.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    const json_t *reasons = json_object_get(json, "reasons");
    (void)snprintf(report, sizeof report, "%s:", json_string_value(json_object_get(json, "status")));
    assert_true(!reasons || json_array_size(reasons) > 0);
    json_array_foreach(reasons, i, reason)
    {
        const size_t size = strlen(report);
        (void)snprintf(report + size, sizeof report - size, " %s", json_string_value(json_object_get(reason, "what")));
        assert_true(json_string_length(json_object_get(reason, "detail")) > 10);
    }
    assert_string_equal(report, wanted);
    assert_int_equal(out.data[out.size - 1], '\n');
}

/* Nearly full, of everything. */
static const struct readiness busy = {
    .active = 50,
    .waiting = 3,
    .queued = 255,
    .queue = 256,
    .streams = 255,
    .max_streams = 256,
    .connections = 999,
    .max_connections = 1000,
    .jobs = 99,
    .max_jobs = 100,
};

/* A note leaves the status as it is. */
TEST(test_notes)
{
    struct readiness now = busy;
    BYTES(out);
    now.reload_fault = "keys: line 3: it is no hash";
    assert_reports(now, 200, "ready:");
    assert_int_equal(readiness_write(&now, &out), 200);
    bytes_char(&out, '\0');
    assert_non_null(strstr(out.data, "\"notes\":[{\"what\":\"reload\",\"detail\":\""));
    assert_non_null(strstr(out.data, "keys: line 3: it is no hash"));
    now.draining = true;
    assert_reports(now, 503, "draining: draining");
}

TEST(test_each_reason)
{
    struct readiness now = busy;
    assert_reports(now, 200, "ready:");
    now.queued++;
    assert_reports(now, 200, "degraded: queue");
    now = busy;
    now.streams++;
    assert_reports(now, 200, "degraded: streams");
    now = busy;
    now.jobs++;
    assert_reports(now, 200, "degraded: jobs");
    now = busy;
    now.connections++;
    assert_reports(now, 200, "degraded: connections");
    now = busy;
    now.workers = 3;
    assert_reports(now, 200, "ready:");
    now.foreign = 1;
    now.foreign_release = "";
    assert_reports(now, 200, "degraded: workers");
    now.workers = 0;
    now.foreign_release = "7.8";
    assert_reports(now, 200, "degraded: workers");
    now = busy;
    now.log_dropping = true;
    assert_reports(now, 200, "degraded: log");
    now = busy;
    now.trouble = "disk full";
    assert_reports(now, 200, "degraded: store");
    now.trouble = "";
    assert_reports(now, 200, "degraded: store");
    now.unread = true;
    assert_reports(now, 200, "degraded: store"); /* once */
    now.trouble = NULL;
    assert_reports(now, 200, "degraded: store");
    now.unread = false;
    now.fallback = "no such folder";
    assert_reports(now, 200, "degraded: store");
    now = busy;
    now.starting = true;
    assert_reports(now, 503, "starting: starting");
    now.draining = true;
    assert_reports(now, 503, "draining: draining");
    now.closing = true;
    assert_reports(now, 503, "draining: draining");
    assert_reports((struct readiness){.queue = 0}, 200, "ready:"); /* a limit of 0 is never reached */
}

TEST(test_all_reasons)
{
    struct readiness now = busy;
    now.queued = now.queue;
    now.streams = now.max_streams;
    now.jobs = now.max_jobs;
    now.connections = now.max_connections;
    now.log_dropping = true;
    now.trouble = "disk full";
    now.fallback = "no such folder";
    assert_reports(now, 200, "degraded: store store queue streams jobs connections log");
    now.draining = true;
    assert_reports(now, 503, "draining: draining store store queue streams jobs connections log");
}

/* The store's message is in the detail, whatever bytes it has, and the reply is still JSON. */
TEST(test_messages_of_the_store)
{
    char longest[512];
    struct readiness now = busy;
    struct bytes out = {0};
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    now.trouble = "cannot write \"/a\n\xff\xc3\xa9\": disk full";
    (void)readiness_write(&now, &out);
    bytes_char(&out, '\0');
    assert_non_null(strstr(out.data, "cannot write \\\"/a\\n"));
    assert_non_null(strstr(out.data, ": disk full. 3 facts wait"));
    bytes_free(&out);
    assert_reports(now, 200, "degraded: store");
    now.trouble = now.fallback = longest;
    assert_reports(now, 200, "degraded: store store");
}
