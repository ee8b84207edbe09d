/* test_solvers_query.c - tests of src/solvers: what a cursor lists when a query asks for less than the whole board, in
 * which order, and that its list may be cut anywhere. What they are compared with is all solutions, one by one. */
/* CI builds: address */
#include "solvers/solver.h"
#include "support/cursor_walk.h"
#include "support/sanitizer.h"
#include "support/sifted_solutions.h"

static struct sift expected_of(const struct query *query, const struct sift *all)
{
    struct sift list = {
        .n = all->n, .rule = all->rule, .solutions = calloc(all->count + 1, sizeof(uint32_t) * (all->n + 1))};
    const unsigned group = sift_group(query);
    assert_non_null(list.solutions);
    for (size_t i = 0; i < all->count; i++)
        if (sift_least(query, group, all->solutions + i * all->n))
            memcpy(list.solutions + list.count++ * all->n, all->solutions + i * all->n, all->n * sizeof(uint32_t));
    return list;
}

static void check_query(const struct query *query, const struct sift *all, bool cut)
{
    static const struct manner manners[] = {
        {.budget = UINT64_MAX},           {.budget = 0, .fresh = true},
        {.budget = 1, .fresh = true},     {.budget = 0},
        {.budget = 20, .random = true},   {.budget = 100, .random = true, .fresh = true},
        {.budget = 1000, .random = true},
    };
    struct sift expected = expected_of(query, all);
    for (const struct solver *const *at = solvers; *at; at++)
        for (size_t i = 0; i < (cut ? sizeof manners / sizeof manners[0] : 1); i++)
            if ((*at)->search && strcmp((*at)->order, "lexicographic") == 0 &&
                (rule_by_lines(all->rule) || (*at)->by_rule))
                walk_check(&(struct cursor_settings){.algorithm = (*at)->name}, query, expected.solutions,
                           expected.count, &manners[i]);
    free(expected.solutions);
}

/* Some lists are cut in all manners. */
static void check_any(const struct query *query, const struct sift *all, uint64_t *dice)
{
    struct query other = *query;
    other.by_square = facts_below(dice, 2); /* means nothing */
    check_query(&other, all, all->n <= 5 || (rule_by_lines(all->rule) && facts_below(dice, 4) == 0));
}

TEST(test_all_kinds)
{
    sift_each(&(struct sift_sweep){.most = 8, .rounds = SANITIZED ? 5 : 16, .symmetries = SYMMETRY_QUARTER}, check_any);
    sift_each(
        &(struct sift_sweep){.others = true, .most = 7, .rounds = SANITIZED ? 1 : 3, .symmetries = SYMMETRY_QUARTER},
        check_any);
}

static void find(const struct sift *all, const uint32_t *columns, bool *found)
{
    for (size_t i = 0; i < all->count; i++)
        if (memcmp(columns, all->solutions + i * all->n, all->n * sizeof *columns) == 0) {
            assert_false(found[i]);
            found[i] = true;
            return;
        }
    fail_msg("no solution");
}

/* Only a solver that asks the rule has other rules; its machine lists every solution once. */
TEST(test_rules_of_solvers)
{
    for (const struct solver *const *at = solvers; *at; at++)
        for (size_t i = 0; rules[i]; i++) {
            const struct cursor_settings settings = {.algorithm = (*at)->name, .watched = true};
            struct query query = {.filter = {.n = 6, .rule = rules[0]}};
            struct nq_cursor *cursor = NULL;
            uint32_t columns[NQ_SEARCH_MAX_N];
            uint64_t plenty = UINT64_MAX;
            bool found[720] = {false};
            if (rule_by_lines(rules[i]))
                continue;
            struct sift all = sift_by_rule(rules[i], 6);
            filter_begin(&query.filter, all.n);
            query.filter.rule = rules[i];
            assert_int_equal(cursor_open(&settings, &query, &cursor), (*at)->by_rule ? NQ_OK : NQ_INVALID);
            for (size_t k = 0; (*at)->by_rule && k < all.count; k++) {
                assert_int_equal(nq_cursor_next(cursor, &plenty, columns), NQ_OK);
                find(&all, columns, found);
            }
            if ((*at)->by_rule)
                assert_int_equal(nq_cursor_next(cursor, &plenty, columns), NQ_END);
            nq_cursor_close(cursor);
            free(all.solutions);
        }
    assert_true(solvers[0]->by_rule);
}

/* With a queen in the centre, which every symmetry leaves there. */
TEST(test_centre)
{
    sift_each(
        &(struct sift_sweep){.most = 9, .rounds = SANITIZED ? 4 : 8, .symmetries = SYMMETRY_QUARTER, .centre = true},
        check_any);
}

TEST(test_contradictory)
{
    for (uint32_t n = 1; n <= NQ_SEARCH_MAX_N; n++)
        for (int symmetry = SYMMETRY_ANY; symmetry <= SYMMETRY_QUARTER; symmetry++) {
            struct query query = {.symmetry = (enum query_symmetry)symmetry};
            OWNED(nq_cursor_close) struct nq_cursor *cursor = NULL;
            uint32_t columns[NQ_SEARCH_MAX_N];
            uint64_t budget = 1;
            filter_begin(&query.filter, n);
            query.filter.allow[n - 1] = 0;
            assert_int_equal(cursor_open(NULL, &query, &cursor), NQ_OK);
            assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_END);
            assert_int_equal(nq_cursor_position(cursor, columns), 0);
        }
}

/* ---- Counts ---- */

TEST(test_published_counts)
{
    static const struct {
        const char *table;
        enum query_distinct distinct;
        enum query_symmetry symmetry;
        uint32_t most;
    } rows[] = {
        {"fundamental", DISTINCT_FUNDAMENTAL, SYMMETRY_ANY, 11},
        {"point_symmetric", DISTINCT_ALL, SYMMETRY_POINT, 17},
        {"rot90_symmetric", DISTINCT_ALL, SYMMETRY_QUARTER, 24},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (uint32_t n = 1; n <= rows[i].most; n++) {
            struct query query = {.distinct = rows[i].distinct, .symmetry = rows[i].symmetry};
            filter_begin(&query.filter, n);
            struct sift list = sift_listed(NULL, &query);
            assert_int_equal(list.count, facts_term(rows[i].table, n));
            free(list.solutions);
        }
}

/* ---- Filters among solutions with a symmetry ---- */

/* Squares of solutions excluded: those that stand on them are left out, and no others. */
TEST(test_filtered_orbits)
{
    static const struct {
        uint32_t n;
        enum query_symmetry symmetry;
    } boards[] = {{9, SYMMETRY_POINT},    {12, SYMMETRY_POINT},   {13, SYMMETRY_POINT},
                  {12, SYMMETRY_QUARTER}, {13, SYMMETRY_QUARTER}, {17, SYMMETRY_QUARTER}};
    uint64_t dice = 5;
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        struct query query = {.symmetry = boards[i].symmetry};
        filter_begin(&query.filter, boards[i].n);
        struct sift all = sift_listed(NULL, &query); /* n is too large to look at all solutions */
        for (int round = 0; round < (SANITIZED ? 6 : 20); round++) {
            filter_begin(&query.filter, boards[i].n);
            for (uint32_t squares = 1 + facts_below(&dice, 3); squares > 0; squares--) {
                const uint32_t row = facts_below(&dice, all.n), which = facts_below(&dice, (uint32_t)all.count);
                filter_exclude(&query.filter, row, all.solutions[which * all.n + row]);
            }
            check_query(&query, &all, round % 10 == 0);
        }
        free(all.solutions);
    }
}

/* Fewer solutions are listed with fewer placements. */
TEST(test_cost_of_classes)
{
    uint64_t taken[DISTINCT_MIRROR + 1];
    for (int distinct = DISTINCT_ALL; distinct <= DISTINCT_MIRROR; distinct++) {
        struct query query = {.distinct = (enum query_distinct)distinct};
        struct nq_cursor *cursor = NULL;
        uint32_t columns[NQ_SEARCH_MAX_N];
        uint64_t left = UINT64_MAX;
        filter_begin(&query.filter, 10);
        assert_int_equal(cursor_open(NULL, &query, &cursor), NQ_OK);
        while (nq_cursor_next(cursor, &left, columns) == NQ_OK)
            ;
        nq_cursor_close(cursor);
        taken[distinct] = UINT64_MAX - left;
    }
    assert_true(taken[DISTINCT_FUNDAMENTAL] * 3 < taken[DISTINCT_ALL]);
    assert_true(taken[DISTINCT_MIRROR] * 2 <= taken[DISTINCT_ALL]);
}

/* ---- Places to go to ---- */

static bool stands(const struct query *query, uint32_t length, const uint32_t *prefix)
{
    return filter_allows(&query->filter, length - 1, prefix[length - 1]) && 2 * prefix[0] < query->filter.n &&
           facts_peaceful(length, prefix);
}

/* A queen where the query allows none is no place, nor one in the right half of the first row: the reflection of such a
 * solution would come first. */
TEST(test_seek)
{
    struct sift all = sift_all(8);
    struct query query = {.distinct = DISTINCT_MIRROR};
    filter_begin(&query.filter, all.n);
    filter_exclude(&query.filter, 1, 4);
    filter_exclude(&query.filter, 1, 3);
    struct sift expected = expected_of(&query, &all);
    assert_in_range(expected.count, 10, 60);
    walk_seek_check(NULL, &query, expected.solutions, expected.count, stands, NULL);
    free(expected.solutions);
    free(all.solutions);
}

TEST(test_open)
{
    struct query query = {.filter = {.n = NQ_SEARCH_MAX_N + 1, .rule = rules[0]}};
    struct nq_cursor *cursor = NULL;
    assert_int_equal(cursor_open(NULL, &query, &cursor), NQ_LIMIT);
    filter_begin(&query.filter, 8);
    assert_int_equal(cursor_open(&(struct cursor_settings){.algorithm = "no such"}, &query, &cursor), NQ_INVALID);
    for (const struct solver *const *at = solvers; *at; at++) {
        filter_begin(&query.filter, 8);
        filter_exclude(&query.filter, 0, 0);
        const enum nq_status status = cursor_open(&(struct cursor_settings){.algorithm = (*at)->name}, &query, &cursor);
        assert_int_equal(status, (*at)->search ? NQ_OK : NQ_INVALID);
        if (status == NQ_OK)
            nq_cursor_close(cursor);
    }
}
