/* test_orbits.c - tests of src/count/methods/orbits.c and method_orbit.c: published numbers, filters against every
 * solution looked at, and the units of large boards. NQ_LONG: larger boards, some half a minute. */
/* CI builds: plain address */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "support/facts.h"
#include "support/many_threads.h"
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
    assert_true(method->units(plan) > 0);
    return plan;
}

/* All units of a plan, from the first to the last or the other way round. */
static struct unit_result add_up(const struct method *method, const void *plan, bool backwards)
{
    const atomic_bool go_on = false;
    struct unit_result all = {0};
    const size_t count = method->units(plan);
    for (size_t i = 0; i < count; i++) {
        struct unit_result result;
        const size_t unit = backwards ? count - 1 - i : i;
        memset(&result, 0xff, sizeof result);
        assert_true(method->weight(plan, unit) > 0);
        assert_int_equal(method->count(plan, unit, NULL, backwards ? &go_on : NULL, &result), NQ_OK);
        all.thirds += result.thirds;
        all.nodes += result.nodes;
    }
    return all;
}

static uint64_t count_of(const struct method *method, const struct filter *filter)
{
    void *plan = plan_of(method, filter);
    const uint64_t thirds = add_up(method, plan, false).thirds;
    method->release(plan);
    assert_int_equal(thirds % METHOD_THIRDS, 0);
    return thirds / METHOD_THIRDS;
}

static uint64_t count_all(const struct method *method, uint32_t n)
{
    struct filter filter;
    filter_begin(&filter, n);
    return count_of(method, &filter);
}

TEST(test_published)
{
    const bool longer = getenv("NQ_LONG");
    assert_int_equal(count_all(&method_point, 0), 1); /* its table begins with 1 */
    for (uint32_t n = 1; n <= (longer ? 27 : 20); n++)
        assert_int_equal(count_all(&method_point, n), facts_term("point_symmetric", n));
    for (uint32_t n = 0; n <= (longer ? ORBITS_MAX_N : 25); n++)
        assert_int_equal(count_all(&method_quarter, n), facts_term("rot90_symmetric", n));
}

/* ---- Filters ---- */

/* Whether a turn leaves a placement unchanged. */
static bool unchanged(unsigned turn, uint32_t n, const uint32_t *columns)
{
    uint32_t row, column;
    for (uint32_t from = 0; from < n; from++) {
        row = turn == HALF_TURN ? n - 1 - from : columns[from];
        column = turn == HALF_TURN ? n - 1 - columns[from] : n - 1 - from;
        if (columns[row] != column)
            return false;
    }
    return true;
}

/* Squares by number, row * n + column: on which queens must stand, and on which none may. */
struct squares {
    uint32_t n;
    bool placed[ORBITS_MAX_N * ORBITS_MAX_N], excluded[ORBITS_MAX_N * ORBITS_MAX_N];
};

static bool keeps_to(const struct squares *squares, const uint32_t *columns)
{
    for (uint32_t row = 0; row < squares->n; row++)
        for (uint32_t column = 0; column < squares->n; column++)
            if (columns[row] == column ? squares->excluded[row * squares->n + column]
                                       : squares->placed[row * squares->n + column])
                return false;
    return true;
}

static uint64_t look_at_all(const struct squares *squares, unsigned turn, const uint32_t *solutions, size_t count)
{
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++)
        found +=
            unchanged(turn, squares->n, solutions + i * squares->n) && keeps_to(squares, solutions + i * squares->n);
    return found;
}

static void compare(const struct squares *squares, const uint32_t *solutions, size_t count, uint64_t *sum)
{
    struct filter filter;
    filter_begin(&filter, squares->n);
    for (uint32_t square = 0; square < squares->n * squares->n; square++) {
        if (squares->excluded[square])
            filter_exclude(&filter, square / squares->n, square % squares->n);
        if (squares->placed[square])
            filter_place(&filter, square / squares->n, square % squares->n);
    }
    filter_settle(&filter);
    const uint64_t point = look_at_all(squares, HALF_TURN, solutions, count);
    const uint64_t quarter = look_at_all(squares, QUARTER_TURN, solutions, count);
    assert_int_equal(count_of(&method_point, &filter), point);
    assert_int_equal(count_of(&method_quarter, &filter), quarter);
    *sum += point + quarter;
}

/* One square, or, with `all`, everything the eight symmetries carry it to. */
static void mark(bool *marks, uint32_t n, uint32_t square, bool all)
{
    for (unsigned symmetry = 0; symmetry < (all ? NQ_SYMMETRIES : 1); symmetry++) {
        uint32_t row = square / n, column = square % n;
        square_transform(symmetry, n, &row, &column);
        marks[row * n + column] = true;
    }
}

TEST(test_filters)
{
    uint64_t dice = 1, sum = 0;
    for (uint32_t n = 4; n <= 12; n++) {
        size_t count;
        uint32_t *solutions = facts_solutions(n, &count);
        for (unsigned round = 0; round < (n < 10 ? 300 : 40); round++) {
            struct squares squares = {.n = n};
            const bool all = round % 3 == 0; /* the filter keeps all symmetries, so that they are made use of */
            const uint32_t excluded = facts_below(&dice, round % 2 ? 4 : n);
            const uint32_t placed = all ? 0 : facts_below(&dice, 3);
            for (uint32_t i = 0; i < excluded; i++)
                mark(squares.excluded, n, facts_below(&dice, n * n), all);
            /* placed on a solution, and now and then on any square */
            const uint32_t *solution = solutions + facts_below(&dice, (uint32_t)count) * n;
            for (size_t i = 0; round % 4 && i < count; i++)
                if (unchanged(HALF_TURN, n, solutions + i * n) && facts_below(&dice, 4) == 0)
                    solution = solutions + i * n;
            for (uint32_t i = 0; i < placed; i++) {
                const uint32_t row = facts_below(&dice, n);
                const uint32_t column = round % 7 ? solution[row] : facts_below(&dice, n);
                mark(squares.placed, n, row * n + column, false);
            }
            compare(&squares, solutions, count, &sum);
        }
        free(solutions);
    }
    assert_true(sum > 5000); /* not nothing with nothing */
}

/* One queen decides everything; a centre excluded, and placed; a square excluded where nothing could stand. */
TEST(test_filters_that_decide)
{
    struct filter filter;
    filter_begin(&filter, 4);
    filter_place(&filter, 0, 1);
    filter_settle(&filter);
    assert_int_equal(count_of(&method_point, &filter), 1);
    assert_int_equal(count_of(&method_quarter, &filter), 1);
    filter_begin(&filter, 13);
    filter_exclude(&filter, 6, 6);
    assert_int_equal(count_of(&method_point, &filter), 0);
    assert_int_equal(count_of(&method_quarter, &filter), 0);
    filter_begin(&filter, 13);
    filter_place(&filter, 6, 6);
    assert_int_equal(count_of(&method_point, &filter), facts_term("point_symmetric", 13));
    filter_begin(&filter, 20);
    filter_exclude(&filter, 3, 3); /* it and the one it is turned to attack each other */
    assert_int_equal(count_of(&method_point, &filter), facts_term("point_symmetric", 20));
    assert_int_equal(count_of(&method_quarter, &filter), facts_term("rot90_symmetric", 20));
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
            nodes[asymmetric] = add_up(both[i], plan, false).nodes;
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
    const size_t count = method_point.units(plan);
    double weight = 0;
    assert_true(count > 1 && count < 20);
    assert_int_equal(method_point.units(again), count);
    for (size_t unit = 0; unit < count; unit++) {
        assert_true(method_point.weight(plan, unit) == method_point.weight(again, unit));
        assert_true(method_point.weight(plan, unit) < 2 * UNIT_NODES);
        weight += method_point.weight(plan, unit);
    }
    const struct unit_result forth = add_up(&method_point, plan, false), back = add_up(&method_point, again, true);
    assert_int_equal(forth.thirds, METHOD_THIRDS * facts_term("point_symmetric", SEVERAL_N));
    assert_int_equal(back.thirds, forth.thirds);
    assert_int_equal(back.nodes, forth.nodes);
    const double nodes = (double)forth.nodes, cost = method_point.cost(&filter, 1, NULL);
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
    struct plan *plan = plan_of(&method_point, &without);
    assert_int_equal(plan->layout.roots, 1);
    assert_true(plan->pieces > 1 && plan->units > 1);
    const uint64_t count = add_up(&method_point, plan, true).thirds / METHOD_THIRDS;
    assert_int_equal(count + count_of(&method_point, &with), facts_term("point_symmetric", n));
    method_point.release(plan);
}

/* The columns of a row add up. */
TEST(test_columns_add_up)
{
    const uint32_t n = 20;
    uint64_t sum[BOTH] = {0};
    for (uint32_t column = 0; column < n; column++) {
        struct filter filter;
        filter_begin(&filter, n);
        filter_place(&filter, 3, column);
        filter_settle(&filter);
        for (size_t i = 0; i < BOTH; i++)
            sum[i] += count_of(both[i], &filter);
    }
    assert_int_equal(sum[0], facts_term("point_symmetric", n));
    assert_int_equal(sum[1], facts_term("rot90_symmetric", n));
}

/* Small boards are one unit. Large ones are split, pieces of a root included, and no unit is large. */
TEST(test_splitting)
{
    struct filter filter;
    for (uint32_t n = 0; n <= 22; n++) {
        filter_begin(&filter, n);
        for (size_t i = 0; i < BOTH; i++) {
            void *plan = plan_of(both[i], &filter);
            assert_int_equal(both[i]->units(plan), 1);
            both[i]->release(plan);
        }
    }
    filter_begin(&filter, 30);
    struct plan *plan = plan_of(&method_point, &filter);
    const size_t units = method_point.units(plan);
    assert_true(plan->pieces > plan->layout.roots);
    assert_true(units > 1000 && units < 2 * (size_t)MOST_UNITS);
    for (size_t unit = 0; unit < units; unit++)
        assert_true(plan->unit[unit].weight < 2 * UNIT_NODES && plan->unit[unit].begin < plan->unit[unit].end);
    const size_t samples[] = {0, units / 2, units - 1};
    for (size_t i = 0; i < (SANITIZED ? 1 : sizeof samples / sizeof *samples); i++) {
        struct unit_result result;
        assert_int_equal(method_point.count(plan, samples[i], NULL, NULL, &result), NQ_OK);
        assert_true(result.nodes > 1e6 && result.nodes < 10 * UNIT_NODES);
    }
    method_point.release(plan);
}

/* ---- Stopping ---- */

static enum nq_status count_first(void *plan, const atomic_bool *stop)
{
    struct unit_result result;
    return method_point.count(plan, 0, NULL, stop, &result);
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
    plan.units = 1;
    plan.unit = &(struct unit){.begin = 0, .end = plan.pieces, .weight = 1};
    stop_latency_check(count_first, &plan, 50, 100);
}

/* So are a search that has not begun, and a plan. */
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
    filter_begin(&filter, 20);
    for (size_t i = 0; i < BOTH; i++) {
        struct unit_result result;
        void *plan = plan_of(both[i], &filter);
        assert_int_equal(both[i]->count(plan, 0, NULL, &stop, &result), NQ_CANCELLED);
        both[i]->release(plan);
    }
}

/* ---- Threads ---- */

/* Several threads count the same units of one plan. */
TEST(test_threads)
{
    struct filter filter;
    filter_begin(&filter, 19);
    void *plan = plan_of(&method_point, &filter);
    many_threads_check(&method_point, plan, METHOD_THIRDS * facts_term("point_symmetric", 19));
    method_point.release(plan);
}

/* Whatever allocation is the first to fail: NQ_NOMEM, and nothing is left behind. */
TEST(test_prepare_without_memory)
{
    struct filter filter;
    filter_begin(&filter, SANITIZED ? 28 : 32);
    enum nq_status status;
    size_t succeed = 0, units = 0;
    do {
        void *plan = NULL;
        failing_after = succeed++;
        status = method_point.prepare(&filter, &(struct method_means){.tables = SIZE_MAX, .threads = 2}, NULL, &plan);
        failing_after = SIZE_MAX;
        if (status == NQ_OK)
            units = method_point.units(plan);
        else
            assert_int_equal(status, NQ_NOMEM);
        method_point.release(plan);
    } while (status != NQ_OK);
    assert_true(units > GROW_FIRST); /* they outgrow their first room */
}
