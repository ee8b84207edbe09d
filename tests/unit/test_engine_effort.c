/* test_engine_effort.c - tests of src/engine/effort.c: what is done goes to whoever does it, once. */
#include "engine/effort.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "constructions/construction.h"
#include "count/method.h"
#include "facts.h"
#include "solvers/solver.h"

static struct effort_figures row(const struct efforts *efforts, const char *name)
{
    struct effort_figures figures;
    for (size_t i = 0; efforts_get(efforts, i, &figures); i++)
        if (strcmp(figures.name, name) == 0)
            return figures;
    fail_msg("%s has no row", name);
    return figures;
}

/* Uses the processor for some time. */
static void toil(void)
{
    const uint64_t until = clock_worked() + 2 * CLOCK_MILLISECOND;
    while (clock_worked() < until) {
    }
}

/* Everybody in the tables has a row, and no name stands for two. */
static void test_rows(void **state)
{
    (void)state;
    struct efforts *efforts = efforts_new();
    struct effort_figures one, other;
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
    assert_string_equal(row(efforts, effort_estimate).family, "count");
    assert_string_equal(row(efforts, effort_index).family, "count");
    assert_int_equal(count, tabled + 2);
    efforts_free(efforts);
}

static void test_slices(void **state)
{
    (void)state;
    struct efforts *efforts = efforts_new();
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
    const struct effort_figures mrv = row(efforts, "mrv"), neural = row(efforts, "neural");
    assert_int_equal(mrv.searches, 1);
    assert_int_equal(mrv.nodes, 19);
    assert_true(mrv.nanoseconds >= 2 * CLOCK_MILLISECOND);
    assert_int_equal(neural.searches, 1);
    assert_int_equal(neural.nodes, 7);
    assert_true(mrv.nanoseconds + neural.nanoseconds <= cost.nanoseconds - 2 * CLOCK_MILLISECOND);
    meter_did(&meter, 3); /* the next slice is nobody's, until somebody says so */
    assert_int_equal(meter_turn(&meter).nodes, 3);
    assert_int_equal(row(efforts, "mrv").nodes, 19);
    efforts_free(efforts);
}

/* Without anybody who wants to know. */
static void test_nobody(void **state)
{
    (void)state;
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

static void test_threads(void **state)
{
    (void)state;
    struct efforts *efforts = efforts_new();
    pthread_t threads[THREADS];
    assert_non_null(efforts);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, efforts), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(row(efforts, "join").searches, THREADS * SLICES / 2);
    assert_int_equal(row(efforts, "search").nodes, THREADS * SLICES / 2 * 3);
    efforts_free(efforts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
