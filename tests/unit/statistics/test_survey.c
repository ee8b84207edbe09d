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

/* What the units of a query come to, counted from the last one on. */
struct surveyed {
    uint32_t values;
    nq_wide row[VALUES_MAX], total;
};

static struct surveyed surveyed(const struct query *query, const struct statistic *statistic, const char *kernel)
{
    struct survey *survey = open_survey(query, statistic);
    struct surveyed made = {.values = survey_values(survey)};
    uint64_t nodes = 0;
    assert_in_range(made.values, 1, VALUES_MAX);
    for (size_t unit = survey_units(survey); unit-- > 0;)
        assert_int_equal(survey_count(survey, unit, kernel_find(kernel), NULL, made.row, &nodes), NQ_OK);
    for (uint32_t value = 0; value < made.values; value++)
        made.total += made.row[value];
    survey_close(survey);
    return made;
}

static void add_value(const struct statistic *statistic, uint32_t n, const uint32_t *columns, uint64_t *counts)
{
    uint8_t narrow[STATISTICS_MAX_N];
    for (uint32_t row = 0; row < n; row++)
        narrow[row] = (uint8_t)columns[row];
    counts[statistic->value(n, narrow)]++;
}

static void check_survey(const struct surveyed *made, const uint64_t *counts, uint64_t total)
{
    assert_int_equal((uint64_t)made->total, total);
    for (uint32_t value = 0; value < made->values; value++)
        assert_int_equal((uint64_t)made->row[value], counts[value]);
}

static void check_query(const struct query *query, const struct sift *all, uint64_t *dice)
{
    const char *kernel = facts_below(dice, 2) ? "scalar" : "auto";
    const uint32_t n = query->filter.n;
    const unsigned group = sift_group(query);
    for (size_t i = 0; i < statistics_count && n; i++) { /* the empty board has no values to compare */
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
        const struct surveyed made = surveyed(query, statistics[i], kernel);
        check_survey(&made, counts, total);
    }
}

TEST(test_against_all_solutions)
{
    sift_each(&(struct sift_sweep){.most = 8, .rounds = 4}, check_query);
    sift_each(&(struct sift_sweep){.others = true, .most = 7, .rounds = 2}, check_query);
}

/* Prefixes of one, two and three rows. */
TEST(test_units_of_larger_boards_add_up)
{
    const struct statistic *statistic = statistic_find("first-column"), *class = statistic_find("torus-class");
    for (uint32_t n = 9; n <= 11; n++) {
        const struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        for (int i = 0; i < 2; i++) {
            const struct surveyed made = surveyed(&query, i ? class : statistic, "auto");
            assert_int_equal((uint64_t)made.total, facts_term("all", n));
        }
    }
    struct query placed = sift_whole(19, DISTINCT_ALL, SYMMETRY_ANY);
    static const uint32_t squares[][2] = {{0, 4}, {1, 7}, {3, 0}, {5, 14}, {6, 1}, {9, 10}, {10, 18}, {12, 3}};
    for (size_t i = 0; i < sizeof squares / sizeof squares[0]; i++)
        filter_place(&placed.filter, squares[i][0], squares[i][1]);
    const struct surveyed few = surveyed(&placed, class, "auto"), again = surveyed(&placed, statistic, "scalar");
    assert_int_equal((uint64_t)few.total, (uint64_t)again.total);
    assert_int_equal((uint64_t)again.row[4], (uint64_t)again.total);
}

TEST(test_the_empty_board)
{
    const struct query query = sift_whole(0, DISTINCT_ALL, SYMMETRY_ANY);
    for (size_t i = 0; i < statistics_count; i++) {
        const struct surveyed made = surveyed(&query, statistics[i], "auto");
        assert_int_equal((uint64_t)made.total, 1);
    }
}

/* ---- Costs, names ---- */

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
        const double expected = half * (statistic->seconds + 8e-9) * speed;
        double cost = 0;
        for (size_t unit = 0; unit < survey_units(survey); unit++)
            cost += survey_weight(survey, unit, NULL);
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
        nq_wide row[VALUES_MAX] = {0};
        uint64_t nodes = 0;
        assert_int_equal(survey_count(survey, 0, kernel_find("auto"), &stop, row, &nodes), NQ_CANCELLED);
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
