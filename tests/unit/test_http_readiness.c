/* test_http_readiness.c - tests of src/http/readiness.c: every reason is told, with what it is about, and nothing else.
 */
#include "http/readiness.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"

/* What is told of it: "status: what what ...". */
static void assert_told(struct readiness readiness, unsigned status, const char *wanted)
{
    struct bytes out = {0};
    char told[200];
    size_t i;
    json_t *reason;
    assert_int_equal(readiness_write(&readiness, &out), status);
    json_t *json = json_loadb(out.data, out.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    const json_t *reasons = json_object_get(json, "reasons");
    (void)snprintf(told, sizeof told, "%s:", json_string_value(json_object_get(json, "status")));
    assert_true(!reasons || json_array_size(reasons) > 0);
    json_array_foreach(reasons, i, reason)
    {
        const size_t size = strlen(told);
        (void)snprintf(told + size, sizeof told - size, " %s", json_string_value(json_object_get(reason, "what")));
        assert_true(json_string_length(json_object_get(reason, "detail")) > 10);
    }
    assert_string_equal(told, wanted);
    assert_int_equal(out.data[out.size - 1], '\n');
    json_decref(json);
    bytes_free(&out);
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

static void test_each(void **state)
{
    (void)state;
    struct readiness now = busy;
    assert_told(now, 200, "ready:");
    now.queued++;
    assert_told(now, 200, "degraded: queue");
    now = busy;
    now.streams++;
    assert_told(now, 200, "degraded: streams");
    now = busy;
    now.jobs++;
    assert_told(now, 200, "degraded: jobs");
    now = busy;
    now.connections++;
    assert_told(now, 200, "degraded: connections");
    now = busy;
    now.log_dropping = true;
    assert_told(now, 200, "degraded: log");
    now = busy;
    now.trouble = "disk full";
    assert_told(now, 200, "degraded: store");
    now.trouble = "";
    assert_told(now, 200, "degraded: store");
    now.trouble = NULL;
    now.fallback = "no such folder";
    assert_told(now, 200, "degraded: store");
    now = busy;
    now.starting = true;
    assert_told(now, 503, "starting: starting");
    now.draining = true;
    assert_told(now, 503, "draining: draining");
    assert_told((struct readiness){.queue = 0}, 200, "ready:"); /* where nothing may be, nothing is full */
}

static void test_all(void **state)
{
    (void)state;
    struct readiness now = busy;
    now.queued = now.queue;
    now.streams = now.max_streams;
    now.jobs = now.max_jobs;
    now.connections = now.max_connections;
    now.log_dropping = true;
    now.trouble = "disk full";
    now.fallback = "no such folder";
    assert_told(now, 200, "degraded: store store queue streams jobs connections log");
    now.draining = true;
    assert_told(now, 503, "draining: draining store store queue streams jobs connections log");
}

/* What a store says of itself is in the detail, whatever it says, and the reply is still JSON. */
static void test_words(void **state)
{
    (void)state;
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
    assert_told(now, 200, "degraded: store");
    now.trouble = now.fallback = longest;
    assert_told(now, 200, "degraded: store store");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
