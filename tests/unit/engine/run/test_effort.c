/* test_effort.c - tests of src/engine/run/effort.c: what is done goes to whoever does it, once. */
/* CI builds: address thread */
#include "engine/run/effort.h"

#include <pthread.h>

#include "base/clock.h"
#include "constructions/construction.h"
#include "count/methods/method.h"
#include "engine/ask/question.h"
#include "solvers/solver.h"
#include "support/facts.h"

OWNER(efforts_free, struct efforts *)

static struct effort_stats row(const struct efforts *efforts, const char *name)
{
    struct effort_stats stats;
    for (size_t i = 0; efforts_get(efforts, i, &stats); i++)
        if (strcmp(stats.name, name) == 0)
            return stats;
    fail_msg("%s has no row", name);
    return stats;
}

/* Uses the processor for some time. */
static void toil(void)
{
    const uint64_t until = clock_worked() + 2 * CLOCK_MILLISECOND;
    while (clock_worked() < until) {
    }
}

/* Everybody in the tables has a row, and no name stands for two. */
TEST(test_rows)
{
    OWNED(efforts_free) struct efforts *efforts = efforts_new();
    struct effort_stats one, other;
    size_t count = 0;
    assert_non_null(efforts);
    for (; efforts_get(efforts, count, &one); count++) {
        assert_int_equal(one.searches + one.nodes + one.nanoseconds, 0);
        for (size_t k = 0; k < count && efforts_get(efforts, k, &other); k++)
            assert_string_not_equal(one.name, other.name);
    }
    size_t tabled = 0;
    for (size_t i = 0; solvers[i]; i++, tabled++)
        assert_string_equal(row(efforts, solvers[i]->name).family, "solver");
    for (size_t i = 0; constructions[i]; i++, tabled++)
        assert_string_equal(row(efforts, constructions[i]->name).family, "construction");
    for (size_t i = 0; methods[i]; i++, tabled++)
        assert_string_equal(row(efforts, methods[i]->name).family, "count");
    assert_string_equal(row(efforts, algorithm_estimate).family, "count");
    assert_string_equal(row(efforts, algorithm_index).family, "count");
    assert_string_equal(row(efforts, algorithm_statistic).family, "count");
    assert_string_equal(row(efforts, algorithm_regions).family, "count");
    assert_string_equal(row(efforts, algorithm_shape).family, "count");
    assert_int_equal(count, tabled + 5);
}

TEST(test_slices)
{
    OWNED(efforts_free) struct efforts *efforts = efforts_new();
    struct meter meter;
    assert_non_null(efforts);
    meter_open(&meter, efforts);
    meter_did(&meter, 1000); /* nobody's */
    meter_begin(&meter, "mrv");
    meter_did(&meter, 5);
    meter_did(&meter, 6);
    toil();
    meter_begin(&meter, "neural");
    meter_did(&meter, 7);
    meter_by(&meter, "mrv");
    meter_did(&meter, 8);
    assert_int_equal(meter_read(&meter).nodes, 1026);
    meter_by(&meter, "nobody of this name");
    meter_did(&meter, 100);
    toil();
    const struct cost so_far = meter_read(&meter), cost = meter_turn(&meter);
    assert_int_equal(cost.nodes, 1126);
    assert_true(cost.nanoseconds >= so_far.nanoseconds && so_far.nanoseconds >= 4 * CLOCK_MILLISECOND);
    const struct effort_stats mrv = row(efforts, "mrv"), neural = row(efforts, "neural");
    assert_int_equal(mrv.searches, 1);
    assert_int_equal(mrv.nodes, 19);
    assert_true(mrv.nanoseconds >= 2 * CLOCK_MILLISECOND);
    assert_int_equal(neural.searches, 1);
    assert_int_equal(neural.nodes, 7);
    assert_true(mrv.nanoseconds + neural.nanoseconds <= cost.nanoseconds - 2 * CLOCK_MILLISECOND);
    meter_did(&meter, 3); /* the next slice is nobody's, until somebody says so */
    assert_int_equal(meter_turn(&meter).nodes, 3);
    assert_int_equal(row(efforts, "mrv").nodes, 19);
}

/* Without anybody who wants to know. */
TEST(test_nobody)
{
    struct meter meter;
    meter_begin(NULL, "mrv");
    meter_by(NULL, NULL);
    meter_did(NULL, 5);
    assert_int_equal(meter_read(NULL).nodes, 0);
    meter_open(&meter, NULL);
    meter_begin(&meter, "mrv");
    meter_did(&meter, 5);
    assert_int_equal(meter_turn(&meter).nodes, 5);
}

enum { THREADS = 4, SLICES = 2000 };

static void *work(void *context)
{
    struct meter meter;
    meter_open(&meter, context);
    for (int i = 0; i < SLICES; i++) {
        meter_begin(&meter, i % 2 ? "join" : "search");
        meter_did(&meter, 3);
        (void)meter_turn(&meter);
    }
    return NULL;
}

TEST(test_threads)
{
    OWNED(efforts_free) struct efforts *efforts = efforts_new();
    pthread_t threads[THREADS];
    assert_non_null(efforts);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, efforts), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(row(efforts, "join").searches, THREADS * SLICES / 2);
    assert_int_equal(row(efforts, "search").nodes, THREADS * SLICES / 2 * 3);
}
