/* test_correlations.c - tests of src/count/methods/method_correlations.c: against the search, and against what is
 * published; which boards it counts, what it costs, and that no wrong sum passes for a count; necklaces against all
 * words. */
/* CI builds: address */
#include "count/methods/method.h"
#include "support/counted_query.h"
#include "support/sifted_solutions.h"

/* The method itself, whose necklaces are looked at. */
#include "count/methods/method_correlations.c"

extern const struct method method_rules;

static struct query whole(uint32_t n, enum query_distinct distinct)
{
    struct query query = sift_whole(n, distinct, SYMMETRY_ANY);
    query.filter.rule = sift_rule("toroidal-semiqueens");
    return query;
}

/* ---- Counts ---- */

/* What the units of a method add up to. */
static nq_wide add_up_with(const struct method *method, uint32_t n, const struct kernel *kernel)
{
    const struct query query = whole(n, DISTINCT_ALL);
    const struct method_means means = {.threads = 1};
    void *plan = NULL;
    nq_wide sum = 0;
    assert_int_equal(method->prepare(&query.filter, &means, NULL, &plan), NQ_OK);
    for (size_t unit = 0; unit < method_units(plan); unit++) {
        struct unit_result result;
        memset(&result, 0xff, sizeof result);
        assert_int_equal(method->count(plan, unit, METHOD_WHOLE, kernel, NULL, &result), NQ_OK);
        sum += result.parts;
    }
    method->release(plan);
    return sum;
}

static nq_wide add_up(const struct method *method, uint32_t n)
{
    return add_up_with(method, n, kernel_find("auto"));
}

TEST(test_against_the_search)
{
    for (uint32_t n = 3; n <= 13; n += 2) {
        const struct query query = whole(n, DISTINCT_ALL);
        nq_wide thirds = 0;
        assert_true(method_correlations.value(&query.filter, add_up(&method_correlations, n), &thirds));
        assert_true(thirds > 0 && thirds == add_up(&method_rules, n));
    }
}

TEST(test_kernels_agree)
{
    const nq_wide sum = add_up(&method_correlations, 17);
    for (const struct kernel *const *at = kernels; *at; at++)
        if ((*at)->supported())
            assert_true(add_up_with(&method_correlations, 17, *at) == sum);
    const struct torus_kernel *scalar = torus_kernel_like("scalar");
    assert_string_equal(scalar->name, "scalar");
    assert_ptr_equal(torus_kernel_like("another"), torus_kernel_best());
    if (kernel_find("avx2"))
        assert_string_equal(torus_kernel_like("avx2")->name, "avx2");
    if (strcmp(torus_kernel_best()->name, "avx512") == 0)
        assert_ptr_equal(torus_kernel_like("avx512w"), torus_kernel_best());
}

TEST(test_published)
{
    for (uint32_t n = 3; n <= (getenv("NQ_LONG") ? 23 : 19); n += 2) {
        const struct query query = whole(n, DISTINCT_ALL);
        uint64_t published = 0;
        assert_true(facts_published("toroidal-semiqueens", n, &published));
        ENDED_BY(counted_end) struct counted figures = count_query(&query, false);
        assert_string_equal(counting_method(figures.counting, 0), "correlations");
        assert_int_equal(figures.total, published);
    }
}

/* ---- Which boards ---- */

TEST(test_whole_boards_of_odd_size_are_counted)
{
    for (uint32_t n = 0; n <= FILTER_MAX_N; n++) {
        struct filter filter = whole(n, DISTINCT_ALL).filter;
        const bool suits = n % 2 && n > 1 && n <= TORUS_MAX_N;
        assert_int_equal(correlations_suit(&filter), suits);
        if (!suits)
            continue;
        filter_exclude(&filter, n - 1, n / 2);
        assert_false(correlations_suit(&filter));
        filter = whole(n, DISTINCT_ALL).filter;
        filter.fixed[1].right = 1;
        assert_false(correlations_suit(&filter));
        for (size_t i = 0; rules[i]; i++) {
            filter = whole(n, DISTINCT_ALL).filter;
            filter.rule = rules[i];
            assert_int_equal(correlations_suit(&filter), rules[i] == sift_rule("toroidal-semiqueens"));
        }
    }
}

/* Burnside's lemma has the whole board for one of its terms, and only that. */
TEST(test_classes_need_the_plain_term)
{
    static const enum query_distinct all[] = {DISTINCT_FUNDAMENTAL, DISTINCT_TORUS};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const struct query query = whole(21, all[i]);
        OWNED(counting_close) struct counting *counting = NULL;
        size_t terms = 0;
        assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
        assert_true(counting_terms(counting) > 1);
        for (size_t term = 0; term < counting_terms(counting); term++)
            terms += strcmp(counting_method(counting, term), "correlations") == 0;
        assert_int_equal(terms, 1);
        assert_true(counting_parts_most(counting, 0) == ~(nq_wide)0);
        assert_true(counting_parts_most(counting, 1) == UINT64_MAX);
    }
}

/* ---- Sums ---- */

/* A sum that is wrong in any of its bits is no multiple of 4^(n - 1), or its quotient has other residues than known. */
TEST(test_a_wrong_sum_is_found)
{
    for (uint32_t n = 5; n <= 17; n += 2) {
        const struct query query = whole(n, DISTINCT_ALL);
        const nq_wide sum = add_up(&method_correlations, n);
        nq_wide thirds;
        for (uint32_t bit = 0; bit < 128; bit++)
            assert_false(method_correlations.value(&query.filter, sum ^ (nq_wide)1 << bit, &thirds));
        assert_false(method_correlations.value(&query.filter, 0, &thirds));
        assert_true(method_correlations.value(&query.filter, sum, &thirds));
    }
}

/* By other methods a sum of thirds is one of solutions, or wrong. */
TEST(test_a_part_of_a_solution_is_found)
{
    const struct query query = sift_whole(8, DISTINCT_ALL, SYMMETRY_ANY);
    OWNED(counting_close) struct counting *counting = NULL;
    nq_wide thirds = 0;
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
    assert_true(counting_value(counting, 0, 92 * METHOD_THIRDS, &thirds) && thirds == 92 * METHOD_THIRDS);
    for (unsigned more = 1; more < METHOD_THIRDS; more++)
        assert_false(counting_value(counting, 0, 92 * METHOD_THIRDS + more, &thirds));
}

/* ---- Costs ---- */

/* The cost, which is known without a list, is about the weight of all units, and none of these is much larger than the
 * others. */
TEST(test_costs)
{
    for (uint32_t n = 17; n <= 25; n += 2) {
        const struct query query = whole(n, DISTINCT_ALL);
        const struct method_means means = {.threads = 1};
        void *plan = NULL;
        double weight = 0, most = 0;
        assert_int_equal(method_correlations.prepare(&query.filter, &means, NULL, &plan), NQ_OK);
        const size_t units = method_units(plan);
        for (size_t unit = 0; unit < units; unit++) {
            const double one = method_weight(plan, unit);
            weight += one;
            most = one > most ? one : most;
            assert_true(one > 0);
        }
        const double cost = method_correlations.cost(&query.filter, 1, NULL);
        assert_true(cost > weight / 1.1 && cost < weight * 1.1);
        assert_true(most < 1.01 * (double)UNIT_PAIRS * n * COLUMN_WEIGHT);
        assert_int_equal(units, n < 23 ? 1 : n == 23 ? 3 : 43);
        const struct method_memory memory = method_correlations.memory(&query.filter, 0);
        const struct necklaces *list = &((struct plan *)plan)->necklaces;
        assert_true(memory.shared >=
                    (double)(list->count * sizeof list->words[0] + list->classes * sizeof list->class[0]));
        assert_true(memory.each == 0);
        method_correlations.release(plan);
    }
}

/* ---- Stopping, and no memory ---- */

TEST(test_stopped)
{
    const struct query query = whole(21, DISTINCT_ALL);
    const struct method_means means = {.threads = 1};
    const atomic_bool stop = true;
    struct unit_result result;
    void *plan = NULL;
    assert_int_equal(method_correlations.prepare(&query.filter, &means, &stop, &plan), NQ_CANCELLED);
    assert_int_equal(method_correlations.prepare(&query.filter, &means, NULL, &plan), NQ_OK);
    assert_int_equal(method_correlations.count(plan, 0, METHOD_WHOLE, kernel_find("auto"), &stop, &result),
                     NQ_CANCELLED);
    method_correlations.release(plan);
}

/* ---- Necklaces ---- */

static uint32_t place(uint32_t n, uint32_t word, uint32_t factor, uint32_t by)
{
    uint32_t image = 0;
    for (uint32_t j = 0; j < n; j++)
        image |= (word >> j & 1) << (j * factor + by) % n;
    return image;
}

static bool has_inverse(uint32_t n, uint32_t factor)
{
    for (uint32_t other = 1; other < n; other++)
        if (factor * other % n == 1)
            return true;
    return false;
}

/* Marks all words that a class stands for. Returns how many there are. */
static uint32_t mark(uint32_t n, uint32_t word, bool *marked)
{
    uint32_t count = 0;
    for (uint32_t factor = 1; factor < n; factor++)
        for (uint32_t by = 0; by < n && has_inverse(n, factor); by++) {
            const uint32_t image = place(n, word, factor, by);
            count += !marked[image];
            marked[image] = true;
        }
    return count;
}

TEST(test_classes_hold_every_even_word_once)
{
    static bool marked[1 << 15];
    for (uint32_t n = 3; n <= 15; n += 2) {
        struct necklaces list;
        uint32_t words = 0, listed = 0, period = 0;
        memset(marked, 0, sizeof marked);
        assert_int_equal(necklaces_list(n, NULL, &list), NQ_OK);
        for (uint32_t i = 0; i < list.classes; i++) {
            const struct necklace_class *class = &list.class[i];
            assert_int_equal(class->first, listed);
            assert_true(class->period >= period && n % class->period == 0);
            period = class->period;
            listed += class->members;
            const uint32_t fresh = mark(n, list.words[class->first], marked);
            assert_int_equal(fresh, class->members * class->period);
            for (uint32_t k = class->first; k < listed; k++) {
                assert_true(marked[list.words[k]]);
                assert_int_equal(__builtin_popcount(list.words[k]) % 2, 0);
            }
            words += fresh;
        }
        assert_int_equal(listed, list.count);
        assert_int_equal(necklaces_size(n).count, list.count);
        assert_int_equal(necklaces_size(n).classes, list.classes);
        assert_int_equal(words, UINT32_C(1) << (n - 1));
        necklaces_free(&list);
    }
}

TEST(test_necklaces_stopped)
{
    const atomic_bool stop = true;
    struct necklaces list;
    assert_int_equal(necklaces_list(21, &stop, &list), NQ_CANCELLED);
    assert_null(list.words);
}
