/* test_orbits.c - tests of src/count/methods/method_orbit.c: the units of large boards, memory and
 * stopping. Published numbers and filters are those of test_counting.c. */
/* CI builds: plain address */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "support/facts.h"
#include "support/sanitizer.h"
#include "support/stop_latency.h"

/* The methods with allocations that can be made to fail. */
#include "support/failing_memory.h"

#include "count/methods/method_orbit.c"

static const struct method *const both[] = {&method_point, &method_quarter};
enum { BOTH = sizeof both / sizeof *both };

static void *plan_of(const struct method *method, const struct filter *filter)
{
    void *plan = NULL;
    assert_int_equal(method->prepare(filter, &(struct method_means){.tables = SIZE_MAX, .threads = 2}, NULL, &plan),
                     NQ_OK);
    assert_non_null(plan);
    assert_true(method_units(plan) > 0);
    return plan;
}

/* All units of a plan. */
static struct unit_result add_up(const struct method *method, const void *plan)
{
    const atomic_bool go_on = false;
    struct unit_result all = {0};
    const size_t count = method_units(plan);
    for (size_t unit = 0; unit < count; unit++) {
        struct unit_result result;
        memset(&result, 0xff, sizeof result);
        assert_true(method_weight(plan, unit) > 0);
        assert_int_equal(method->count(plan, unit, METHOD_WHOLE, NULL, unit % 2 ? &go_on : NULL, &result), NQ_OK);
        all.parts += result.parts;
        all.nodes += result.nodes;
    }
    return all;
}

static uint64_t count_of(const struct method *method, const struct filter *filter)
{
    void *plan = plan_of(method, filter);
    const uint64_t thirds = add_up(method, plan).parts;
    method->release(plan);
    assert_int_equal(thirds % METHOD_THIRDS, 0);
    return thirds / METHOD_THIRDS;
}

/* A filter of next to no consequence that breaks the symmetry costs more than three times as much, or nearly twice. */
TEST(test_symmetry_is_used)
{
    static const uint64_t times[BOTH][2] = {{3, 1}, {3, 2}}; /* a quotient */
    for (size_t i = 0; i < BOTH; i++) {
        uint64_t nodes[2];
        for (int asymmetric = 0; asymmetric < 2; asymmetric++) {
            struct filter filter;
            filter_begin(&filter, 20);
            if (asymmetric)
                filter_exclude(&filter, 0, 5);
            void *plan = plan_of(both[i], &filter);
            nodes[asymmetric] = add_up(both[i], plan).nodes;
            both[i]->release(plan);
        }
        assert_true(nodes[1] * times[i][1] > nodes[0] * times[i][0]);
    }
}

/* ---- Units ---- */

/* Large enough for several units. */
enum { SEVERAL_N = 24 };

TEST(test_units)
{
    struct filter filter;
    filter_begin(&filter, SEVERAL_N);
    void *plan = plan_of(&method_point, &filter), *again = plan_of(&method_point, &filter);
    const size_t count = method_units(plan);
    double weight = 0;
    assert_true(count > 1 && count < 20);
    assert_int_equal(method_units(again), count);
    for (size_t unit = 0; unit < count; unit++) {
        assert_true(method_weight(plan, unit) == method_weight(again, unit));
        assert_true(method_weight(plan, unit) < 2 * UNIT_NODES);
        weight += method_weight(plan, unit);
    }
    const struct unit_result all = add_up(&method_point, plan);
    assert_int_equal(all.parts, METHOD_THIRDS * facts_term("point_symmetric", SEVERAL_N));
    const double nodes = (double)all.nodes, cost = method_point.cost(&filter, 1, NULL);
    assert_true(weight > nodes / 1.5 && weight < nodes * 1.5);
    assert_true(cost > nodes / 1.5 && cost < nodes * 1.5);
    method_point.release(plan);
    method_point.release(again);
}

/* With a queen on one square or none there: together everything; the one is split below its only root. */
TEST(test_pieces_of_a_split_root)
{
    const uint32_t n = 23;
    struct filter with, without;
    filter_begin(&with, n);
    filter_place(&with, 2, 7);
    filter_settle(&with);
    filter_begin(&without, n);
    filter_exclude(&without, 2, 7);
    struct plan *placed = plan_of(&method_point, &with), *plan = plan_of(&method_point, &without);
    assert_int_equal(__builtin_popcount(placed->layout.root[0].taken.steps), 1); /* it is not searched for */
    method_point.release(placed);
    assert_int_equal(plan->layout.roots, 1);
    assert_true(plan->pieces > 1 && plan->head.units > 1);
    const uint64_t count = add_up(&method_point, plan).parts / METHOD_THIRDS;
    assert_int_equal(count + count_of(&method_point, &with), facts_term("point_symmetric", n));
    method_point.release(plan);
}

/* Small boards are one unit. Large ones are split, pieces of a root included, and no unit is large. */
TEST(test_splitting)
{
    struct filter filter;
    for (uint32_t n = 0; n <= 22; n++) {
        filter_begin(&filter, n);
        for (size_t i = 0; i < BOTH; i++) {
            void *plan = plan_of(both[i], &filter);
            assert_int_equal(method_units(plan), 1);
            both[i]->release(plan);
        }
    }
    filter_begin(&filter, 30);
    struct plan *plan = plan_of(&method_point, &filter);
    const size_t units = method_units(plan);
    assert_true(plan->pieces > plan->layout.roots);
    assert_true(units > 1000 && units < 2 * (size_t)MOST_UNITS);
    for (size_t unit = 0; unit < units; unit++)
        assert_true(plan->head.weights[unit] < 2 * UNIT_NODES && plan->unit[unit].begin < plan->unit[unit].end);
    struct unit_result result;
    if (!SANITIZED) { /* seconds */
        assert_int_equal(method_point.count(plan, 0, METHOD_WHOLE, NULL, NULL, &result), NQ_OK);
        assert_true(result.nodes > 1e6 && result.nodes < 10 * UNIT_NODES);
    }
    method_point.release(plan);
}

/* ---- Stopping ---- */

static enum nq_status count_first(void *plan, const atomic_bool *stop)
{
    struct unit_result result;
    return method_point.count(plan, 0, METHOD_WHOLE, NULL, stop, &result);
}

/* A unit of minutes: all of a large board's pieces at once. */
TEST(test_cancel)
{
    struct filter filter;
    filter_begin(&filter, ORBITS_MAX_N);
    filter_exclude(&filter, 0, 0);
    struct plan plan = {0};
    lay_out(HALF_TURN, &filter, &plan.layout);
    plan.pieces = plan.layout.roots;
    plan.piece = plan.layout.root;
    plan.head.units = 1;
    plan.unit = &(struct unit){.begin = 0, .end = plan.pieces};
    stop_latency_check(count_first, &plan, 50, 100);
}

/* So is a plan; units that have not begun are those of test_methods.c. */
TEST(test_cancelled_already)
{
    const atomic_bool stop = true;
    struct filter filter;
    filter_begin(&filter, ORBITS_MAX_N);
    for (size_t i = 0; i < BOTH; i++) {
        void *plan = NULL;
        assert_int_equal(
            both[i]->prepare(&filter, &(struct method_means){.tables = SIZE_MAX, .threads = 2}, &stop, &plan),
            NQ_CANCELLED);
        assert_null(plan);
    }
}

/* Whatever allocation is the first to fail: NQ_NOMEM, and nothing is left behind. */
TEST(test_prepare_without_memory)
{
    struct filter filter;
    filter_begin(&filter, 28);
    enum nq_status status;
    size_t succeed = 0, units = 0;
    do {
        void *plan = NULL;
        failing_after = succeed++;
        status = method_point.prepare(&filter, &(struct method_means){.tables = SIZE_MAX, .threads = 2}, NULL, &plan);
        failing_after = SIZE_MAX;
        if (status == NQ_OK)
            units = method_units(plan);
        else
            assert_int_equal(status, NQ_NOMEM);
        method_point.release(plan);
    } while (status != NQ_OK);
    assert_true(units > GROW_FIRST); /* they outgrow their first room */
}
