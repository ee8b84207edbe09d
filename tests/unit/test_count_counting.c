/* test_count_counting.c - tests of src/count/counting.c and the methods behind it, from a query to its figures: against
 * all solutions of small boards one by one, against a plain search on large ones, and against the published numbers. */
#include "count/counting.h"

#include <stdlib.h>
#include <string.h>

#include "pace.h"
#include "sifting.h"
#include "stopping.h"

/* ---- A query carried out ---- */

struct figures {
    struct counting *counting;
    nq_wide *parts;
    uint64_t total;
    double weight;
    uint64_t nodes;
};

static void figures_end(struct figures *figures)
{
    counting_close(figures->counting);
    free(figures->parts);
}

/* Counts every unit, once on each kernel there is if `all`; units must be in order, and all kernels of one mind. */
static struct figures carry_out(const struct query *query, bool all)
{
    struct figures figures = {0};
    assert_int_equal(counting_open(query, &figures.counting), NQ_OK);
    const size_t terms = counting_terms(figures.counting);
    figures.parts = calloc(terms + 1, sizeof *figures.parts);
    assert_non_null(figures.parts);
    assert_int_equal(counting_prepare(figures.counting, NULL, NULL, NULL), NQ_OK);
    assert_int_equal(counting_first(figures.counting, 0), 0);
    assert_int_equal(counting_first(figures.counting, terms), counting_units(figures.counting));
    for (size_t unit = 0, term = 0; unit < counting_units(figures.counting); unit++) {
        struct unit_result result = {0};
        while (unit >= counting_first(figures.counting, term + 1))
            term++;
        assert_int_equal(counting_term(figures.counting, unit), term);
        assert_true(counting_weight(figures.counting, unit) > 0);
        figures.weight += counting_weight(figures.counting, unit);
        const struct kernel *kernel = kernel_find(all ? "scalar" : "auto");
        assert_int_equal(counting_count(figures.counting, unit, kernel, NULL, &result), NQ_OK);
        figures.parts[term] += result.parts;
        figures.nodes += result.nodes;
        for (const struct kernel *const *at = kernels; all && *at; at++) {
            struct unit_result other = {0};
            if (!(*at)->supported())
                continue;
            assert_int_equal(counting_count(figures.counting, unit, *at, NULL, &other), NQ_OK);
            assert_int_equal(other.parts, result.parts);
            assert_in_range(other.nodes, result.nodes, 2 * result.nodes); /* n = 18..20: see levels.h */
        }
    }
    for (size_t term = 0; term < terms; term++)
        assert_int_equal((uint64_t)(figures.parts[term] % METHOD_PARTS), 0);
    figures.total = (uint64_t)counting_total(figures.counting, figures.parts);
    return figures;
}

static uint64_t total_of(const struct query *query)
{
    struct figures figures = carry_out(query, false);
    figures_end(&figures);
    return figures.total;
}

/* ---- Solutions one by one ---- */

/* Classes by the least of their solutions. */
static uint64_t count_slowly(const struct query *query, const struct sift *all)
{
    const unsigned group = sift_group(query);
    uint64_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += sift_least(query, group, &all->solutions[i * all->n]);
    return count;
}

static void check_squares(const struct query *query, const struct sift *list)
{
    const uint32_t n = list->n;
    struct figures figures = carry_out(query, false);
    uint64_t total = 0;
    for (size_t i = 0; i < list->count; i++)
        total += sift_wanted(query, &list->solutions[i * n]);
    assert_int_equal(figures.total, total);
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t column = 0; column < n; column++) {
            uint64_t here = 0;
            for (size_t i = 0; i < list->count; i++)
                here += list->solutions[i * n + row] == column && sift_wanted(query, &list->solutions[i * n]);
            assert_int_equal((uint64_t)counting_square(figures.counting, figures.parts, row, column), here);
        }
    figures_end(&figures);
}

/* Every way to count one filter. */
static void check_filter(const struct filter *filter, const struct sift *list)
{
    for (int symmetry = SYMMETRY_ANY; symmetry <= SYMMETRY_QUARTER; symmetry++) {
        struct query query = {.filter = *filter, .symmetry = (enum query_symmetry)symmetry};
        for (int distinct = DISTINCT_ALL; distinct <= DISTINCT_MIRROR; distinct++) {
            query.distinct = (enum query_distinct)distinct;
            struct figures figures = carry_out(&query, true);
            assert_int_equal(figures.total, count_slowly(&query, list));
            figures_end(&figures);
        }
        query.distinct = DISTINCT_ALL;
        query.by_square = true;
        check_squares(&query, list);
    }
}

static void test_against_all_solutions(void **state)
{
    (void)state;
    uint64_t dice = 1;
    for (uint32_t n = 0; n <= 9; n++) {
        const struct sift list = sift_all(n);
        struct filter filter;
        filter_begin(&filter, n);
        check_filter(&filter, &list);
        for (int round = 0; round < (n == 0 ? 1 : SANITIZED ? 30 : 120); round++) {
            sift_roll(&dice, &list, &filter);
            check_filter(&filter, &list);
            if (n > 1) {
                sift_roll_symmetric(&dice, n, &filter);
                check_filter(&filter, &list);
            }
        }
        free(list.solutions);
    }
}

/* One square at a time, and every pair of rows: completions add up to all solutions. */
static void test_completions_add_up(void **state)
{
    (void)state;
    const uint32_t most = SANITIZED ? 8 : 10;
    for (uint32_t n = 1; n <= most; n++) {
        const uint64_t all = facts_term("all", n);
        for (uint32_t row = 0; row < n; row++) {
            uint64_t sum = 0;
            for (uint32_t column = 0; column < n; column++) {
                struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
                filter_place(&query.filter, row, column);
                const uint64_t with = total_of(&query);
                sum += with;
                query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
                filter_exclude(&query.filter, row, column);
                assert_int_equal(with + total_of(&query), all);
            }
            assert_int_equal(sum, all);
        }
        const uint32_t above = n / 3, below = n - 1;
        uint64_t pairs = 0;
        for (uint32_t i = 0; i < n * n && above < below; i++) {
            struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
            filter_place(&query.filter, above, i / n);
            filter_place(&query.filter, below, i % n);
            pairs += total_of(&query);
        }
        assert_int_equal(pairs, above < below ? all : 0);
    }
}

/* ---- The published numbers ---- */

static uint32_t most_rows(uint32_t plain, uint32_t sanitized, uint32_t with_patience)
{
    return SANITIZED ? sanitized : getenv("NQ_LONG") ? with_patience : plain;
}

static void test_all(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= most_rows(16, 14, 18); n++) {
        const struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        assert_int_equal(total_of(&query), facts_term("all", n));
    }
}

static void test_classes(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= most_rows(16, 13, 17); n++) {
        struct query query = sift_whole(n, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY);
        assert_int_equal(total_of(&query), facts_term("fundamental", n));
        if (n < 13) {
            query.distinct = DISTINCT_MIRROR;
            assert_int_equal(total_of(&query), n == 1 ? 1 : facts_term("all", n) / 2);
        }
    }
}

static void test_turned(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= most_rows(24, 20, 27); n++) {
        const struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_POINT);
        assert_int_equal(total_of(&query), facts_term("point_symmetric", n));
    }
    for (uint32_t n = 0; n <= 32; n++) {
        const struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_QUARTER);
        assert_int_equal(total_of(&query), facts_term("rot90_symmetric", n));
    }
}

/* By the sizes of orbits: how many classes there are among symmetric solutions. */
static void test_classes_of_turned(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= most_rows(22, 18, 24); n++) {
        const json_t *sizes = facts_entry("orbit_sizes", n);
        struct query query = sift_whole(n, DISTINCT_FUNDAMENTAL, SYMMETRY_POINT);
        assert_int_equal(total_of(&query), facts_get(sizes, "orbit4") + facts_get(sizes, "orbit2"));
        query.symmetry = SYMMETRY_QUARTER;
        assert_int_equal(total_of(&query), facts_get(sizes, "orbit2"));
        query.distinct = DISTINCT_MIRROR; /* the mirror image of a turned solution is another one */
        assert_int_equal(total_of(&query), facts_term("rot90_symmetric", n) / 2);
    }
}

static void test_first_rows(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= most_rows(13, 11, 16); n++) {
        const json_t *row = facts_entry("first_row_column_distribution", n);
        struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        query.by_square = true;
        struct figures figures = carry_out(&query, false);
        assert_int_equal(figures.total, facts_term("all", n));
        for (uint32_t column = 0; column < n; column++) {
            const uint64_t expected = facts_at(row, column);
            assert_int_equal((uint64_t)counting_square(figures.counting, figures.parts, 0, column), expected);
            assert_int_equal((uint64_t)counting_square(figures.counting, figures.parts, column, n - 1), expected);
        }
        for (uint32_t line = 0; line < n; line++) {
            uint64_t across = 0, down = 0;
            for (uint32_t i = 0; i < n; i++) {
                across += (uint64_t)counting_square(figures.counting, figures.parts, line, i);
                down += (uint64_t)counting_square(figures.counting, figures.parts, i, line);
            }
            assert_int_equal(across, figures.total);
            assert_int_equal(down, figures.total);
        }
        figures_end(&figures);
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
    *filter = (struct filter){.n = n};
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
        struct figures figures = carry_out(&query, true);
        if (figures.total != slow.count[symmetry])
            fail_msg("n=%u, symmetry %d: %llu, and there are %llu", filter->n, symmetry,
                     (unsigned long long)figures.total, (unsigned long long)slow.count[symmetry]);
        some[symmetry] += slow.count[symmetry];
        figures_end(&figures);
    }
}

/* Boards of all sizes there are, in whatever order their rows are filled: sparse filters, with all symmetries or none.
 */
static void test_large_boards(void **state)
{
    (void)state;
    uint64_t dice = 6, some[SYMMETRY_QUARTER + 1] = {0};
    for (uint32_t n = 10; n <= KERNEL_MAX_N; n += SANITIZED ? 4 : 1) {
        const uint64_t before = some[SYMMETRY_ANY];
        for (int round = 0; round < (!SANITIZED && n < 28 ? 3 : 1); round++) {
            struct filter filter;
            lay_squares(&dice, n, true, 1, &filter);
            if (n % 2)
                filter.allow[n / 2] |= UINT64_C(1) << n / 2;
            thin_out(&dice, n < 24 ? 8 : !SANITIZED && n < 30 ? 7 : 6, &filter);
            assert_int_equal(filter_symmetries(&filter), SYMMETRIES_ALL);
            check_large(&filter, some);
            lay_squares(&dice, n, false, 5, &filter);
            check_large(&filter, some);
        }
        assert_true(some[SYMMETRY_ANY] > before);
    }
    assert_true(some[SYMMETRY_POINT] > 20);
}

/* Filters that a turn carries into themselves, but not all reflections: other roots than those of whole boards. */
static void test_large_turned(void **state)
{
    (void)state;
    uint64_t dice = 7, some[SYMMETRY_QUARTER + 1] = {0};
    for (uint32_t n = 12; n <= (SANITIZED ? 12U : 14U); n++)
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

/* ---- Names ---- */

static char *name_of(const struct query *query, size_t term)
{
    struct counting *counting;
    struct bytes name = {0};
    assert_int_equal(counting_open(query, &counting), NQ_OK);
    assert_true(term < counting_terms(counting));
    counting_name(counting, term, &name);
    counting_close(counting);
    char *text = bytes_take(&name);
    assert_non_null(text);
    return text;
}

/* Names are equal for what is equal once it is settled, and for nothing else. */
static void test_names(void **state)
{
    (void)state;
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
static void test_shared_terms(void **state)
{
    (void)state;
    for (uint32_t n = 5; n <= 32; n++) {
        const struct query all = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY),
                           classes = sift_whole(n, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY),
                           point = sift_whole(n, DISTINCT_ALL, SYMMETRY_POINT),
                           quarter = sift_whole(n, DISTINCT_ALL, SYMMETRY_QUARTER);
        const struct query *const alone[] = {&all, &quarter, &point};
        struct counting *counting;
        assert_int_equal(counting_open(&classes, &counting), NQ_OK);
        assert_int_equal(counting_terms(counting), 3);
        counting_close(counting);
        for (size_t i = 0; i < 3; i++) {
            bool found = false;
            char *name = name_of(alone[i], 0);
            for (size_t term = 0; term < 3; term++) {
                char *other = name_of(&classes, term);
                found |= strcmp(name, other) == 0;
                free(other);
            }
            assert_true(found);
            free(name);
        }
    }
}

/* ---- What is done already ---- */

static void test_done_terms_are_skipped(void **state)
{
    (void)state;
    for (uint32_t n = 6; n <= 10; n++)
        for (int by_square = 0; by_square < 2; by_square++) {
            struct query query = sift_whole(n, by_square ? DISTINCT_ALL : DISTINCT_FUNDAMENTAL, SYMMETRY_ANY);
            query.by_square = by_square;
            struct figures full = carry_out(&query, false);
            const size_t terms = counting_terms(full.counting);
            assert_true(terms > 1);
            for (unsigned mask = 0; mask < 64; mask++) {
                bool done[64 * 64] = {false};
                size_t all_units = 0;
                struct counting *counting;
                nq_wide parts[64 * 64] = {0};
                for (size_t term = 0; term < terms; term++) {
                    done[term] = mask >> term % 6 & 1;
                    if (done[term])
                        parts[term] = full.parts[term];
                    else
                        all_units += counting_first(full.counting, term + 1) - counting_first(full.counting, term);
                }
                assert_int_equal(counting_open(&query, &counting), NQ_OK);
                assert_int_equal(counting_prepare(counting, done, NULL, NULL), NQ_OK);
                assert_int_equal(counting_units(counting), all_units);
                assert_true((counting_cost(counting, done, NULL) > 0) == (all_units > 0));
                assert_true(counting_cost(counting, done, NULL) <= counting_cost(counting, NULL, NULL));
                for (size_t unit = 0; unit < counting_units(counting); unit++) {
                    const size_t term = counting_term(counting, unit);
                    struct unit_result result = {0};
                    assert_false(done[term]);
                    assert_true(unit >= counting_first(counting, term) && unit < counting_first(counting, term + 1));
                    assert_int_equal(counting_count(counting, unit, kernel_find("auto"), NULL, &result), NQ_OK);
                    parts[term] += result.parts;
                }
                for (size_t term = 0; term < terms; term++)
                    assert_true(parts[term] == full.parts[term]);
                assert_int_equal((uint64_t)counting_total(counting, parts), full.total);
                counting_close(counting);
            }
            figures_end(&full);
        }
}

/* ---- Plans of large boards ---- */

/* The same units each time, with weights that add up to about the cost. */
static void test_plans(void **state)
{
    (void)state;
    for (uint32_t n = 10; n <= (SANITIZED ? 17U : 19U); n++)
        for (int distinct = DISTINCT_ALL; distinct <= DISTINCT_FUNDAMENTAL; distinct++) {
            const struct query query = sift_whole(n, (enum query_distinct)distinct, SYMMETRY_ANY);
            struct counting *one, *other;
            double weight = 0;
            assert_int_equal(counting_open(&query, &one), NQ_OK);
            assert_int_equal(counting_open(&query, &other), NQ_OK);
            assert_int_equal(counting_prepare(one, NULL, NULL, NULL), NQ_OK);
            assert_int_equal(counting_prepare(other, NULL, NULL, NULL), NQ_OK);
            assert_int_equal(counting_units(one), counting_units(other));
            for (size_t unit = 0; unit < counting_units(one); unit++) {
                assert_true(counting_weight(one, unit) == counting_weight(other, unit));
                weight += counting_weight(one, unit);
            }
            const double cost = counting_cost(one, NULL, NULL);
            assert_true(cost == counting_cost(other, NULL, NULL));
            assert_true(weight > cost / 2 && weight < cost * 2);
            counting_close(one);
            counting_close(other);
        }
}

/* What a count is said to cost is about what it takes. */
static void test_cost_is_about_right(void **state)
{
    (void)state;
    const uint32_t most = SANITIZED ? 14 : 16;
    for (uint32_t n = 14; n <= most; n++) {
        struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        filter_exclude(&query.filter, 0, n / 2); /* by the search: it is placements that are told */
        struct figures figures = carry_out(&query, false);
        const double cost = counting_cost(figures.counting, NULL, NULL), nodes = (double)figures.nodes;
        assert_true(cost > nodes / 2 && cost < nodes * 2);
        assert_true(figures.weight > nodes / 2 && figures.weight < nodes * 2);
        figures_end(&figures);
    }
}

/* However large the board, there are so many units that all can work, and not so many that the ledger drowns. */
static void test_plans_are_bounded(void **state)
{
    (void)state;
    static const struct {
        uint32_t n;
        enum query_symmetry symmetry;
        size_t least;
    } cases[] = {
        {24, SYMMETRY_ANY, 10000}, {32, SYMMETRY_POINT, 1000}, {32, SYMMETRY_QUARTER, 1},
        {22, SYMMETRY_ANY, 10000}, {32, SYMMETRY_ANY, 10000}, /* some seconds each */
    };
    const size_t some = SANITIZED ? 0 : getenv("NQ_LONG") ? 5 : 3;
    for (size_t i = 0; i < some; i++) {
        const struct query query = sift_whole(cases[i].n, DISTINCT_ALL, cases[i].symmetry);
        struct counting *counting;
        double most = 0, weight = 0;
        assert_int_equal(counting_open(&query, &counting), NQ_OK);
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
        counting_close(counting);
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
static void test_plans_from_elsewhere(void **state)
{
    (void)state;
    const struct query query = sift_whole(16, DISTINCT_ALL, SYMMETRY_ANY);
    struct provider provider = {0};
    const struct plan_source source = {.take = provide, .give = take_back, .context = &provider};
    struct counting *counting, *other;
    assert_int_equal(counting_open(&query, &counting), NQ_OK);
    assert_int_equal(counting_open(&query, &other), NQ_OK);
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
        assert_int_equal(counting_count(counting, unit, kernel_find("auto"), NULL, &one), NQ_OK);
        assert_int_equal(counting_count(other, unit, kernel_find("auto"), NULL, &same), NQ_OK);
        assert_int_equal(one.parts, same.parts);
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

/* The plan of a large board takes seconds; nobody who left waits for it. */
static void test_cancel_while_planning(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {22, 27, 32};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned after_ms = 0; after_ms <= 30; after_ms += 30) {
            const struct query query = sift_whole(sizes[i], DISTINCT_FUNDAMENTAL, SYMMETRY_ANY);
            struct counting *counting;
            assert_int_equal(counting_open(&query, &counting), NQ_OK);
            stopping_check(plan, counting, after_ms, SANITIZED ? 20000 : 1000);
            counting_close(counting);
        }
}

/* Units of large boards stop when they are told to. */
static void test_cancel_while_counting(void **state)
{
    (void)state;
    const atomic_bool stop = true;
    const struct query query = sift_whole(19, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY);
    struct counting *counting;
    const bool done[] = {SANITIZED, false, false, false};
    assert_int_equal(counting_open(&query, &counting), NQ_OK);
    assert_int_equal(counting_prepare(counting, done, NULL, NULL), NQ_OK);
    for (const struct kernel *const *at = kernels; !SANITIZED && *at; at++) {
        struct unit_result result = {0};
        if ((*at)->supported())
            assert_int_equal(counting_count(counting, counting_units(counting) / 2, *at, &stop, &result), NQ_CANCELLED);
    }
    counting_close(counting);
}

static void test_beyond_every_method(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {33, 40, 64, 65, 1000000000, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct query query = {.filter.n = sizes[i]};
        struct counting *counting;
        assert_int_equal(counting_open(&query, &counting), NQ_LIMIT);
    }
    struct query query = sift_whole(32, DISTINCT_ALL, SYMMETRY_ANY);
    struct counting *counting;
    assert_int_equal(counting_open(&query, &counting), NQ_OK);
    counting_close(counting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_solutions),
        cmocka_unit_test(test_completions_add_up),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_classes_of_turned),
        cmocka_unit_test(test_first_rows),
        cmocka_unit_test(test_large_boards),
        cmocka_unit_test(test_large_turned),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_shared_terms),
        cmocka_unit_test(test_done_terms_are_skipped),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_cost_is_about_right),
        cmocka_unit_test(test_plans_are_bounded),
        cmocka_unit_test(test_cancel_while_planning),
        cmocka_unit_test(test_plans_from_elsewhere),
        cmocka_unit_test(test_cancel_while_counting),
        cmocka_unit_test(test_beyond_every_method),
    };
    return cmocka_run_group_tests_name("counting", tests, NULL, NULL);
}
