/* test_counting_classes.c - tests of counts by rule that a symmetry chooses or makes equal: against lists of all
 * placements, and against the published numbers of classes. */
/* CI builds: plain address */
#include <string.h>

#include "base/grow.h"
#include "count/torus.h"
#include "support/counted_query.h"
#include "support/sifted_solutions.h"

enum { SMALL = 7, TORUS = 7 };

/* ---- All placements on allowed squares, by a filter's rule ---- */

struct placement {
    uint32_t columns[SMALL + 1];
};

struct placements {
    const struct filter *filter;
    struct placement now, *list;
    size_t count, room;
};

static void collect(struct placements *all, uint32_t row)
{
    const struct filter *filter = all->filter;
    uint32_t *columns = all->now.columns;
    if (row == filter->n) {
        all->list = grow_array(all->list, all->count, &all->room, sizeof all->list[0]);
        assert_non_null(all->list);
        all->list[all->count++] = all->now;
        return;
    }
    for (columns[row] = 0; columns[row] < filter->n; columns[row]++) {
        uint32_t above = 0;
        while (above < row &&
               rule_line(filter->rule, filter->n, above, columns[above], row, columns[row]) == CONFLICT_LINES)
            above++;
        if (above == row && filter_allows(filter, row, columns[row]))
            collect(all, row + 1);
    }
}

static struct placements placements_of(const struct filter *filter)
{
    struct placements all = {.filter = filter};
    collect(&all, 0);
    return all;
}

/* What counting_total() is to be for a query: its solutions that no image under a group comes before. */
static uint64_t sifted(const struct placements *all, const struct query *query, unsigned group)
{
    uint64_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += sift_least(query, group, all->list[i].columns);
    return count;
}

static void check(const struct filter *asked, const struct placements *all, unsigned broken)
{
    for (int symmetry = SYMMETRY_ANY; symmetry <= SYMMETRY_QUARTER; symmetry++) {
        struct query query = {.filter = *asked, .symmetry = (enum query_symmetry)symmetry, .broken = broken};
        assert_int_equal(count_total(&query), sifted(all, &query, 1));
        query.distinct = DISTINCT_FUNDAMENTAL;
        assert_int_equal(count_total(&query), sifted(all, &query, asked->n < 2 ? 1 : sift_group(&query)));
    }
}

/* Of the solutions with a queen on each square, those that a half turn leaves unchanged. */
static void check_squares(const struct filter *asked, const struct placements *all)
{
    struct query query = {.filter = *asked, .symmetry = SYMMETRY_POINT};
    uint64_t squares[SMALL][SMALL] = {0};
    for (size_t i = 0; i < all->count; i++)
        for (uint32_t row = 0; row < asked->n && sift_wanted(&query, all->list[i].columns); row++)
            squares[row][all->list[i].columns[row]]++;
    query.by_square = true;
    struct counted figures = count_query(&query, false);
    for (uint32_t i = 0; i < asked->n * asked->n; i++)
        assert_int_equal((uint64_t)counting_square(figures.counting, figures.thirds, i / asked->n, i % asked->n),
                         squares[i / asked->n][i % asked->n]);
    counted_end(&figures);
}

/* Excludes some squares, with their images under a symmetry in some rounds; and places a queen in others. */
static struct filter roll(uint64_t *dice, const struct rule *rule, unsigned round)
{
    struct filter filter;
    filter_begin(&filter, 2 + facts_below(dice, SMALL - 1));
    filter.rule = rule;
    if (round % 4 == 0)
        filter_place(&filter, facts_below(dice, filter.n), facts_below(dice, filter.n));
    const unsigned symmetry = facts_below(dice, NQ_SYMMETRIES);
    for (uint32_t left = facts_below(dice, 3); left; left--) {
        uint32_t row = facts_below(dice, filter.n), column = facts_below(dice, filter.n);
        for (unsigned i = 0; i < 4; i++) {
            filter_exclude(&filter, row, column);
            square_transform(symmetry, filter.n, &row, &column);
        }
    }
    return filter;
}

TEST(test_classes_against_all_placements)
{
    uint64_t dice = 24;
    uint64_t symmetric = 0;
    for (size_t i = 1; rules[i]; i++) {
        for (unsigned round = 0; round <= SMALL + 200; round++) {
            struct filter filter;
            filter_begin(&filter, round % (SMALL + 1));
            filter.rule = rules[i];
            if (round > SMALL)
                filter = roll(&dice, rules[i], round);
            struct placements all = placements_of(&filter);
            check(&filter, &all, round <= SMALL ? 0 : sift_broken());
            if (round % 8 == SMALL % 8)
                check_squares(&filter, &all);
            symmetric += filter_symmetries(&filter) > 1 && all.count;
            free(all.list);
        }
    }
    assert_true(symmetric > 200);
}

/* ---- Published numbers ---- */

static const struct rule *rule_of(const char *name)
{
    return rules[rule_find(name, strlen(name))];
}

static uint64_t count_whole(const char *rule, uint32_t n, enum query_distinct distinct, enum query_symmetry symmetry)
{
    struct query query = {.distinct = distinct, .symmetry = symmetry};
    filter_begin(&query.filter, n);
    query.filter.rule = rule_of(rule);
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

static bool same(uint32_t n, const uint32_t *a, const uint32_t *b)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* Classes of placements under all shifts and the symmetries of the rule: those that no image comes before. */
static uint64_t torus_sifted(const struct placements *all, const struct rule *rule, uint32_t n)
{
    uint64_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        uint32_t least[TORUS], turned[TORUS], image[TORUS];
        memcpy(least, all->list[i].columns, sizeof least);
        for (uint32_t motion = 0; motion < NQ_SYMMETRIES * n * n; motion++) {
            if (!(rule->symmetries >> motion / (n * n) & 1))
                continue;
            nq_transform(motion / (n * n), n, all->list[i].columns, turned);
            for (uint32_t row = 0; row < n; row++)
                image[(row + motion / n) % n] = (turned[row] + motion) % n;
            if (facts_compare(image, least, &n) < 0)
                memcpy(least, image, sizeof least);
        }
        count += same(n, least, all->list[i].columns);
    }
    return count;
}

TEST(test_torus_classes)
{
    static const uint64_t published[] = {[5] = 1, [7] = 1, [11] = 2, [13] = 11, [17] = 97}; /* A053994 */
    for (uint32_t n = 1; n <= TORUS; n++) {
        for (size_t i = 1; rules[i]; i++) {
            struct filter filter;
            filter_begin(&filter, n);
            filter.rule = rules[i];
            if (!rules[i]->shifts)
                continue;
            struct placements all = placements_of(&filter);
            assert_int_equal(count_whole(rules[i]->name, n, DISTINCT_TORUS, SYMMETRY_ANY),
                             torus_sifted(&all, rules[i], n));
            free(all.list);
        }
    }
    for (uint32_t n = 2; n < sizeof published / sizeof published[0]; n++)
        assert_int_equal(count_whole("toroidal", n, DISTINCT_TORUS, SYMMETRY_ANY), published[n]);
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

/* Large boards, and a search that is stopped. */
TEST(test_stop)
{
    const atomic_bool stop = true;
    struct query query = {.symmetry = SYMMETRY_POINT};
    struct counting *counting;
    struct unit_result result;
    filter_begin(&query.filter, 48);
    query.filter.rule = rule_of("superqueens");
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
    assert_true(counting_cost(counting, NULL, NULL) > 1e12);
    assert_int_equal(counting_prepare(counting, NULL, NULL, &stop), NQ_CANCELLED);
    counting_close(counting);
    filter_begin(&query.filter, 26);
    query.filter.rule = rule_of("superqueens");
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
    assert_int_equal(counting_prepare(counting, NULL, NULL, NULL), NQ_OK);
    assert_int_equal(counting_count(counting, 0, kernel_find("scalar"), &stop, &result), NQ_CANCELLED);
    counting_close(counting);
    query.filter.n = 49;
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_LIMIT);
    query.filter.n = 33;
    query.symmetry = SYMMETRY_ANY;
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_LIMIT);
}

/* Each motion is in one class: of the shifts, (0, 0), those like (0, 1), (1, 1) and (1, 2) for n = 5; the turns about
 * one square are turns about all others. */
TEST(test_motions)
{
    struct torus_class *classes;
    size_t count, turns = 0, shifts = 0;
    uint32_t motions = 0;
    assert_int_equal(torus_classes(rule_of("toroidal"), 5, &classes, &count), NQ_OK);
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
    free(classes);
}
