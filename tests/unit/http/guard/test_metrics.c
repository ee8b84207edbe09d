/* test_metrics.c - tests of src/http/guard/metrics.c: everything counted is exposed. That Prometheus
 * reads the lines is for tests/observe.test.js to see. */
/* CI builds: address thread */
#include "http/guard/metrics.h"

#include <pthread.h>

#include "http/wire/problem.h"
#include "kernels/kernel.h"
#include "support/facts.h"

enum { SOLVE, COUNT, NONE };

static const char *route(size_t i)
{
    return i == SOLVE ? "/solve" : "/count";
}

/* Metrics, and an engine that has done nothing yet. */
struct scene {
    struct metrics *metrics;
    struct engine *engine;
};

static void scene_begin(struct scene *scene)
{
    const struct engine_options options = {.threads = 2,
                                           .kernel = kernel_find("scalar"),
                                           .cache_bytes = 1 << 20,
                                           .queue = 4,
                                           .max_streams = 1,
                                           .max_stream_s = 1};
    scene->metrics = metrics_new(NONE, route);
    scene->engine = engine_new(&options);
    assert_non_null(scene->metrics);
    assert_non_null(scene->engine);
}

static void scene_end(struct scene *scene)
{
    assert_int_equal(engine_close(scene->engine), NQ_OK);
    engine_free(scene->engine);
    metrics_free(scene->metrics);
}

static char *written(const struct scene *scene)
{
    struct bytes out = {0};
    metrics_write(scene->metrics, scene->engine, &out);
    char *text = bytes_take(&out);
    assert_non_null(text);
    return text;
}

/* The value of a series, named with its labels as written; -1: it is not there. Fails if it is there twice. */
static double value_of(const char *text, const char *series)
{
    const size_t size = strlen(series);
    double value = 0;
    unsigned found = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        if (strncmp(line, series, size) == 0 && line[size] == ' ') {
            value = strtod(line + size + 1, NULL);
            found++;
        }
    assert_true(found <= 1);
    return found ? value : -1;
}

static double requests(const char *text, const char *route, unsigned code)
{
    char series[128];
    (void)snprintf(series, sizeof series, "nq_http_requests_total{route=\"%s\",code=\"%u\"}", route, code);
    return value_of(text, series);
}

static double duration(const char *text, const char *what, const char *route, const char *le)
{
    char series[128];
    (void)snprintf(series, sizeof series, "nq_http_request_duration_seconds_%s{route=\"%s\"%s%s%s}", what, route,
                   le ? ",le=\"" : "", le ? le : "", le ? "\"" : "");
    return value_of(text, series);
}

TEST(test_requests_are_counted)
{
    SCOPED(scene, scene);
    for (int i = 0; i < 3; i++)
        metrics_request(scene.metrics, SOLVE, 200, 1000);
    metrics_request(scene.metrics, SOLVE, 400, 1000);
    metrics_request(scene.metrics, COUNT, 499, 1000);
    metrics_request(scene.metrics, NONE, 404, 1000);
    OWNED(free) char *text = written(&scene);
    assert_true(requests(text, "/solve", 200) == 3);
    assert_true(requests(text, "/solve", 400) == 1);
    assert_true(requests(text, "/count", 499) == 1);
    assert_true(requests(text, "none", 404) == 1);
    assert_true(requests(text, "/count", 200) == -1); /* a count of 0 is not exposed */
    assert_true(duration(text, "count", "/solve", NULL) == 4);
    assert_true(duration(text, "count", "/count", NULL) == 1);
    assert_true(duration(text, "count", "none", NULL) == 1);
}

/* Every status the service sends has a counter of its own; another one counts as an error. */
TEST(test_every_status)
{
    static const unsigned sent[] = {200, 204, 304, 400, 404, 405, 406, 408, 413,
                                    414, 415, 422, 431, 499, 500, 501, 503};
    SCOPED(scene, scene);
    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++)
        for (size_t k = 0; k <= i; k++)
            metrics_request(scene.metrics, COUNT, sent[i], 0);
    for (int p = PROBLEM_BAD_REQUEST; p <= PROBLEM_CLIENT_LEFT; p++)
        metrics_request(scene.metrics, SOLVE, problem_row((enum problem)p)->status, 0);
    metrics_request(scene.metrics, NONE, 418, 0);
    OWNED(free) char *text = written(&scene);
    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++)
        assert_true(requests(text, "/count", sent[i]) == (double)i + 1);
    for (int p = PROBLEM_BAD_REQUEST; p <= PROBLEM_CLIENT_LEFT; p++)
        assert_true(requests(text, "/solve", problem_row((enum problem)p)->status) >= 1);
    assert_true(requests(text, "/solve", 500) == 1); /* PROBLEM_INTERNAL alone */
    assert_true(requests(text, "none", 500) == 1);
}

static const char *const bounds[] = {"0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01",
                                     "0.025",  "0.05",    "0.1",    "0.25",  "0.5",    "1",     "2.5",
                                     "5",      "10",      "30",     "60",    "+Inf"};
enum { BOUNDS = sizeof bounds / sizeof bounds[0] };

/* Durations go to the first bucket that is large enough, and a bucket includes those before it. */
TEST(test_durations)
{
    static const uint64_t nanoseconds[] = {0,           1,           100000,      100001,     999999,
                                           1000000,     1000001,     50000000,    1000000000, 59999999999,
                                           60000000000, 60000000001, 999999999999};
    enum { TIMES = sizeof nanoseconds / sizeof nanoseconds[0] };
    double sum = 0;
    SCOPED(scene, scene);
    for (int i = 0; i < TIMES; i++) {
        metrics_request(scene.metrics, SOLVE, 200, nanoseconds[i]);
        sum += (double)nanoseconds[i] / 1e9;
    }
    OWNED(free) char *text = written(&scene);
    for (int b = 0; b < BOUNDS; b++) {
        int expected = 0;
        for (int i = 0; i < TIMES; i++)
            expected += b == BOUNDS - 1 || (double)nanoseconds[i] / 1e9 <= strtod(bounds[b], NULL);
        assert_true(duration(text, "bucket", "/solve", bounds[b]) == expected);
        assert_true(duration(text, "bucket", "/count", bounds[b]) == 0);
    }
    assert_true(duration(text, "count", "/solve", NULL) == TIMES);
    double got = duration(text, "sum", "/solve", NULL);
    assert_true(got > sum - 1e-6 && got < sum + 1e-6);
    assert_true(duration(text, "sum", "/count", NULL) == 0);
}

TEST(test_engine_stats)
{
    SCOPED(scene, scene);
    OWNED(free) char *text = written(&scene);
    assert_true(value_of(text, "nq_build_info{version=\"" NQ_VERSION "\",kernel=\"scalar\"}") == 1);
    assert_true(value_of(text, "nq_pool_workers") == 2);
    static const char *const zero[] = {"nq_cache_hits_total",        "nq_cache_misses_total",
                                       "nq_cache_evictions_total",   "nq_cache_bytes",
                                       "nq_cache_entries",           "nq_pool_running",
                                       "nq_pool_queue_depth",        "nq_searches_started_total",
                                       "nq_searches_running",        "nq_searches_cancelled_total",
                                       "nq_searches_refused_total",  "nq_searches_too_large_total",
                                       "nq_streams_running",         "nq_streams_started_total",
                                       "nq_streams_refused_total",   "nq_streams_cut_total",
                                       "nq_solutions_streamed_total"};
    for (size_t i = 0; i < sizeof zero / sizeof zero[0]; i++)
        assert_true(value_of(text, zero[i]) == 0);
}

enum { THREADS = 4, EACH = 20000 };

static void *serve(void *metrics)
{
    for (unsigned i = 0; i < EACH; i++)
        metrics_request(metrics, i % 3, i % 2 ? 200 : 404, 1000 * i);
    return NULL;
}

TEST(test_many_threads)
{
    pthread_t threads[THREADS];
    SCOPED(scene, scene);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, serve, scene.metrics), 0);
    free(written(&scene)); /* reading meanwhile changes nothing */
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    OWNED(free) char *text = written(&scene);
    double all = requests(text, "/solve", 200) + requests(text, "/solve", 404) + requests(text, "/count", 200) +
                 requests(text, "/count", 404) + requests(text, "none", 200) + requests(text, "none", 404);
    assert_true(all == THREADS * EACH);
    assert_true(duration(text, "bucket", "/solve", "+Inf") == duration(text, "count", "/solve", NULL));
}
