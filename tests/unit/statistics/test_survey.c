/* test_survey.c - tests of src/statistics/survey.c and src/statistics/visit.c: distributions of all kinds of queries
 * against solutions sifted one by one, unit by unit in any order. */
/* CI builds: address */
#include "kernels/find.h"
#include "statistics/survey.h"
#include "statistics/visit.h"
#include "support/sifted_solutions.h"

enum { VALUES_MAX = 3300 };

static struct survey *open_survey(const struct query *query, const struct statistic *statistic)
{
    struct survey *survey = NULL;
    assert_int_equal(survey_open(query, statistic, 1e9, NULL, &survey), NQ_OK);
    return survey;
}

/* A survey whose units have been counted, from the last one on. */
static struct survey *surveyed(const struct query *query, const struct statistic *statistic, const char *kernel)
{
    struct survey *survey = open_survey(query, statistic);
    for (size_t unit = survey_units(survey); unit-- > 0;) {
        struct bytes result = {0};
        uint64_t nodes = 0;
        assert_int_equal(survey_result(survey, unit, kernel_find(kernel), NULL, &result, &nodes), NQ_OK);
        assert_int_equal(survey_put(survey, result.data, result.size), NQ_OK);
        bytes_free(&result);
    }
    return survey;
}

static void add_value(const struct statistic *statistic, uint32_t n, const uint32_t *columns, uint64_t *counts)
{
    uint8_t narrow[STATISTICS_MAX_N];
    for (uint32_t row = 0; row < n; row++)
        narrow[row] = (uint8_t)columns[row];
    counts[statistic->value(n, narrow)]++;
}

static void check_survey(struct survey *survey, const uint64_t *counts, uint64_t total)
{
    assert_int_equal((uint64_t)survey_total(survey), total);
    for (uint32_t value = 0; value < survey_values(survey); value++)
        assert_int_equal((uint64_t)survey_counts(survey)[value], counts[value]);
    survey_close(survey);
}

static void check_query(const struct query *query, const struct sift *all, const char *kernel)
{
    const uint32_t n = query->filter.n;
    const unsigned group = sift_group(query);
    for (size_t i = 0; i < statistics_count; i++) {
        uint64_t counts[VALUES_MAX] = {0}, total = 0;
        if (!rule_by_lines(all->rule) && statistics[i]->queens_only)
            continue;
        for (size_t k = 0; k < all->count; k++) {
            const uint32_t *columns = all->solutions + k * n;
            if (!sift_wanted(query, columns) || !sift_least(query, group, columns))
                continue;
            add_value(statistics[i], n, columns, counts);
            total++;
        }
        check_survey(surveyed(query, statistics[i], kernel), counts, total);
    }
}

TEST(test_random_filters_against_all_solutions)
{
    uint64_t dice = 1;
    for (uint32_t n = 1; n <= 8; n++) {
        struct sift all = sift_all(n);
        for (unsigned round = 0; round < 12; round++) {
            struct query query = {.distinct = (enum query_distinct)(round % 3), .broken = sift_broken()};
            if (round < 3)
                filter_begin(&query.filter, n);
            else if (round % 2)
                sift_roll(&dice, &all, &query.filter);
            else
                sift_roll_symmetric(&dice, n, &query.filter);
            check_query(&query, &all, round % 4 ? "scalar" : "auto");
        }
        free(all.solutions);
    }
}

/* Prefixes of one, two and three rows. */
TEST(test_units_of_larger_boards_add_up)
{
    const struct statistic *statistic = statistic_find("first-column"), *class = statistic_find("torus-class");
    for (uint32_t n = 9; n <= 11; n++) {
        const struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        for (int i = 0; i < 2; i++) {
            struct survey *survey = surveyed(&query, i ? class : statistic, "auto");
            nq_wide sum = 0;
            for (uint32_t value = 0; value < survey_values(survey); value++)
                sum += survey_counts(survey)[value];
            assert_int_equal((uint64_t)survey_total(survey), facts_term("all", n));
            assert_int_equal((uint64_t)sum, facts_term("all", n));
            survey_close(survey);
        }
    }
    struct query placed = sift_whole(19, DISTINCT_ALL, SYMMETRY_ANY);
    static const uint32_t squares[][2] = {{0, 4}, {1, 7}, {3, 0}, {5, 14}, {6, 1}, {9, 10}, {10, 18}, {12, 3}};
    for (size_t i = 0; i < sizeof squares / sizeof squares[0]; i++)
        filter_place(&placed.filter, squares[i][0], squares[i][1]);
    struct survey *few = surveyed(&placed, class, "auto"), *again = surveyed(&placed, statistic, "scalar");
    assert_int_equal((uint64_t)survey_total(few), (uint64_t)survey_total(again));
    assert_int_equal((uint64_t)survey_counts(again)[4], (uint64_t)survey_total(again));
    survey_close(few);
    survey_close(again);
}

TEST(test_the_empty_board)
{
    const struct query query = sift_whole(0, DISTINCT_ALL, SYMMETRY_ANY);
    for (size_t i = 0; i < statistics_count; i++) {
        struct survey *survey = surveyed(&query, statistics[i], "auto");
        nq_wide sum = 0;
        for (uint32_t value = 0; value < survey_values(survey); value++)
            sum += survey_counts(survey)[value];
        assert_int_equal((uint64_t)survey_total(survey), 1);
        assert_int_equal((uint64_t)sum, survey_values(survey) > 0);
        survey_close(survey);
    }
}

TEST(test_other_rules_against_all_solutions)
{
    uint64_t dice = 1;
    for (size_t i = 0; rules[i]; i++)
        for (uint32_t n = 1; n <= 7 && !rule_by_lines(rules[i]); n++) {
            struct sift all = sift_by_rule(rules[i], n);
            for (unsigned holes = 0; holes < 5; holes++) {
                const enum query_distinct distinct = holes < 3    ? DISTINCT_ALL
                                                     : holes == 3 ? DISTINCT_MIRROR
                                                                  : DISTINCT_FUNDAMENTAL;
                struct query query = sift_whole(n, distinct, SYMMETRY_ANY);
                query.filter.rule = rules[i];
                for (unsigned hole = 0; hole < holes % 3; hole++)
                    filter_exclude(&query.filter, facts_below(&dice, n), facts_below(&dice, n));
                check_query(&query, &all, "auto");
            }
            free(all.solutions);
        }
}

/* ---- Costs, names, results ---- */

/* With a speed at which a placement takes no time beside a solution, the weight of all units is their solutions. */
TEST(test_weights)
{
    const struct statistic *statistic = statistic_find("torus-class");
    for (uint32_t n = 11; n <= 12; n++) {
        const struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        const double speed = 1e15;
        struct survey *survey = NULL;
        assert_int_equal(survey_open(&query, statistic, speed, NULL, &survey), NQ_OK);
        const double half = (double)facts_term("all", n) / 2; /* the others are their reflections */
        const double cost = (double)survey_cost(survey, NULL), expected = half * (statistic->seconds + 8e-9) * speed;
        assert_true(cost > expected / 1.25 && cost < expected * 1.25);
        survey_close(survey);
    }
}

TEST(test_names)
{
    const struct query all = sift_whole(8, DISTINCT_ALL, SYMMETRY_ANY),
                       mirror = sift_whole(8, DISTINCT_MIRROR, SYMMETRY_ANY);
    struct bytes names[4] = {{0}};
    struct survey *surveys[] = {open_survey(&all, statistics[0]), open_survey(&mirror, statistics[0]),
                                open_survey(&all, statistics[1]), open_survey(&all, statistics[0])};
    for (int i = 0; i < 4; i++) {
        survey_name(surveys[i], &names[i]);
        bytes_char(&names[i], '\0');
        for (int k = 0; k < i; k++)
            assert_int_equal(strcmp(names[k].data, names[i].data) == 0, k == 0 && i == 3);
        survey_close(surveys[i]);
    }
    for (int i = 0; i < 4; i++)
        bytes_free(&names[i]);
}

TEST(test_what_is_no_result)
{
    static const char *const wrong[] = {
        "",          "x",     "3 ",     "3 1:2",  "3 1:2 1:1",
        "3 2:1 1:2", "3 8:3", "3 1:3x", "3  1:3", "-3 1:3",
        "3 1",       "3 1:",  "3 :3",   "3,1:3",  "18446744073709551616 1:18446744073709551616"};
    const struct query query = sift_whole(8, DISTINCT_ALL, SYMMETRY_ANY);
    struct survey *survey = open_survey(&query, statistic_find("first-column"));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(survey_put(survey, wrong[i], strlen(wrong[i])), NQ_INVALID);
    assert_int_equal((uint64_t)survey_total(survey), 0);
    assert_int_equal(survey_put(survey, "3 1:2 7:1", 9), NQ_OK);
    assert_int_equal(survey_put(survey, "0", 1), NQ_OK);
    assert_int_equal((uint64_t)survey_total(survey), 3);
    assert_int_equal((uint64_t)survey_counts(survey)[7], 1);
    survey_close(survey);
}

TEST(test_limits)
{
    const struct query large = sift_whole(STATISTICS_MAX_N + 1, DISTINCT_ALL, SYMMETRY_ANY);
    const struct query whole = sift_whole(STATISTICS_MAX_N, DISTINCT_ALL, SYMMETRY_ANY);
    const atomic_bool stop = true;
    struct survey *survey = NULL;
    assert_int_equal(survey_open(&large, statistics[0], 1e9, NULL, &survey), NQ_LIMIT);
    assert_int_equal(survey_open(&whole, statistics[0], 1e9, &stop, &survey), NQ_CANCELLED);
}

TEST(test_stopped_at_once)
{
    const atomic_bool stop = true;
    for (int rule = 0; rule < 2; rule++) {
        struct query query = sift_whole(STATISTICS_MAX_N, DISTINCT_ALL, SYMMETRY_ANY);
        query.filter.rule = sift_rule(rule ? "touching" : "queens");
        struct survey *survey = open_survey(&query, statistics[0]);
        struct bytes result = {0};
        uint64_t nodes = 0;
        assert_int_equal(survey_result(survey, 0, kernel_find("auto"), &stop, &result, &nodes), NQ_CANCELLED);
        assert_int_equal(result.size, 0);
        assert_true(nodes < 1000000);
        survey_close(survey);
    }
}

static void never(void *context, const uint8_t *columns)
{
    (void)context, (void)columns;
    fail();
}

TEST(test_prefixes_that_are_none)
{
    static const uint8_t attacked[] = {0, 1}, outside[] = {9};
    for (int rule = 0; rule < 2; rule++) {
        struct query query = sift_whole(8, DISTINCT_ALL, SYMMETRY_ANY);
        query.filter.rule = sift_rule(rule ? "touching" : "queens");
        struct visit visit = {.filter = &query.filter, .finder = finder_of(kernel_find("auto")), .visit = never};
        assert_int_equal(visit_below(&visit, attacked, 2), NQ_INVALID);
        assert_int_equal(visit_below(&visit, outside, 1), NQ_INVALID);
    }
}
