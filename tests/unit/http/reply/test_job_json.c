/* test_job_json.c - tests of src/http/reply/job_json.c: every member of a job, in every state. */
/* CI builds: address */
#include "http/reply/job_json.h"

#include "support/facts.h"

static struct answer *answer_of(const char *body)
{
    struct bytes bytes = {0};
    bytes_text(&bytes, body);
    struct answer *answer = answer_new(&bytes, "application/json");
    assert_non_null(answer);
    bytes_free(&bytes);
    return answer;
}

/* Writes a view and ends it; the caller releases. */
static json_t *write_json(struct job_view view, const char *prefix)
{
    struct bytes body = {0};
    job_write(&body, &view, prefix);
    assert_false(body.failed);
    assert_true(body.size > 1 && body.data[body.size - 1] == '\n');
    assert_null(memchr(body.data, '\n', body.size - 1)); /* one line */
    json_error_t error;
    json_t *json = json_loadb(body.data, body.size, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%s", error.text);
    bytes_free(&body);
    answer_unref(view.result);
    return json;
}

static const char *text(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));
    assert_non_null(value);
    return value;
}

static double number(const json_t *json, const char *key)
{
    assert_true(json_is_number(json_object_get(json, key)));
    return json_number_value(json_object_get(json, key));
}

static struct job_view view_of(enum job_state state)
{
    return (struct job_view){.id = "0123456789abcdef",
                             .state = state,
                             .stored = state == JOB_RUNNING,
                             .owners = 1,
                             .path = "/count?n=20&method=compute",
                             .eta_s = -1,
                             .created = 1000000000};
}

TEST(test_states)
{
    static const char *const names[] = {"queued", "running", "done", "failed", "cancelled"};
    for (int i = JOB_QUEUED; i <= JOB_CANCELLED; i++) {
        json_t *json = write_json(view_of((enum job_state)i), "");
        assert_string_equal(text(json, "id"), "0123456789abcdef");
        assert_string_equal(text(json, "state"), names[i]);
        assert_string_equal(text(json, "kind"), "count");
        assert_string_equal(text(json, "query"), "/count?n=20&method=compute");
        assert_string_equal(text(json, "self"), "/jobs/0123456789abcdef");
        assert_string_equal(text(json, "events"), "/jobs/0123456789abcdef/events");
        assert_string_equal(text(json, "created"), "2001-09-09T01:46:40Z");
        assert_true(json_is_null(json_object_get(json, "finished")));
        assert_true(json_is_null(json_object_get(json, "eta_seconds")));
        assert_true(number(json, "progress") == (i == JOB_DONE));
        assert_int_equal(facts_get(json, "shares"), 1);
        assert_true(json_is_boolean(json_object_get(json, "stored")));
        assert_int_equal(json_is_true(json_object_get(json, "stored")), i == JOB_RUNNING);
        assert_null(json_object_get(json, "why"));
        assert_null(json_object_get(json, "result"));
        json_decref(json);
    }
}

TEST(test_progress)
{
    struct job_view view = view_of(JOB_RUNNING);
    view.owners = 3;
    view.eta_s = 0.2;
    view.progress = (struct progress){.weight = 4000000000000000000,
                                      .weight_done = 1000000000000000000,
                                      .weight_restored = 500,
                                      .units = 20000,
                                      .units_done = 5000,
                                      .units_restored = 17,
                                      .nodes = INT64_MAX,
                                      .took_off = 12345};
    json_t *json = write_json(view, "/queens");
    assert_string_equal(text(json, "query"), "/queens/count?n=20&method=compute");
    assert_string_equal(text(json, "self"), "/queens/jobs/0123456789abcdef");
    assert_string_equal(text(json, "events"), "/queens/jobs/0123456789abcdef/events");
    assert_true(number(json, "progress") == 0.25);
    assert_int_equal(facts_get(json, "eta_seconds"), 1); /* whole ones, rounded up */
    assert_int_equal(facts_get(json, "shares"), 3);
    assert_int_equal(facts_get(json, "nodes"), INT64_MAX);
    const json_t *units = json_object_get(json, "units");
    assert_int_equal(json_object_size(units), 3);
    assert_int_equal(facts_get(units, "done"), 5000);
    assert_int_equal(facts_get(units, "total"), 20000);
    assert_int_equal(facts_get(units, "restored"), 17);
    json_decref(json);
    view.eta_s = 0;
    json = write_json(view, "");
    assert_int_equal(facts_get(json, "eta_seconds"), 0);
    json_decref(json);
    view.eta_s = 86400 * 365.0 * 1000;
    json = write_json(view, "");
    assert_int_equal(facts_get(json, "eta_seconds"), 31536000000);
    json_decref(json);
}

/* The fraction is between 0 and 1, and always a number. */
TEST(test_fraction_done)
{
    static const uint64_t weights[][2] = {{0, 0}, {1, 0}, {1, 1}, {3, 1}, {UINT64_MAX, UINT64_MAX}};
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        struct job_view view = view_of(JOB_RUNNING);
        view.progress = (struct progress){.weight = weights[i][0], .weight_done = weights[i][1]};
        json_t *json = write_json(view, "");
        assert_true(number(json, "progress") >= 0 && number(json, "progress") <= 1);
        json_decref(json);
    }
}

TEST(test_ends)
{
    struct job_view view = view_of(JOB_DONE);
    view.finished = 1700000000;
    view.result = answer_of("{\"n\":20,\"count\":39029188884,\"count_text\":\"39029188884\"}\n");
    json_t *json = write_json(view, "");
    assert_string_equal(text(json, "finished"), "2023-11-14T22:13:20Z");
    assert_int_equal(facts_get(json_object_get(json, "result"), "count"), 39029188884);
    assert_int_equal(json_object_size(json_object_get(json, "result")), 3);
    json_decref(json);

    view = view_of(JOB_FAILED);
    view.finished = 1700000000;
    strcpy(view.fault.text, "it is \"too\" long \xe2\x80\x93 far too long");
    json = write_json(view, "");
    assert_string_equal(text(json, "why"), view.fault.text);
    assert_null(json_object_get(json, "failure")); /* it has no code */
    json_decref(json);

    fault_write(&view.fault, FAULT_UNITS, (const double[]){3}, "%d units were handed out again and again.", 3);
    json = write_json(view, "");
    assert_string_equal(text(json_object_get(json, "failure"), "code"), "units-not-counted");
    assert_int_equal(facts_get(json_object_get(json, "failure"), "units"), 3);
    json_decref(json);

    view = view_of(JOB_DONE); /* of a damaged record */
    view.result = answer_of("no JSON");
    json = write_json(view, "");
    assert_null(json_object_get(json, "result"));
    json_decref(json);
}

/* It appends. */
TEST(test_append)
{
    BYTES(body);
    const struct job_view view = view_of(JOB_QUEUED);
    bytes_text(&body, "before ");
    job_write(&body, &view, "");
    assert_memory_equal(body.data, "before {\"", 9);
}
