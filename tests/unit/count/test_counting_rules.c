/* test_counting_rules.c - tests of counting by the rules of the family: against all permutations with random squares
 * placed and excluded, and against the published numbers. */
/* CI builds: plain address */
#include <string.h>

#include "support/counted_query.h"
#include "support/facts.h"

enum { SMALL = 8 };

/* All permutations on allowed squares by a filter's rule. */
struct walk {
    const struct filter *filter;
    uint32_t columns[SMALL + 1];
    uint64_t count, half, squares[SMALL][SMALL];
};

static bool is_free(const struct walk *walk, uint32_t row)
{
    const struct filter *filter = walk->filter;
    for (uint32_t above = 0; above < row; above++)
        if (rule_line(filter->rule, filter->n, above, walk->columns[above], row, walk->columns[row]) != CONFLICT_LINES)
            return false;
    return filter_allows(filter, row, walk->columns[row]);
}

/* half: those that are not greater than their reflection. */
static void visit(struct walk *walk, uint32_t row)
{
    const uint32_t n = walk->filter->n;
    if (row == n) {
        uint32_t same = 0;
        while (same < n && 2 * walk->columns[same] == n - 1)
            same++;
        walk->count++;
        walk->half += same == n || walk->columns[same] < n - 1 - walk->columns[same];
        for (uint32_t i = 0; i < n; i++)
            walk->squares[i][walk->columns[i]]++;
        return;
    }
    for (walk->columns[row] = 0; walk->columns[row] < n; walk->columns[row]++)
        if (is_free(walk, row))
            visit(walk, row + 1);
}

static void check(const struct filter *asked, const struct filter *squares, bool mirrored)
{
    struct query query = {.filter = *asked};
    struct walk walk = {.filter = squares};
    visit(&walk, 0);
    assert_int_equal(count_total(&query), walk.count);
    query.distinct = DISTINCT_MIRROR;
    query.broken = mirrored ? 0 : SYMMETRIES_ALL & ~1U;
    assert_int_equal(count_total(&query), mirrored ? walk.half : walk.count);
    query.distinct = DISTINCT_ALL;
    query.broken = 0;
    query.by_square = true;
    struct counted figures = count_query(&query, false);
    assert_int_equal(figures.total, walk.count);
    for (uint32_t i = 0; i < asked->n * asked->n; i++)
        assert_int_equal((uint64_t)counting_square(figures.counting, figures.thirds, i / asked->n, i % asked->n),
                         walk.squares[i / asked->n][i % asked->n]);
    counted_end(&figures);
}

/* Whole boards of every n, and 200 of some squares. */
TEST(test_against_all_placements)
{
    uint64_t dice = 3;
    for (size_t i = 1; rules[i]; i++) {
        for (uint32_t n = 0; n <= SMALL; n++) {
            struct filter whole;
            filter_begin(&whole, n);
            whole.rule = rules[i];
            check(&whole, &whole, n > 1 && rules[i]->symmetries >> SYMMETRY_REFLECTION & 1);
        }
        for (unsigned round = 0; round < 200; round++) {
            struct filter asked, squares;
            filter_begin(&asked, 1 + facts_below(&dice, SMALL - 1));
            asked.rule = rules[i];
            squares = asked;
            const uint32_t placed = round % 3, excluded = facts_below(&dice, 4);
            for (uint32_t k = 0; k < placed + excluded; k++) {
                const uint32_t row = facts_below(&dice, asked.n), column = facts_below(&dice, asked.n);
                (k < placed ? filter_place : filter_exclude)(&asked, row, column);
                if (k < placed)
                    squares.allow[row] &= UINT64_C(1) << column;
                else
                    filter_exclude(&squares, row, column);
            }
            check(&asked, &squares, false);
        }
    }
}

/* Squares excluded with all their images under a group: the symmetries that are left are used. */
TEST(test_symmetric_filters)
{
    static const unsigned groups[] = {0xff, 0xa5, 0x0f, 0x55, 0x05, 0x11, 0x21, 0x41, 0x81};
    uint64_t dice = 4;
    for (size_t i = 1; rules[i]; i++)
        for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
            for (uint32_t n = 2; n <= SMALL; n++) {
                const unsigned group = groups[g] & rules[i]->symmetries;
                struct filter asked;
                filter_begin(&asked, n);
                asked.rule = rules[i];
                for (uint32_t k = facts_below(&dice, 3); k < 3; k++) {
                    const uint32_t square = facts_below(&dice, n * n);
                    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
                        uint32_t row = square / n, column = square % n;
                        square_transform(symmetry, n, &row, &column);
                        if (group >> symmetry & 1)
                            filter_exclude(&asked, row, column);
                    }
                }
                struct query query = {.filter = asked};
                struct walk walk = {.filter = &asked};
                visit(&walk, 0);
                assert_int_equal(filter_symmetries(&asked) & group, group);
                assert_int_equal(count_total(&query), walk.count);
            }
}

static const struct rule *rule_of(const char *name)
{
    return rules[rule_find(name, strlen(name))];
}

struct published {
    const char *rule;
    uint32_t n;
    size_t units; /* at least */
};

/* Every rule on boards of several units; smaller ones are among those of the search itself. */
static const struct published quick[] = {{"toroidal", 11, 1},
                                         {"toroidal", 13, 1},
                                         {"toroidal", 15, 0},
                                         {"toroidal", 16, 0},
                                         {"toroidal", 17, 2},
                                         {"toroidal", 19, 2},
                                         {"superqueens", 15, 7},
                                         {"superqueens", 16, 8},
                                         {"semiqueens", 11, 11},
                                         {"semiqueens", 12, 12},
                                         {"reflecting", 15, 8},
                                         {"reflecting", 17, 9},
                                         {"touching", 11, 5},
                                         {"toroidal-semiqueens", 13, 1},
                                         {"toroidal-semiqueens", 15, 1},
                                         {"toroidal-semiqueens", 12, 0}};
/* With NQ_LONG: some seconds each. */
static const struct published slow[] = {{"toroidal", 23, 100},
                                        {"superqueens", 19, 50},
                                        {"semiqueens", 15, 50},
                                        {"reflecting", 20, 50},
                                        {"touching", 14, 50}};

/* The estimate is of placements, which the kernels try. */
TEST(test_published_counts)
{
    const bool longer = getenv("NQ_LONG");
    const struct published *cases = longer ? slow : quick;
    const size_t count = longer ? sizeof slow / sizeof slow[0] : sizeof quick / sizeof quick[0];
    json_error_t error;
    json_t *file = json_load_file("tests/data/variants.json", 0, &error);
    assert_non_null(file);
    for (size_t i = 0; i < count; i++) {
        struct query query = {0};
        uint64_t published = 0;
        size_t at;
        json_t *pair;
        filter_begin(&query.filter, cases[i].n);
        query.filter.rule = rule_of(cases[i].rule);
        json_array_foreach(json_object_get(json_object_get(file, cases[i].rule), "counts"), at,
                           pair) if (facts_at(pair, 0) == cases[i].n) published = facts_at(pair, 1);
        struct counted figures = count_query(&query, false);
        assert_int_equal(figures.total, published);
        assert_int_equal(counting_units(figures.counting) > 0, cases[i].units > 0);
        assert_true(counting_units(figures.counting) >= cases[i].units);
        const double cost = counting_cost(figures.counting, NULL, NULL);
        if (figures.nodes > 100000)
            assert_true(cost > (double)figures.nodes / 1.5 && cost < (double)figures.nodes * 1.5);
        else
            assert_true(counting_units(figures.counting) ? cost > 0 : cost == 0);
        counted_end(&figures);
    }
    json_decref(file);
}

/* Results are stored by these names: no two rules may share one. */
TEST(test_names)
{
    char names[16][80];
    size_t count = 0;
    for (size_t i = 0; rules[i]; i++) {
        struct query query = {0};
        struct counting *counting;
        struct bytes name = {0};
        filter_begin(&query.filter, 7);
        query.filter.rule = i ? rules[i] : NULL;
        assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
        counting_name(counting, 0, &name);
        assert_true(name.size < sizeof names[0]);
        (void)snprintf(names[count++], sizeof names[0], "%.*s", (int)name.size, name.data);
        for (size_t k = 0; k + 1 < count; k++)
            assert_string_not_equal(names[k], names[count - 1]);
        bytes_free(&name);
        counting_close(counting);
    }
    assert_string_equal(names[1], "rules.3 n=7 rules=toroidal");
}

/* No method counts boards of 34 rows; by this rule there are no solutions. */
TEST(test_none)
{
    for (uint32_t n = 34; n <= 67; n++) {
        struct query query = {.filter.n = n};
        struct counting *counting;
        if (n <= FILTER_MAX_N)
            filter_begin(&query.filter, n);
        query.filter.rule = rule_of("toroidal");
        const bool none = n <= FILTER_MAX_N && (n % 2 == 0 || n % 3 == 0);
        assert_int_equal(counting_open(&query, NULL, &counting), none ? NQ_OK : NQ_LIMIT);
        if (!none)
            continue;
        assert_int_equal(counting_terms(counting), 0);
        assert_int_equal(counting_prepare(counting, NULL, NULL, NULL), NQ_OK);
        assert_int_equal(counting_units(counting), 0);
        assert_true(counting_total(counting, NULL) == 0);
        counting_close(counting);
        query.by_square = true;
        assert_int_equal(counting_open(&query, NULL, &counting), NQ_LIMIT);
    }
}

TEST(test_stop)
{
    const atomic_bool stop = true;
    struct query query = {0};
    struct counting *counting;
    struct unit_result result;
    filter_begin(&query.filter, 14);
    query.filter.rule = rule_of("touching");
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
    assert_int_equal(counting_prepare(counting, NULL, NULL, &stop), NQ_CANCELLED);
    assert_true(counting_cost(counting, NULL, &stop) == 0);
    assert_int_equal(counting_prepare(counting, NULL, NULL, NULL), NQ_OK);
    assert_int_equal(counting_count(counting, 0, kernel_find("scalar"), &stop, &result), NQ_CANCELLED);
    counting_close(counting);
}
