/* test_job_json.c - tests of src/http/reply/job_json.c: the whole line of a job, in every state. */
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

#define BEGIN(prefix, state) \
    "{\"id\":\"0123456789abcdef\",\"state\":\"" state "\",\"kind\":\"count\",\"query\":\"" prefix \
    "/count?n=20&method=compute\",\"self\":\"" prefix "/jobs/0123456789abcdef\",\"events\":\"" prefix \
    "/jobs/0123456789abcdef/events\","
#define PROGRESS(fraction) \
    "\"progress\":" fraction ",\"eta_seconds\":null,\"units\":{\"done\":0,\"total\":0,\"restored\":0},\"nodes\":0,"
#define CREATED "\"created\":\"2001-09-09T01:46:40Z\",\"finished\":"
#define NEW CREATED "null,\"stored\":false,\"shares\":1}\n"
#define RUNS CREATED "null,\"stored\":true,\"shares\":1}\n"
#define ENDED CREATED "\"2023-11-14T22:13:20Z\",\"stored\":false,\"shares\":1"

/* The whole line of a view, whose result is released. */
static void check(struct job_view view, const char *prefix, const char *line)
{
    BYTES(body);
    job_write(&body, &view, prefix);
    bytes_char(&body, '\0');
    assert_false(body.failed);
    assert_string_equal(body.data, line);
    answer_unref(view.result);
}

TEST(test_states)
{
    check(view_of(JOB_QUEUED), "", BEGIN("", "queued") PROGRESS("0.0") NEW);
    check(view_of(JOB_RUNNING), "", BEGIN("", "running") PROGRESS("0.0") RUNS);
    check(view_of(JOB_DONE), "", BEGIN("", "done") PROGRESS("1.0") NEW);
    check(view_of(JOB_FAILED), "", BEGIN("", "failed") PROGRESS("0.0") NEW);
    check(view_of(JOB_CANCELLED), "", BEGIN("", "cancelled") PROGRESS("0.0") NEW);
}

/* Whole seconds, rounded up. */
TEST(test_progress)
{
    static const struct {
        double eta_s;
        const char *text;
    } times[] = {{0.2, "1"}, {0, "0"}, {86400 * 365.0 * 1000, "31536000000"}};
    struct job_view view = view_of(JOB_RUNNING);
    view.owners = 3;
    view.progress = (struct progress){.weight = 4000000000000000000,
                                      .weight_done = 1000000000000000000,
                                      .weight_restored = 500,
                                      .units = 20000,
                                      .units_done = 5000,
                                      .units_restored = 17,
                                      .nodes = INT64_MAX,
                                      .took_off = 12345};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char line[600];
        view.eta_s = times[i].eta_s;
        (void)snprintf(line, sizeof line,
                       BEGIN("/queens", "running") "\"progress\":0.25,\"eta_seconds\":%s,"
                                                   "\"units\":{\"done\":5000,\"total\":20000,\"restored\":17},"
                                                   "\"nodes\":9223372036854775807," CREATED
                                                   "null,\"stored\":true,\"shares\":3}\n",
                       times[i].text);
        check(view, "/queens", line);
    }
}

/* Without a weight nothing of it is done; the fraction is between 0 and 1, and always a number. */
TEST(test_fraction_done)
{
    struct job_view view = view_of(JOB_RUNNING);
    view.progress = (struct progress){.weight = 3, .weight_done = 1};
    check(view, "", BEGIN("", "running") PROGRESS("0.333333333333") RUNS);
    view.progress = (struct progress){.weight = UINT64_MAX, .weight_done = UINT64_MAX};
    check(view, "", BEGIN("", "running") PROGRESS("1.0") RUNS);
}

TEST(test_ends)
{
    struct job_view view = view_of(JOB_DONE);
    view.finished = 1700000000;
    view.result = answer_of("{\"n\":20,\"count\":39029188884,\"count_text\":\"39029188884\"}\n");
    check(view, "",
          BEGIN("", "done") PROGRESS("1.0") ENDED
          ",\"result\":{\"n\":20,\"count\":39029188884,\"count_text\":\"39029188884\"}}\n");
    view.result = answer_of("no JSON"); /* of a damaged record */
    check(view, "", BEGIN("", "done") PROGRESS("1.0") ENDED "}\n");

    view = view_of(JOB_FAILED);
    view.finished = 1700000000;
    strcpy(view.fault.text, "it is \"too\" long \xe2\x80\x93 far too long"); /* which has no code */
    check(view, "",
          BEGIN("", "failed") PROGRESS("0.0") ENDED ",\"why\":\"it is \\\"too\\\" long \xe2\x80\x93 far too long\"}\n");
    fault_write(&view.fault, FAULT_UNITS, (const double[]){3}, "%d units were handed out again and again.", 3);
    check(view, "",
          BEGIN("", "failed") PROGRESS("0.0") ENDED ",\"why\":\"3 units were handed out again and again.\","
                                                    "\"failure\":{\"code\":\"units-not-counted\",\"units\":3}}\n");
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
