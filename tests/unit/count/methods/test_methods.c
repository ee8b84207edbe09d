/* test_methods.c - tests of src/count/methods and of the public count: the published numbers, and every method's units
 * on every kernel that this machine supports. */
/* CI builds: address */
#include <stdlib.h>

#include "count/methods/method.h"
#include "support/sifted_solutions.h"

/* One method itself, for its sizes of units. */
#include "count/methods/method_search.c"

TEST(test_known)
{
    uint64_t count;
    for (uint32_t n = 0; n <= NQ_KNOWN_MAX_N; n++) {
        assert_int_equal(nq_known_count(n, &count), NQ_OK);
        assert_int_equal(count, facts_term("all", n));
    }
    assert_int_equal(json_array_size(json_object_get(facts_table("all"), "terms")), NQ_KNOWN_MAX_N + 1);
    assert_int_equal(nq_known_count(NQ_KNOWN_MAX_N + 1, &count), NQ_LIMIT);
    assert_int_equal(nq_known_count(UINT32_MAX, &count), NQ_LIMIT);
}

TEST(test_count)
{
    uint64_t count;
    for (uint32_t n = 0; n <= 9; n++) {
        assert_int_equal(nq_count(n, &count), NQ_OK);
        assert_int_equal(count, facts_term("all", n));
    }
    assert_int_equal(nq_count(methods[0]->max_n + 1, &count), NQ_LIMIT);
    assert_int_equal(nq_count(64, &count), NQ_LIMIT);
    assert_int_equal(nq_count(UINT32_MAX, &count), NQ_LIMIT);
}

static void *prepare_with(const struct method *method, uint32_t n, double split_weight)
{
    const struct method_means means = {.tables = SIZE_MAX, .threads = 2, .split_weight = split_weight};
    struct filter filter;
    void *plan = NULL;
    filter_begin(&filter, n);
    if (method->suits && !method->suits(&filter)) /* not for queens */
        filter.rule = sift_rule("superqueens");   /* there are some on every large board */
    if (method->value) {                          /* the method of correlations, of odd boards */
        filter_begin(&filter, n | 1);
        filter.rule = sift_rule("toroidal-semiqueens");
    }
    filter_settle(&filter);
    assert_int_equal(method->prepare(&filter, &means, NULL, &plan), NQ_OK);
    assert_non_null(plan);
    return plan;
}

static void *prepare(const struct method *method, uint32_t n)
{
    return prepare_with(method, n, 0);
}

/* The thirds of all units, from the first to the last, or the other way round; units[] keeps each one's. */
static uint64_t add_up(const struct method *method, const void *plan, const struct kernel *kernel, bool backwards,
                       uint64_t *units)
{
    const atomic_bool go_on = false;
    uint64_t thirds = 0;
    size_t count = method_units(plan);
    for (size_t i = 0; i < count; i++) {
        size_t unit = backwards ? count - 1 - i : i;
        struct unit_result result = {0};
        assert_int_equal(method->count(plan, unit, METHOD_WHOLE, kernel, backwards ? &go_on : NULL, &result), NQ_OK);
        if (backwards)
            assert_int_equal(result.parts, units[unit]); /* a pure function of plan and index, whatever the kernel */
        units[unit] = result.parts;
        thirds += result.parts;
    }
    return thirds;
}

/* What a method counts on a whole board. */
static uint64_t published(const struct method *method, uint32_t n)
{
    static const char *const tables[] = {
        [SYMMETRY_ANY] = "all", [SYMMETRY_POINT] = "point_symmetric", [SYMMETRY_QUARTER] = "rot90_symmetric"};
    return n ? facts_term(tables[method->symmetry], n) : 1;
}

static void check_units(const struct method *method, uint32_t n)
{
    void *plan = prepare(method, n);
    size_t count = method_units(plan);
    uint64_t *units = calloc(count + 1, sizeof *units), expected = METHOD_THIRDS * published(method, n);
    assert_non_null(units);
    assert_int_equal(add_up(method, plan, kernel_find("scalar"), false, units), expected);
    for (const struct kernel *const *at = kernels; *at; at++)
        if ((*at)->supported())
            assert_int_equal(add_up(method, plan, *at, true, units), expected);
    method->release(plan);
    free(units);
}

TEST(test_units)
{
    for (const struct method *const *at = methods; *at; at++)
        for (uint32_t n = 0; !(*at)->suits && n <= 11 && n <= (*at)->max_n; n++) /* the join has tests of its own */
            check_units(*at, n);
}

/* A board worth sharing out is shared out: many units, none of them most of the work, and none so large that it would
 * be missed for long when the process ends. Those looked at are spread over all. */
TEST(test_units_are_small)
{
    static const uint32_t sizes[] = {[SYMMETRY_ANY] = 18, [SYMMETRY_POINT] = 30, [SYMMETRY_QUARTER] = 32};
    for (const struct method *const *at = methods; *at; at++) {
        enum { SAMPLES = 1 };
        if ((*at)->suits)
            continue;
        void *plan = prepare(*at, sizes[(*at)->symmetry]);
        const size_t count = method_units(plan);
        assert_true((*at)->symmetry == SYMMETRY_QUARTER || (count >= 64 && count < 2 * MOST_UNITS));
        double weight = 0, most = 0;
        for (size_t unit = 0; unit < count; unit++) {
            const double one = method_weight(plan, unit);
            assert_true(one > 0);
            weight += one;
            most = one > most ? one : most;
        }
        assert_true((*at)->symmetry == SYMMETRY_QUARTER || most < weight / 20);
        for (size_t i = 0; i < SAMPLES; i++) {
            struct unit_result result = {0};
            assert_int_equal((*at)->count(plan, i * count / SAMPLES, METHOD_WHOLE, kernel_find("auto"), NULL, &result),
                             NQ_OK);
            assert_true((double)result.nodes < 20 * UNIT_NODES);
        }
        (*at)->release(plan);
    }
}

/* The pieces of every unit add up to what it is in a plan that is not split, whatever the limit; there are many, and no
 * more than that. */
static void check_pieces(const struct method *method, const void *plan, const void *unsplit, size_t unit, double limit,
                         size_t *split)
{
    const struct kernel *kernel = kernel_find("auto");
    struct unit_result whole = {0}, result = {0};
    size_t pieces = 0, again = 0;
    uint64_t thirds = 0;
    assert_int_equal(method->count(unsplit, unit, METHOD_WHOLE, kernel, NULL, &result), NQ_OK);
    assert_int_equal(method->count(plan, unit, METHOD_WHOLE, kernel, NULL, &whole), NQ_OK);
    assert_int_equal(result.parts, whole.parts);
    assert_int_equal(method->pieces(plan, unit, NULL, &pieces), NQ_OK);
    for (size_t piece = pieces; piece-- > 0; thirds += result.parts)
        assert_int_equal(method->count(plan, unit, piece, kernel, NULL, &result), NQ_OK);
    assert_int_equal(thirds, whole.parts);
    assert_int_equal(method->count(plan, unit, pieces, kernel, NULL, &result), NQ_INVALID);
    assert_int_equal(method->pieces(plan, unit, NULL, &again), NQ_OK);
    assert_int_equal(again, pieces);
    assert_true(method_weight(plan, unit) <= limit ? pieces == 1 : pieces > 0);
    *split += pieces > 1;
}

TEST(test_pieces)
{
    enum { SOME_UNITS = 2, LIMITS = 2 };
    static const double limits[LIMITS] = {1e3, 1e4};
    for (const struct method *const *at = methods; *at; at++) {
        if (!(*at)->pieces)
            continue;
        for (size_t i = 0; i < LIMITS; i++) {
            void *plan = prepare_with(*at, 14 + (uint32_t)i, limits[i]), *unsplit = prepare(*at, 14 + (uint32_t)i);
            size_t split = 0;
            const size_t units = method_units(plan), step = units / SOME_UNITS + 1;
            for (size_t unit = units / 2 % step; unit < units; unit += step)
                check_pieces(*at, plan, unsplit, unit, limits[i], &split);
            assert_true(split > 0);
            (*at)->release(unsplit);
            (*at)->release(plan);
        }
    }
}

/* A large board has no more units than can be held; their pieces are many, but no more than can be numbered: NQ_LONG.
 */
TEST(test_pieces_of_large_boards)
{
    if (!getenv("NQ_LONG"))
        return;
    void *plan = prepare(&method_search, 28);
    const size_t units = method_units(plan);
    size_t pieces = 0;
    assert_true(units < 10 * MOST_UNITS);
    assert_int_equal(method_search.pieces(plan, units / 2, NULL, &pieces), NQ_OK);
    assert_true(pieces > 100 && pieces <= METHOD_PIECES_MAX);
    method_search.release(plan);
}

/* The point of the symmetry: well under a quarter of the placements that plain backtracking tries. */
TEST(test_search_uses_the_symmetry)
{
    const uint32_t n = 11;
    void *plan = prepare(&method_search, n);
    uint64_t nodes = 0;
    for (size_t unit = 0; unit < method_units(plan); unit++) {
        struct unit_result result = {0};
        assert_int_equal(method_search.count(plan, unit, METHOD_WHOLE, kernel_find("scalar"), NULL, &result), NQ_OK);
        nodes += result.nodes;
    }
    assert_true(nodes < facts_term("backtrack_nodes", n) / 4);
    method_search.release(plan);
}

/* A unit of this size takes longer than a set flag may go unnoticed. */
TEST(test_cancel)
{
    const atomic_bool stop = true;
    for (const struct method *const *at = methods; *at; at++) {
        void *plan = prepare(*at, (*at)->symmetry == SYMMETRY_ANY ? 18 : 28);
        for (const struct kernel *const *kernel = kernels; *kernel; kernel++) {
            struct unit_result result = {0};
            if ((*kernel)->supported())
                assert_int_equal((*at)->count(plan, method_units(plan) / 2, METHOD_WHOLE, *kernel, &stop, &result),
                                 NQ_CANCELLED);
        }
        (*at)->release(plan);
    }
}
