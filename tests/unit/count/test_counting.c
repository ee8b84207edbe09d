/* test_counting.c - tests of src/count/counting.c and the methods behind it, from a query to its figures: against
 * all solutions of small boards one by one, by every rule, against a plain search on large ones, and against the
 * published numbers. NQ_LONG: larger boards. */
/* CI builds: address */
#include "support/counted_query.h"
#include "support/sifted_solutions.h"

/* ---- Solutions one by one ---- */

static void check_squares(const struct query *query, const struct sift *list)
{
    const uint32_t n = list->n;
    const struct query by_square = {.filter = query->filter, .symmetry = query->symmetry, .by_square = true};
    ENDED_BY(counted_end) struct counted figures = count_query(&by_square, false);
    uint64_t total = 0, squares[FILTER_MAX_N][FILTER_MAX_N] = {{0}};
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t *columns = &list->solutions[i * n];
        if (!sift_wanted(query, columns))
            continue;
        total++;
        for (uint32_t row = 0; row < n; row++)
            squares[row][columns[row]]++;
    }
    assert_int_equal(figures.total, total);
    for (uint32_t i = 0; i < n * n; i++)
        assert_int_equal((uint64_t)counting_square(figures.counting, figures.thirds, i / n, i % n),
                         squares[i / n][i % n]);
}

/* Classes by the least of their solutions. */
static void check_query(const struct query *query, const struct sift *list, uint64_t *dice)
{
    const unsigned group = sift_group(query);
    uint64_t count = 0;
    (void)dice;
    for (size_t i = 0; i < list->count; i++)
        count += sift_least(query, group, &list->solutions[i * list->n]);
    struct counted figures = count_query(query, rule_by_lines(list->rule));
    assert_int_equal(figures.total, count);
    counted_end(&figures);
    if (query->distinct == DISTINCT_ALL)
        check_squares(query, list);
}

TEST(test_against_all_solutions)
{
    sift_each(&(struct sift_sweep){.most = 8, .rounds = 19, .symmetries = SYMMETRY_QUARTER}, check_query);
    sift_each(&(struct sift_sweep){.others = true, .most = 7, .rounds = 19, .symmetries = SYMMETRY_QUARTER},
              check_query);
}

/* ---- The published numbers ---- */

TEST(test_published)
{
    static const struct {
        const char *table;
        enum query_distinct distinct;
        enum query_symmetry symmetry;
        uint32_t least, most, longest;
    } rows[] = {
        {"all", DISTINCT_ALL, SYMMETRY_ANY, 0, 14, 18},
        {"fundamental", DISTINCT_FUNDAMENTAL, SYMMETRY_ANY, 1, 13, 17},
        {"point_symmetric", DISTINCT_ALL, SYMMETRY_POINT, 1, 20, 27},
        {"rot90_symmetric", DISTINCT_ALL, SYMMETRY_QUARTER, 0, 28, 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (uint32_t n = rows[i].least; n <= (getenv("NQ_LONG") ? rows[i].longest : rows[i].most); n++) {
            const struct query query = sift_whole(n, rows[i].distinct, rows[i].symmetry);
            assert_int_equal(count_total(&query), facts_term(rows[i].table, n));
        }
}

TEST(test_first_rows)
{
    for (uint32_t n = 9; n <= 11; n++) {
        const json_t *row = facts_entry("first_row_column_distribution", n);
        struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        query.by_square = true;
        ENDED_BY(counted_end) struct counted figures = count_query(&query, false);
        for (uint32_t column = 0; column < n; column++) {
            const uint64_t expected = facts_at(row, column);
            assert_int_equal((uint64_t)counting_square(figures.counting, figures.thirds, 0, column), expected);
            assert_int_equal((uint64_t)counting_square(figures.counting, figures.thirds, column, n - 1), expected);
        }
    }
}

/* ---- Large boards with few squares ---- */

struct slow {
    const struct filter *filter;
    uint32_t columns[FILTER_MAX_N];
    uint64_t count[SYMMETRY_QUARTER + 1];
};

/* Queen by queen, in the row that has the fewest squares left: nothing like the kernels. */
static void search(struct slow *slow, uint64_t filled, uint64_t columns, uint64_t sums, uint64_t differences)
{
    const uint32_t n = slow->filter->n;
    uint32_t fewest = UINT32_MAX, best = n;
    uint64_t rest = 0;
    for (uint32_t row = 0; row < n && fewest; row++) {
        if (filled >> row & 1)
            continue;
        const uint64_t free = slow->filter->allow[row] & ~(columns | sums >> row | differences >> (n - 1 - row));
        const uint32_t squares = (uint32_t)__builtin_popcountll(free);
        if (squares < fewest) {
            fewest = squares;
            best = row;
            rest = free;
        }
    }
    for (int symmetry = SYMMETRY_ANY; best == n && symmetry <= SYMMETRY_QUARTER; symmetry++) {
        const struct query query = {.filter = *slow->filter, .symmetry = (enum query_symmetry)symmetry};
        slow->count[symmetry] += sift_wanted(&query, slow->columns);
    }
    for (; rest; rest &= rest - 1) {
        const uint64_t queen = rest & -rest;
        slow->columns[best] = (uint32_t)__builtin_ctzll(rest);
        search(slow, filled | UINT64_C(1) << best, columns | queen, sums | queen << best,
               differences | queen << (n - 1 - best));
    }
}

/* A solution with a half turn or none, by trying at random; false when it took too long. */
static bool find_one(uint64_t *dice, uint32_t n, uint32_t *columns)
{
    for (int round = 0; round < 10000; round++) {
        uint64_t taken = 0, left = 0, right = 0;
        uint32_t row = 0;
        for (; row < n; row++) {
            uint64_t free = ((UINT64_C(1) << n) - 1) & ~(taken | left | right);
            if (!free)
                break;
            for (uint32_t skip = facts_below(dice, (uint32_t)__builtin_popcountll(free)); skip > 0; skip--)
                free &= free - 1;
            const uint64_t queen = free & -free;
            columns[row] = (uint32_t)__builtin_ctzll(queen);
            taken |= queen;
            left = (left | queen) << 1;
            right = (right | queen) >> 1;
        }
        if (row == n)
            return true;
    }
    return false;
}

/* The squares of some solutions, with all their images if it is to be symmetric. */
static void lay_squares(uint64_t *dice, uint32_t n, bool symmetric, unsigned solutions, struct filter *filter)
{
    *filter = (struct filter){.n = n, .rule = rules[0]};
    for (unsigned i = 0; i < solutions; i++) {
        uint32_t columns[FILTER_MAX_N], image[FILTER_MAX_N];
        assert_true(find_one(dice, n, columns));
        for (unsigned symmetry = 0; symmetry < (symmetric ? NQ_SYMMETRIES : 1U); symmetry++) {
            nq_transform(symmetry, n, columns, image);
            for (uint32_t row = 0; row < n; row++)
                filter->allow[row] |= UINT64_C(1) << image[row];
        }
    }
}

/* Excludes squares, each with all its images, until no row has too many for a slow search. */
static void thin_out(uint64_t *dice, uint32_t squares, struct filter *filter)
{
    for (uint32_t row = 0; row < filter->n; row++)
        while ((uint32_t)__builtin_popcountll(filter->allow[row]) > squares) {
            const uint32_t column = facts_below(dice, filter->n);
            for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
                uint32_t to_row = row, to_column = column;
                square_transform(symmetry, filter->n, &to_row, &to_column);
                if (2 * to_row + 1 != filter->n || to_row != to_column) /* what a turn leaves unchanged needs it */
                    filter_exclude(filter, to_row, to_column);
            }
        }
}

static void check_large(const struct filter *filter, uint64_t some[static SYMMETRY_QUARTER + 1])
{
    struct slow slow = {.filter = filter};
    search(&slow, 0, 0, 0, 0);
    for (int symmetry = SYMMETRY_ANY; symmetry <= SYMMETRY_QUARTER; symmetry++) {
        const struct query query = {.filter = *filter, .symmetry = (enum query_symmetry)symmetry};
        ENDED_BY(counted_end) struct counted figures = count_query(&query, true);
        if (figures.total != slow.count[symmetry])
            fail_msg("n=%u, symmetry %d: %llu, and there are %llu", filter->n, symmetry,
                     (unsigned long long)figures.total, (unsigned long long)slow.count[symmetry]);
        some[symmetry] += slow.count[symmetry];
    }
}

/* Boards of all sizes there are, in whatever order their rows are filled: sparse filters, with all symmetries or none.
 */
TEST(test_large_boards)
{
    uint64_t dice = 6, some[SYMMETRY_QUARTER + 1] = {0};
    for (uint32_t n = 10; n <= KERNEL_MAX_N; n += getenv("NQ_LONG") ? 1 : 4) {
        const uint64_t before = some[SYMMETRY_ANY];
        struct filter filter;
        lay_squares(&dice, n, true, 1, &filter);
        if (n % 2)
            filter.allow[n / 2] |= UINT64_C(1) << n / 2;
        thin_out(&dice, n < 24 ? 8 : 6, &filter);
        assert_int_equal(filter_symmetries(&filter), SYMMETRIES_ALL);
        check_large(&filter, some);
        lay_squares(&dice, n, false, 5, &filter);
        check_large(&filter, some);
        assert_true(some[SYMMETRY_ANY] > before);
    }
    assert_true(some[SYMMETRY_POINT] > 20);
}

/* Filters that a turn carries into themselves, but not all reflections: other roots than those of whole boards. */
TEST(test_large_turned)
{
    uint64_t dice = 7, some[SYMMETRY_QUARTER + 1] = {0};
    for (uint32_t n = 12; n <= (getenv("NQ_LONG") ? 14U : 12U); n++)
        for (int round = 0; round < 20; round++) {
            struct filter filter;
            filter_begin(&filter, n);
            for (uint32_t i = 0; i < n * n / (round % 2 ? 5 : 8); i++) {
                uint32_t row = facts_below(&dice, n), column = facts_below(&dice, n);
                for (int turn = 0; turn < 4; turn++) {
                    if (row != column || 2 * row + 1 != n)
                        filter_exclude(&filter, row, column);
                    square_transform(1 + round / 10 % 2, n, &row, &column);
                }
            }
            check_large(&filter, some);
        }
    assert_true(some[SYMMETRY_POINT] > 50);
    assert_true(some[SYMMETRY_QUARTER] > 0);
}
