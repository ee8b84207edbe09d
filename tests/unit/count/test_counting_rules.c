/* test_counting_rules.c - tests of counting by rules: against the published numbers, of classes and of tori, too;
 * names, what is not searched, and stopping. Small boards are those of test_counting.c. NQ_LONG: larger ones. */
/* CI builds: address */
#include "count/counting.c"
#include "support/counted_query.h"
#include "support/sifted_solutions.h"

/* ---- Published numbers ---- */

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

/* The estimate is of placements, which the kernels try; correlations are another matter. */
TEST(test_published_counts)
{
    const bool longer = getenv("NQ_LONG");
    const struct published *cases = longer ? slow : quick;
    const size_t count = longer ? sizeof slow / sizeof slow[0] : sizeof quick / sizeof quick[0];
    for (size_t i = 0; i < count; i++) {
        struct query query = sift_whole(cases[i].n, DISTINCT_ALL, SYMMETRY_ANY);
        uint64_t published = 0;
        (void)facts_published(cases[i].rule, cases[i].n, &published); /* of most boards without a solution nothing is */
        query.filter.rule = sift_rule(cases[i].rule);
        ENDED_BY(counted_end) struct counted figures = count_query(&query, false);
        assert_int_equal(figures.total, published);
        assert_int_equal(counting_units(figures.counting) > 0, cases[i].units > 0);
        assert_true(counting_units(figures.counting) >= cases[i].units);
        const double cost = counting_cost(figures.counting, NULL, 1, NULL).placements;
        const bool tried = cost > 0 && strcmp(counting_method(figures.counting, 0), "correlations") != 0;
        if (tried && figures.nodes > 100000)
            assert_true(cost > (double)figures.nodes / 1.5 && cost < (double)figures.nodes * 1.5);
        else
            assert_true(counting_units(figures.counting) ? cost > 0 : cost == 0);
    }
}

static uint64_t count_whole(const char *rule, uint32_t n, enum query_distinct distinct, enum query_symmetry symmetry)
{
    struct query query = sift_whole(n, distinct, symmetry);
    query.filter.rule = sift_rule(rule);
    return count_total(&query);
}

/* A quarter turn makes classes of 2 solutions, a half turn of 4. Superqueens on 1 column are a class for itself. */
TEST(test_published_classes)
{
    static const uint64_t classes[] = {[10] = 1, 6, 22, 239}, quarter[] = {[12] = 2, 2, 0, 0, 12, 17, 0, 0, 60, 82},
                          half[] = {[10] = 1, 1, 2, 6, 11, 49, 79, 245, 498, 1192}; /* A051224, A352661, A352662 */
    for (uint32_t n = 2; n < sizeof classes / sizeof classes[0]; n++)
        assert_int_equal(count_whole("superqueens", n, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY), classes[n]);
    for (uint32_t n = 2; n < sizeof quarter / sizeof quarter[0]; n++)
        assert_int_equal(count_whole("superqueens", n, DISTINCT_ALL, SYMMETRY_QUARTER), 2 * quarter[n]);
    for (uint32_t n = 2; n < sizeof half / sizeof half[0]; n++)
        assert_int_equal(count_whole("superqueens", n, DISTINCT_ALL, SYMMETRY_POINT), 4 * half[n] + 2 * quarter[n]);
}

/* ---- The torus ---- */

enum { TORUS = 7 };

/* Classes of solutions under all shifts and the symmetries of the rule: those that no image comes before. */
static uint64_t torus_sifted(const struct sift *all)
{
    const uint32_t n = all->n;
    uint64_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        bool least = true;
        for (uint32_t motion = 0; motion < NQ_SYMMETRIES * n * n && least; motion++) {
            uint32_t turned[TORUS], image[TORUS];
            if (!(all->rule->symmetries >> motion / (n * n) & 1))
                continue;
            nq_transform(motion / (n * n), n, all->solutions + i * n, turned);
            for (uint32_t row = 0; row < n; row++)
                image[(row + motion / n) % n] = (turned[row] + motion) % n;
            least = facts_compare(image, all->solutions + i * n, (void *)&n) >= 0;
        }
        count += least;
    }
    return count;
}

TEST(test_torus_classes)
{
    static const uint64_t published[] = {[5] = 1, [7] = 1, [11] = 2, [13] = 11, [17] = 97}; /* A053994 */
    for (uint32_t n = 1; n <= TORUS; n++)
        for (size_t i = 0; rules[i]; i++) {
            if (!rules[i]->shifts)
                continue;
            struct sift all = sift_by_rule(rules[i], n);
            assert_int_equal(count_whole(rules[i]->name, n, DISTINCT_TORUS, SYMMETRY_ANY), torus_sifted(&all));
            free(all.solutions);
        }
    for (uint32_t n = 2; n < sizeof published / sizeof published[0]; n++)
        assert_int_equal(count_whole("toroidal", n, DISTINCT_TORUS, SYMMETRY_ANY), published[n]);
}

/* Each motion is in one class: of the shifts, (0, 0), those like (0, 1), (1, 1) and (1, 2) for n = 5; the turns about
 * one square are turns about all others. */
TEST(test_motions)
{
    OWNED(free) struct torus_class *classes = NULL;
    size_t count, turns = 0, shifts = 0;
    uint32_t motions = 0;
    assert_int_equal(torus_classes(sift_rule("toroidal"), 5, &classes, &count), NQ_OK);
    for (size_t i = 0; i < count; i++) {
        motions += classes[i].motions;
        shifts += classes[i].motion.symmetry == 0;
        turns += classes[i].motion.symmetry == 1 || classes[i].motion.symmetry == 2;
        if (classes[i].motion.symmetry == 1)
            assert_int_equal(classes[i].motions, 50); /* with those the other way round */
    }
    assert_int_equal(motions, 200);
    assert_int_equal(shifts, 6);
    assert_int_equal(turns, 2);
}

/* ---- Names, limits ---- */

/* Results are stored by these names: no two rules may share one. */
static struct bytes name_by(const struct rule *rule)
{
    struct query query = sift_whole(7, DISTINCT_ALL, SYMMETRY_ANY);
    struct counting *counting;
    struct bytes name = {0};
    query.filter.rule = rule;
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
    counting_name(counting, 0, &name);
    bytes_char(&name, '\0');
    counting_close(counting);
    return name;
}

TEST(test_names)
{
    for (size_t i = 0; rules[i]; i++) {
        struct bytes name = name_by(rules[i]);
        for (size_t k = 0; k < i; k++) {
            struct bytes other = name_by(rules[k]);
            assert_string_not_equal(other.data, name.data);
            bytes_free(&other);
        }
        bytes_free(&name);
    }
    struct bytes frozen = name_by(sift_rule("toroidal"));
    assert_string_equal(frozen.data, "rules.3 n=7 rules=toroidal");
    bytes_free(&frozen);
}

/* What a theorem excludes is not searched; nor are quarter turns of boards whose rows are not four by four, but for the
 * middle one. */
TEST(test_what_is_not_searched)
{
    for (uint32_t n = 42; n < 48; n += n % 4 == 3 ? 3 : 1)
        assert_int_equal(count_whole("superqueens", n, DISTINCT_ALL, SYMMETRY_QUARTER), 0);
    for (int symmetry = SYMMETRY_POINT; symmetry <= SYMMETRY_QUARTER; symmetry++)
        assert_int_equal(count_whole("toroidal-semiqueens", 32, DISTINCT_ALL, (enum query_symmetry)symmetry), 0);
    assert_int_equal(count_whole("toroidal-semiqueens", 32, DISTINCT_TORUS, SYMMETRY_ANY), 0);
    assert_int_equal(count_whole("toroidal-semiqueens", 32, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY), 0);
}

/* No method counts boards of 34 rows; by this rule there are no solutions. */
TEST(test_none)
{
    for (uint32_t n = 34; n <= 67; n++) {
        struct query query = {.filter = {.n = n, .rule = rules[0]}};
        struct counting *counting;
        if (n <= FILTER_MAX_N)
            filter_begin(&query.filter, n);
        query.filter.rule = sift_rule("toroidal");
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

/* Planning, estimating and counting are cancelled, of all solutions and of those with a symmetry. */
TEST(test_stop)
{
    static const struct {
        const char *rule;
        uint32_t planned, counted;
        enum query_symmetry symmetry;
    } cases[] = {{"touching", 14, 14, SYMMETRY_ANY}, {"superqueens", 48, 26, SYMMETRY_POINT}};
    const atomic_bool stop = true;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct query query = sift_whole(cases[i].planned, DISTINCT_ALL, cases[i].symmetry);
        struct counting *counting;
        struct unit_result result;
        query.filter.rule = sift_rule(cases[i].rule);
        assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
        assert_true(counting_cost(counting, NULL, 1, NULL).placements > 1e7);
        assert_true(i || counting_cost(counting, NULL, 1, &stop).placements == 0);
        assert_int_equal(counting_prepare(counting, NULL, NULL, &stop), NQ_CANCELLED);
        counting_close(counting);
        filter_begin(&query.filter, cases[i].counted);
        query.filter.rule = sift_rule(cases[i].rule);
        assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
        assert_int_equal(counting_prepare(counting, NULL, NULL, NULL), NQ_OK);
        assert_int_equal(counting_count(counting, 0, METHOD_WHOLE, kernel_find("scalar"), &stop, &result),
                         NQ_CANCELLED);
        counting_close(counting);
    }
}

TEST(test_limits)
{
    struct query query = sift_whole(49, DISTINCT_ALL, SYMMETRY_POINT);
    struct counting *counting;
    query.filter.rule = sift_rule("superqueens");
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_LIMIT);
    query.filter.n = 33;
    query.symmetry = SYMMETRY_ANY;
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_LIMIT);
}
