/* test_counting_plans.c - tests of src/count/counting.c: the names of terms, and their plans: what is done already is
 * left out, costs, bounds, and that planning and counting can be cancelled. */
/* CI builds: address */
#include "support/counted_query.h"
#include "support/sanitizer.h"
#include "support/sifted_solutions.h"
#include "support/stop_latency.h"

/* ---- Names ---- */

static char *name_of(const struct query *query, size_t term)
{
    struct counting *counting;
    struct bytes name = {0};
    assert_int_equal(counting_open(query, NULL, &counting), NQ_OK);
    assert_true(term < counting_terms(counting));
    counting_name(counting, term, &name);
    counting_close(counting);
    char *text = bytes_take(&name);
    assert_non_null(text);
    return text;
}

/* Names are equal for what is equal once it is settled, and for nothing else. */
TEST(test_names)
{
    enum { MOST = 400 };
    uint64_t dice = 8;
    char *names[MOST];
    struct filter filters[MOST];
    int symmetries[MOST];
    size_t count = 0;
    for (uint32_t n = 1; count < MOST; n = n % 32 + 1) {
        struct query query = sift_whole(n, DISTINCT_ALL, (enum query_symmetry)facts_below(&dice, 3));
        if (facts_below(&dice, 8))
            filter_place(&query.filter, facts_below(&dice, n), facts_below(&dice, n));
        for (uint32_t i = facts_below(&dice, 3); i > 0; i--)
            filter_exclude(&query.filter, facts_below(&dice, n), facts_below(&dice, n));
        filters[count] = query.filter;
        filter_settle(&filters[count]);
        if (filter_contradictory(&filters[count]))
            continue;
        symmetries[count] = query.symmetry;
        names[count] = name_of(&query, 0);
        for (const char *c = names[count]; *c; c++)
            assert_true(*c >= ' ' && *c <= '~' && *c != '#'); /* that is for units */
        query.filter = filters[count];                        /* settled before, or not */
        char *again = name_of(&query, 0);
        assert_string_equal(again, names[count]);
        free(again);
        count++;
    }
    for (size_t i = 0; i < MOST; i++)
        for (size_t k = 0; k < i; k++) {
            const bool same = filter_equal(&filters[i], &filters[k]) && symmetries[i] == symmetries[k];
            assert_int_equal(strcmp(names[i], names[k]) == 0, same);
        }
    for (size_t i = 0; i < MOST; i++)
        free(names[i]);
}

/* Terms that several queries need have one name: what is known of one helps the others. */
TEST(test_shared_terms)
{
    for (uint32_t n = 5; n <= 32; n++) {
        const struct query all = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY),
                           classes = sift_whole(n, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY),
                           point = sift_whole(n, DISTINCT_ALL, SYMMETRY_POINT),
                           quarter = sift_whole(n, DISTINCT_ALL, SYMMETRY_QUARTER);
        const struct query *const alone[] = {&all, &quarter, &point};
        struct counting *counting;
        assert_int_equal(counting_open(&classes, NULL, &counting), NQ_OK);
        assert_int_equal(counting_terms(counting), 3);
        counting_close(counting);
        for (size_t i = 0; i < 3; i++) {
            bool found = false;
            OWNED(free) char *name = name_of(alone[i], 0);
            for (size_t term = 0; term < 3; term++) {
                OWNED(free) char *other = name_of(&classes, term);
                found |= strcmp(name, other) == 0;
            }
            assert_true(found);
        }
    }
}

/* ---- What is done already ---- */

TEST(test_done_terms_are_skipped)
{
    for (uint32_t n = 6; n <= 8; n++)
        for (int by_square = 0; by_square < 2; by_square++) {
            struct query query = sift_whole(n, by_square ? DISTINCT_ALL : DISTINCT_FUNDAMENTAL, SYMMETRY_ANY);
            query.by_square = by_square;
            ENDED_BY(counted_end) struct counted full = count_query(&query, false);
            const size_t terms = counting_terms(full.counting);
            assert_true(terms > 1);
            for (unsigned mask = 0; mask < 64; mask++) {
                bool done[64 * 64] = {false};
                size_t all_units = 0;
                OWNED(counting_close) struct counting *counting = NULL;
                nq_wide thirds[64 * 64] = {0};
                for (size_t term = 0; term < terms; term++) {
                    done[term] = mask >> term % 6 & 1;
                    if (done[term])
                        thirds[term] = full.thirds[term];
                    else
                        all_units += counting_first(full.counting, term + 1) - counting_first(full.counting, term);
                }
                assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
                assert_int_equal(counting_prepare(counting, done, NULL, NULL), NQ_OK);
                assert_int_equal(counting_units(counting), all_units);
                assert_true((counting_cost(counting, done, 1, NULL).placements > 0) == (all_units > 0));
                assert_true(counting_cost(counting, done, 1, NULL).placements <=
                            counting_cost(counting, NULL, 1, NULL).placements);
                for (size_t unit = 0; unit < counting_units(counting); unit++) {
                    const size_t term = counting_term(counting, unit);
                    struct unit_result result = {0};
                    assert_false(done[term]);
                    assert_true(unit >= counting_first(counting, term) && unit < counting_first(counting, term + 1));
                    assert_int_equal(counting_count(counting, unit, METHOD_WHOLE, kernel_find("auto"), NULL, &result),
                                     NQ_OK);
                    thirds[term] += result.parts;
                }
                for (size_t term = 0; term < terms; term++)
                    assert_true(thirds[term] == full.thirds[term]);
                assert_int_equal((uint64_t)counting_total(counting, thirds), full.total);
            }
        }
}

/* ---- Plans of large boards ---- */

/* The same units each time, with weights that add up to about the cost. */
TEST(test_plans)
{
    for (uint32_t n = 10; n <= 15; n++)
        for (int distinct = DISTINCT_ALL; distinct <= DISTINCT_FUNDAMENTAL; distinct++) {
            const struct query query = sift_whole(n, (enum query_distinct)distinct, SYMMETRY_ANY);
            struct counting *one, *other;
            double weight = 0;
            assert_int_equal(counting_open(&query, NULL, &one), NQ_OK);
            assert_int_equal(counting_open(&query, NULL, &other), NQ_OK);
            assert_int_equal(counting_prepare(one, NULL, NULL, NULL), NQ_OK);
            assert_int_equal(counting_prepare(other, NULL, NULL, NULL), NQ_OK);
            assert_int_equal(counting_units(one), counting_units(other));
            for (size_t unit = 0; unit < counting_units(one); unit++) {
                assert_true(counting_weight(one, unit) == counting_weight(other, unit));
                weight += counting_weight(one, unit);
            }
            const double cost = counting_cost(one, NULL, 1, NULL).placements;
            assert_true(cost == counting_cost(other, NULL, 1, NULL).placements);
            assert_true(weight > cost / 2 && weight < cost * 2);
            counting_close(one);
            counting_close(other);
        }
}

/* What a count is said to cost is about what it takes. */
TEST(test_cost_is_about_right)
{
    struct query query = sift_whole(13, DISTINCT_ALL, SYMMETRY_ANY);
    filter_exclude(&query.filter, 0, 6); /* by the search: it is placements that are told */
    ENDED_BY(counted_end) struct counted figures = count_query(&query, false);
    const double cost = counting_cost(figures.counting, NULL, 1, NULL).placements, nodes = (double)figures.nodes;
    assert_true(cost > nodes / 2 && cost < nodes * 2);
    assert_true(figures.weight > nodes / 2 && figures.weight < nodes * 2);
}

/* However large the board, there are so many units that all can work, and not so many that the journal drowns. Those
 * of single methods are for their own tests: NQ_LONG. */
TEST(test_plans_are_bounded)
{
    static const struct {
        uint32_t n;
        enum query_symmetry symmetry;
        size_t least;
    } cases[] = {
        {22, SYMMETRY_ANY, 10000},  {24, SYMMETRY_ANY, 10000}, {32, SYMMETRY_ANY, 10000},
        {32, SYMMETRY_POINT, 1000}, {32, SYMMETRY_QUARTER, 1},
    };
    for (size_t i = 0; getenv("NQ_LONG") && i < sizeof cases / sizeof cases[0]; i++) {
        const struct query query = sift_whole(cases[i].n, DISTINCT_ALL, cases[i].symmetry);
        OWNED(counting_close) struct counting *counting = NULL;
        double most = 0, weight = 0;
        assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
        assert_int_equal(counting_prepare(counting, NULL, NULL, NULL), NQ_OK);
        const size_t units = counting_units(counting);
        assert_true(units >= cases[i].least && units <= 200000);
        for (size_t unit = 0; unit < units; unit++) {
            const double one = counting_weight(counting, unit);
            assert_true(one > 0);
            weight += one;
            most = one > most ? one : most;
        }
        assert_true(units == 1 || most < weight / 500);
    }
}

/* Plans come from where they are said to, and go back there. */
struct provider {
    unsigned taken, given;
    void *plan;
};

static enum nq_status provide(void *context, const struct method *method, const struct filter *filter,
                              const atomic_bool *stop, void **plan)
{
    struct provider *provider = context;
    const struct method_means none = {.tables = 0, .threads = 2};
    const enum nq_status status = method->prepare(filter, &none, stop, plan);
    provider->taken++;
    provider->plan = *plan;
    return status;
}

static void take_back(void *context, const struct method *method, void *plan)
{
    struct provider *provider = context;
    provider->given++;
    assert_ptr_equal(plan, provider->plan);
    method->release(plan);
}

/* Without tables, the same. */
TEST(test_plans_from_elsewhere)
{
    const struct query query = sift_whole(15, DISTINCT_ALL, SYMMETRY_ANY);
    struct provider provider = {0};
    const struct plan_source source = {.take = provide, .give = take_back, .context = &provider};
    struct counting *counting, *other;
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
    assert_int_equal(counting_open(&query, NULL, &other), NQ_OK);
    const struct method_memory with = counting_memory(counting, NULL, SIZE_MAX),
                               without = counting_memory(counting, NULL, 0);
    assert_true(without.shared > 0 && without.shared < with.shared);
    assert_true(with.each > 0 && without.each >= with.each);
    assert_true(counting_memory(counting, (const bool[]){true}, SIZE_MAX).shared == 0);
    assert_int_equal(counting_prepare(counting, NULL, NULL, NULL), NQ_OK);
    assert_int_equal(counting_prepare(other, NULL, &source, NULL), NQ_OK);
    assert_int_equal(provider.taken, 1);
    assert_int_equal(counting_units(counting), counting_units(other));
    for (size_t unit = 0; unit < counting_units(counting); unit++) {
        struct unit_result one, same;
        assert_true(counting_weight(counting, unit) == counting_weight(other, unit));
        if (unit % 8)
            continue;
        assert_int_equal(counting_count(counting, unit, METHOD_WHOLE, kernel_find("auto"), NULL, &one), NQ_OK);
        assert_int_equal(counting_count(other, unit, METHOD_WHOLE, kernel_find("auto"), NULL, &same), NQ_OK);
        assert_true(one.parts == same.parts);
    }
    counting_close(counting);
    assert_int_equal(provider.given, 0);
    counting_close(other);
    assert_int_equal(provider.given, 1);
}

static enum nq_status plan(void *counting, const atomic_bool *stop)
{
    return counting_prepare(counting, NULL, NULL, stop);
}

/* The plan of a large board takes seconds; it is not finished after a stop. */
TEST(test_cancel_while_planning)
{
    for (unsigned after_ms = 0; after_ms <= 30; after_ms += 30) {
        const struct query query = sift_whole(27, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY);
        OWNED(counting_close) struct counting *counting = NULL;
        assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
        stop_latency_check(plan, counting, after_ms, SANITIZED ? 20000 : 1000);
    }
}

TEST(test_beyond_every_method)
{
    static const uint32_t sizes[] = {33, 40, 64, 65, 1000000000, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct query query = {.filter = {.n = sizes[i], .rule = rules[0]}};
        struct counting *counting;
        assert_int_equal(counting_open(&query, NULL, &counting), NQ_LIMIT);
    }
    struct query query = sift_whole(32, DISTINCT_ALL, SYMMETRY_ANY);
    OWNED(counting_close) struct counting *counting = NULL;
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
}
