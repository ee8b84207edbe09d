/* test_method_join.c - tests of src/count/methods/{quadrants,meeting,method_join,method_plan}.c: units against every
 * solution looked at, totals against published numbers. NQ_LONG: larger boards, some seconds. */
/* CI builds: plain address thread */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "support/facts.h"
#include "support/stop_latency.h"

/* The methods with allocations that can be made to fail. */
#include "support/failing_memory.h"

#define aligned_alloc(alignment, size) (failing_now() ? NULL : aligned_alloc(alignment, size))

#include "count/methods/meeting.c"
#include "count/methods/method_join.c"
#include "count/methods/method_plan.c"
#include "count/methods/quadrants.c"

/* ---- Units ---- */

static struct filter whole(uint32_t n)
{
    struct filter filter;
    filter_begin(&filter, n);
    return filter;
}

static enum nq_status prepare(uint32_t n, size_t tables, const atomic_bool *stop, void **plan)
{
    const struct filter filter = whole(n);
    return method_join.prepare(&filter, &(struct method_means){.tables = tables, .threads = 2}, stop, plan);
}

static void *plan_within(uint32_t n, size_t tables)
{
    void *plan = NULL;
    assert_int_equal(prepare(n, tables, NULL, &plan), NQ_OK);
    assert_non_null(plan);
    return plan;
}

static void *plan_of(uint32_t n)
{
    return plan_within(n, SIZE_MAX);
}

static struct unit_result add_up(const struct join_plan *plan, const struct kernel *kernel)
{
    const atomic_bool go_on = false;
    struct unit_result all = {0};
    for (size_t unit = 0; unit < method_units(plan); unit++) {
        struct unit_result result;
        memset(&result, 0xff, sizeof result);
        assert_true(method_weight(plan, unit) > 0);
        assert_int_equal(method_join.count(plan, unit, METHOD_WHOLE, kernel, unit % 2 ? &go_on : NULL, &result), NQ_OK);
        all.parts += result.parts;
        all.nodes += result.nodes;
    }
    return all;
}

TEST(test_published)
{
    const uint32_t all = 13, most = getenv("NQ_LONG") ? 20 : all;
    for (uint32_t n = JOIN_MIN_N; n <= most; n++) {
        struct join_plan *plan = plan_of(n);
        for (const struct kernel *const *kernel = kernels; *kernel; kernel++)
            if ((*kernel)->supported() && (n <= all || *kernel == kernel_find("auto")))
                assert_int_equal(add_up(plan, *kernel).parts, METHOD_THIRDS * facts_term("all", n));
        method_join.release(plan);
    }
}

/* With lists and without them: the same units, and each the same. */
TEST(test_without_lists)
{
    const struct kernel *kernel = kernel_find("auto");
    const uint32_t most = getenv("NQ_LONG") ? 18 : 13;
    for (uint32_t n = JOIN_MIN_N; n <= most; n++) {
        struct join_plan *plan = plan_of(n), *without = plan_within(n, 0);
        uint64_t thirds = 0;
        assert_non_null(plan->quadrants.list[LOWER_WEST].of_rows);
        assert_null(without->quadrants.list[LOWER_WEST].of_rows);
        assert_int_equal(plan->head.units, without->head.units);
        assert_memory_equal(plan->unit, without->unit, plan->head.units * sizeof *plan->unit);
        for (size_t unit = 0; unit < plan->head.units; unit++) {
            struct unit_result one = {0}, other = {0};
            assert_int_equal(method_join.count(plan, unit, METHOD_WHOLE, kernel, NULL, &one), NQ_OK);
            assert_int_equal(method_join.count(without, unit, METHOD_WHOLE, kernel, NULL, &other), NQ_OK);
            assert_int_equal(one.parts, other.parts);
            assert_int_equal(one.nodes, other.nodes);
            thirds += one.parts;
        }
        assert_int_equal(thirds, METHOD_THIRDS * facts_term("all", n));
        method_join.release(plan);
        method_join.release(without);
    }
}

/* ---- Memory ---- */

/* The words in whole pages, if these are huge: not what lies idle between such pages. */
static size_t taken_by_list(const struct quadrants *quadrants, enum quadrant quadrant)
{
    const struct quadrant_list *list = &quadrants->list[quadrant];
    if (!list->of_rows)
        return 0;
    const struct view *last = &list->of_rows[quadrants->sets - 1];
    const size_t words = (size_t)(last->word - list->word) +
                         last->first[quadrants_cells(quadrants, quadrant, quadrants->sets - 1)],
                 bytes = words * sizeof(uint64_t), whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    assert_true(malloc_usable_size(list->word) >= bytes);
    return (bytes < HUGE_PAGE ? malloc_usable_size(list->word) : whole) + malloc_usable_size(list->first) +
           malloc_usable_size(list->of_rows);
}

static double taken_by_plan(const struct join_plan *plan)
{
    const struct quadrants *quadrants = &plan->quadrants;
    size_t bytes = malloc_usable_size((void *)(uintptr_t)plan) + malloc_usable_size(plan->unit) +
                   malloc_usable_size(plan->head.weights) + malloc_usable_size(plan->priorities.priority) +
                   malloc_usable_size(plan->priorities.either) + malloc_usable_size(quadrants->by_size) +
                   malloc_usable_size(quadrants->rank) + malloc_usable_size(quadrants->placements);
    for (int quadrant = 0; quadrant < QUADRANTS; quadrant++)
        bytes += taken_by_list(quadrants, (enum quadrant)quadrant);
    return (double)bytes;
}

static double taken_by_worker(const struct worker *worker)
{
    const struct meeting *meeting = &worker->meeting;
    size_t bytes = sizeof *worker + malloc_usable_size(worker->mirrored[0]) + malloc_usable_size(worker->mirrored[1]) +
                   malloc_usable_size(worker->west.word) + malloc_usable_size(worker->east.word) +
                   malloc_usable_size(meeting->items.word) + malloc_usable_size(meeting->items.first[0]) +
                   malloc_usable_size(meeting->patterns.word) + malloc_usable_size(meeting->patterns.first[0]) +
                   malloc_usable_size(meeting->spare.word) + malloc_usable_size(meeting->list);
    for (int quadrant = 0; quadrant < QUADRANTS; quadrant++)
        bytes += malloc_usable_size(worker->own.quadrants.list[quadrant].of_rows);
    for (int i = 0; i < 2 * MOST_NEEDS; i++) {
        const struct quadrant_rows *rows = i % 2 ? &worker->of_u[i / 2] : &worker->of_x[i / 2];
        bytes += malloc_usable_size(rows->word) + malloc_usable_size(rows->found) + malloc_usable_size(rows->first);
    }
    return (double)bytes;
}

/* Counts the unit of the greatest weight. */
static double taken_by_counting(const struct join_plan *plan)
{
    struct worker *worker = open_worker(plan, kernel_find("auto"), NULL);
    struct unit_result result;
    size_t heaviest = 0;
    assert_non_null(worker);
    for (size_t i = 1; i < plan->head.units; i++)
        if (plan->head.weights[i] > plan->head.weights[heaviest])
            heaviest = i;
    const struct join_piece piece = join_plan_whole(&plan->unit[heaviest]);
    assert_int_equal(count_piece(worker, &piece, &result), NQ_OK);
    const double taken = taken_by_worker(worker);
    close_worker(worker);
    return taken;
}

/* The memory estimated is what is taken, or somewhat more; malloc gives a piece some bytes more than it was asked for,
 * as its heap happens to be. */
TEST(test_memory)
{
    enum { SPARE = 24, PIECES = 100 };
    (void)state;
    const uint32_t most = getenv("NQ_LONG") ? 20 : 16;
    for (uint32_t n = JOIN_MIN_N; n <= most; n++) {
        const struct filter filter = whole(n);
        for (int listed = 0; listed < 2; listed++) {
            const size_t tables = listed ? SIZE_MAX : 0;
            const struct method_memory told = method_join.memory(&filter, tables);
            struct join_plan *plan = plan_within(n, tables);
            const double shared = taken_by_plan(plan), each = taken_by_counting(plan);
            assert_true(shared <= told.shared + SPARE * PIECES && told.shared <= 1.3 * shared);
            assert_true(each <= told.each + SPARE * PIECES);
            method_join.release(plan);
        }
    }
}

/* Tables are made if they take no more than is allowed. */
TEST(test_tables)
{
    for (uint32_t n = 12; n <= 13; n++) {
        const size_t tables = (size_t)quadrants_memory(n) + 1;
        struct join_plan *plan = plan_within(n, tables), *without = plan_within(n, tables - 2);
        const struct filter filter = whole(n);
        assert_non_null(plan->quadrants.list[LOWER_WEST].of_rows);
        assert_null(without->quadrants.list[LOWER_WEST].of_rows);
        assert_true(method_join.memory(&filter, tables).shared >
                    method_join.memory(&filter, tables - 2).shared + (double)(tables - 2));
        assert_true(method_join.memory(&filter, tables).each < method_join.memory(&filter, tables - 2).each);
        method_join.release(plan);
        method_join.release(without);
    }
}

/* It grows, up to the largest board, and from the smallest on what is tabulated is what is counted. */
TEST(test_memory_estimated)
{
    for (uint32_t n = JOIN_MIN_N; n <= 13; n++) {
        struct quadrants quadrants;
        double words[QUADRANTS] = {0}, most[QUADRANTS] = {0};
        assert_int_equal(quadrants_open(&quadrants, n, 3, NULL), NQ_OK);
        for (int quadrant = 0; quadrant < quadrants_kinds(n); quadrant++) {
            for (uint32_t rows = 0; rows < quadrants.sets; rows++) {
                uint32_t count;
                assert_int_equal(quadrants_count(&quadrants, (enum quadrant)quadrant, rows, NULL, &count), NQ_OK);
                words[quadrant] += count;
                most[quadrant] = count > most[quadrant] ? count : most[quadrant];
            }
        }
        assert_true(totals[n / 2].plain == words[LOWER_WEST] && totals[n / 2].most == most[LOWER_WEST]);
        if (n % 2) {
            assert_true(totals[n / 2].plain == words[UPPER_EAST] && totals[n / 2].both == words[LOWER_EAST_BOTH]);
            assert_true(totals[n / 2].centre == words[LOWER_EAST_CENTRE]);
            assert_true(totals[n / 2].line == words[UPPER_EAST_COLUMN] && totals[n / 2].line == words[LOWER_EAST_ROW]);
            assert_true(totals[n / 2].most_others == most[LOWER_EAST_BOTH] + most[LOWER_EAST_CENTRE] +
                                                         most[UPPER_EAST_COLUMN] + most[LOWER_EAST_ROW]);
        }
        quadrants_close(&quadrants);
    }
    for (uint32_t n = JOIN_MIN_N; n + 2 <= 32; n++)
        assert_true(quadrants_memory(n + 2) > 3 * quadrants_memory(n) &&
                    quadrants_memory(n + 2) < 14 * quadrants_memory(n));
}

/* Of a set of quadrant rows or columns: a bit for each from the border inwards. */
static uint32_t set_of(const uint32_t *line, uint32_t n, bool lower, bool east)
{
    const uint32_t m = n / 2;
    uint32_t set = 0;
    for (uint32_t i = 0; i < m; i++) {
        const uint32_t column = line[lower ? n - 1 - i : i];
        set |= (uint32_t)(east ? column >= m : column < m) << i;
    }
    return set;
}

/* The place of a set of columns among those of its group, by which it belongs to a part. */
static uint32_t place_of(const struct join_plan *plan, uint32_t x, uint32_t set)
{
    struct choice choice;
    if (plan->quadrants.n % 2 || !choice_make(&plan->priorities, x, &choice))
        return plan->quadrants.rank[set];
    for (uint32_t i = 0; i < choice.count; i++)
        if (choice.set[i] == set)
            return i < choice.below ? i : i - choice.below;
    return 0; /* with this set nothing is counted */
}

/* The thirds that every part of every pair (x, u) should have, worked out from all solutions by the rules at the head
 * of method_join.c; in an order of its own: thirds[(x * sets + u) * parts + west * easts + east]. */
static void expect_thirds(const struct join_plan *plan, const uint32_t *solutions, size_t count, uint32_t wests,
                          uint32_t easts, uint64_t *thirds)
{
    const uint32_t n = plan->quadrants.n, m = n / 2, sets = plan->quadrants.sets, all = sets - 1;
    for (size_t s = 0; s < count; s++) {
        const uint32_t *columns = solutions + s * n;
        uint32_t rows[32];
        for (uint32_t row = 0; row < n; row++)
            rows[columns[row]] = row;
        const uint32_t x = set_of(columns, n, false, false), u = set_of(columns, n, true, true);
        const uint32_t y = set_of(rows, n, false, false), v = set_of(rows, n, true, true);
        uint64_t *const to = &thirds[(((size_t)x * sets + u) * wests + place_of(plan, x, y) % wests) * easts +
                                     place_of(plan, x, v) % easts];
        if (n % 2 == 0) {
            const uint32_t mine = plan->priorities.priority[x];
            uint32_t ties = 0;
            const uint32_t others[] = {u, y, v};
            bool greatest = plan->priorities.priority[x] == plan->priorities.either[x];
            for (int i = 0; i < 3; i++) {
                greatest = greatest && plan->priorities.either[others[i]] <= mine;
                ties += plan->priorities.either[others[i]] == mine;
            }
            *to += greatest ? 8 * METHOD_THIRDS / (1 + ties) : 0;
            continue;
        }
        const uint32_t lower = u ^ all; /* without the middle row, the rows of the lower west */
        const int q = (int)columns[m] - (int)m, p = (int)rows[m] - (int)m;
        if (q == 0) {
            *to += x <= lower ? (uint64_t)METHOD_THIRDS * choice_centre_images(&plan->quadrants, x, u) : 0;
        } else if (q > 0 && q > abs(p) && x <= lower) {
            *to += (uint64_t)METHOD_THIRDS * (x == lower ? 4 : 8);
        }
    }
}

/* Every part of every pair, with a board whose pairs are divided into so many. */
static void check_parts(uint32_t n, uint32_t wests, uint32_t easts)
{
    size_t count;
    uint32_t *solutions = facts_solutions(n, &count);
    struct join_plan *plan = plan_of(n);
    const uint32_t sets = plan->quadrants.sets, parts = wests * easts;
    uint64_t *thirds = calloc((size_t)sets * sets * parts, sizeof *thirds), total = 0;
    assert_non_null(thirds);
    expect_thirds(plan, solutions, count, wests, easts, thirds);
    for (uint32_t x = 0; x < sets; x++) {
        struct choice choice;
        if (!choice_make(&plan->priorities, x, &choice))
            continue;
        for (uint32_t i = 0; i < choice.of_u * parts; i++) {
            const uint32_t part = i % parts, u = i / parts;
            const struct join_piece piece = {{.x = x, .u = u, .pairs = 1}, {part / easts, wests, part % easts, easts}};
            struct unit_result result;
            assert_int_equal(join_pairs_count(plan, &piece, kernel_find("auto"), NULL, &result), NQ_OK);
            assert_int_equal(result.parts, thirds[((size_t)x * sets + choice.set[u]) * parts + part]);
            total += result.parts;
        }
    }
    assert_int_equal(total, METHOD_THIRDS * facts_term("all", n));
    free(thirds);
    free(solutions);
    method_join.release(plan);
}

TEST(test_pairs_of_sets)
{
    for (uint32_t n = JOIN_MIN_N; n <= 11; n++) {
        if (n <= 9)
            check_parts(n, 1, 1);
        check_parts(n, 2, 3);
    }
}

/* The same plan twice; the units cover all pairs once, in order, and none weighs much more than the others. */
TEST(test_units)
{
    for (uint32_t n = 14; n <= 15; n++) {
        struct join_plan *plan = plan_of(n), *again = plan_of(n);
        double weight = 0;
        uint64_t pairs = 0, covered = 0;
        assert_true(plan->head.units > FEW_UNITS / 2 && plan->head.units < (size_t)2 * FEW_UNITS);
        assert_int_equal(plan->head.units, again->head.units);
        for (size_t i = 0; i < plan->head.units; i++) {
            assert_memory_equal(&plan->unit[i], &again->unit[i], sizeof plan->unit[i]);
            weight += plan->head.weights[i];
            covered += plan->unit[i].pairs;
        }
        for (size_t i = 0; i < plan->head.units; i++)
            assert_true(plan->head.weights[i] < 2 * weight / FEW_UNITS);
        for (uint32_t x = 0; x < plan->quadrants.sets; x++) {
            struct choice choice;
            pairs += choice_make(&plan->priorities, x, &choice) ? choice.of_u : 0;
        }
        assert_int_equal(covered, pairs);
        const struct filter filter = whole(n);
        const double cost = method_join.cost(&filter, 1, NULL);
        assert_true(cost > weight / 1.5 && cost < weight * 1.5);
        method_join.release(plan);
        method_join.release(again);
    }
}

/* The cost of large boards is what samples of their units took (docs/scale.md), in placements of a search that makes
 * 1.02e9 a second there. */
TEST(test_cost_of_large_boards)
{
    static const struct {
        uint32_t n;
        double seconds;
    } sampled[] = {{20, 13.5}, {22, 590}, {24, 43000}, {26, 3.5e6}, {28, 4.9e8}};
    for (size_t i = 0; i < sizeof sampled / sizeof sampled[0]; i++) {
        const struct filter filter = whole(sampled[i].n);
        const double seconds = method_join.cost(&filter, 1, NULL) / 1.02e9;
        assert_true(seconds > sampled[i].seconds / 1.25 && seconds < sampled[i].seconds * 1.25);
    }
}

TEST(test_suits)
{
    for (uint32_t n = 0; n <= 32; n++) {
        struct filter filter = whole(n);
        assert_int_equal(method_join.suits(&filter), n >= JOIN_WORTH_N && n <= JOIN_MAX_N);
        if (n) {
            filter_exclude(&filter, 0, 0);
            assert_false(method_join.suits(&filter));
        }
    }
}

/* ---- Stopping ---- */

enum { LARGE_N = 18 };

/* Again and again, for one may be over before there is anybody to stop it. */
static enum nq_status prepare_large(void *of, const atomic_bool *stop)
{
    void **plan = of;
    enum nq_status status = NQ_OK;
    while (status == NQ_OK) {
        method_join.release(*plan);
        *plan = NULL;
        status = prepare(LARGE_N, SIZE_MAX, stop, plan);
    }
    return status;
}

static enum nq_status count_first(void *plan, const atomic_bool *stop)
{
    struct unit_result result;
    return method_join.count(plan, 0, METHOD_WHOLE, kernel_find("scalar"), stop, &result);
}

/* Preparing, and a unit that has all pairs in it. */
TEST(test_cancel)
{
    void *none = NULL;
    stop_latency_check(prepare_large, &none, 1, 100);
    assert_null(none);
    for (int listed = 0; listed < 2; listed++) {
        struct join_plan *plan = plan_within(LARGE_N, listed ? SIZE_MAX : 0);
        for (size_t i = 1; i < plan->head.units; i++)
            plan->unit[0].pairs += plan->unit[i].pairs;
        stop_latency_check(count_first, plan, 50, 100);
        method_join.release(plan);
    }
}

TEST(test_cancelled_already)
{
    const atomic_bool stop = true;
    struct unit_result result;
    void *plan = NULL;
    assert_int_equal(prepare(LARGE_N, SIZE_MAX, &stop, &plan), NQ_CANCELLED);
    assert_null(plan);
    for (int listed = 0; listed < 2; listed++) {
        plan = plan_within(14, listed ? SIZE_MAX : 0);
        assert_int_equal(method_join.count(plan, 0, METHOD_WHOLE, kernel_find("auto"), &stop, &result), NQ_CANCELLED);
        method_join.release(plan);
    }
}

/* ---- Threads, memory ---- */

struct crowd {
    const struct join_plan *plan;
    atomic_uint right;
};

static void count_all_units(void *context)
{
    struct crowd *crowd = context;
    uint64_t thirds = 0;
    for (size_t unit = 0; unit < method_units(crowd->plan); unit++) {
        struct unit_result result = {0};
        if (method_join.count(crowd->plan, unit, METHOD_WHOLE, kernel_find("auto"), NULL, &result) == NQ_OK)
            thirds += result.parts;
    }
    if (thirds == METHOD_THIRDS * facts_term("all", 12))
        atomic_fetch_add(&crowd->right, 1);
}

/* Several threads count the same units of one plan. */
TEST(test_threads)
{
    struct crowd crowd = {.plan = plan_of(12)};
    (void)facts_term("all", 12); /* read before there are threads */
    parallel_run(3, count_all_units, &crowd);
    assert_int_equal(crowd.right, 3);
    method_join.release((void *)(uintptr_t)crowd.plan);
}

/* Whatever allocation is the first to fail: NQ_NOMEM, and nothing is left behind. */
TEST(test_without_memory)
{
    for (int round = 0; round < 4; round++) {
        const uint32_t n = round % 2 ? 13 : 12;
        const size_t tables = round / 2 ? 0 : SIZE_MAX;
        enum nq_status status;
        size_t succeed = 0;
        do {
            void *plan = NULL;
            failing_after = succeed++;
            status = prepare(n, tables, NULL, &plan);
            failing_after = SIZE_MAX;
            if (status == NQ_OK)
                method_join.release(plan);
            else
                assert_int_equal(status, NQ_NOMEM);
        } while (status != NQ_OK);
        assert_true(succeed > 5);
        void *plan = plan_within(n, tables);
        const size_t unit = method_units(plan) / 2;
        succeed = 0;
        do {
            struct unit_result result;
            failing_after = succeed++;
            status = method_join.count(plan, unit, METHOD_WHOLE, kernel_find("auto"), NULL, &result);
            failing_after = SIZE_MAX;
            assert_true(status == NQ_OK || status == NQ_NOMEM);
        } while (status != NQ_OK);
        assert_true(succeed > 5);
        method_join.release(plan);
    }
    method_join.release(NULL);
}
