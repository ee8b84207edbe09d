/* test_index.c - tests of src/count/index_rank.c: every rank of every kind of query against solutions looked at
 * one by one, larger boards against the lister and against counts. */
/* CI builds: address */
#include <string.h>

#include "solvers/lister.h"
#include "support/built_index.h"
#include "support/counted_query.h"
#include "support/sifted_solutions.h"

/* ---- What a query lists ---- */

static struct list list_of(const struct query *query, const struct sift *all)
{
    const unsigned group = sift_group(query);
    struct list list = {.n = all->n, .columns = malloc(all->count * all->n + 1)};
    assert_non_null(list.columns);
    for (size_t i = 0; i < all->count; i++) {
        const uint32_t *columns = &all->solutions[i * all->n];
        if (!sift_least(query, group, columns))
            continue;
        for (uint32_t row = 0; row < list.n; row++)
            list.columns[list.count * list.n + row] = (uint8_t)columns[row];
        list.count++;
    }
    return list;
}

/* A large board's, out of what the lister lists. */
static struct list list_large(const struct query *query, size_t room)
{
    const uint32_t n = query->filter.n;
    const unsigned group = sift_group(query);
    struct list list = {.n = n, .columns = malloc(room * n)};
    struct lister *lister;
    uint64_t budget = UINT64_MAX;
    size_t found, kept = 0;
    assert_non_null(list.columns);
    assert_int_equal(lister_open(n, query->filter.allow, NULL, 0, &lister), NQ_OK);
    assert_int_equal(lister_next(lister, &budget, list.columns, room, &found), NQ_END);
    lister_close(lister);
    for (size_t i = 0; i < found; i++) {
        uint32_t columns[LISTER_MAX_N];
        for (uint32_t row = 0; row < n; row++)
            columns[row] = solution(&list, i)[row];
        if (sift_least(query, group, columns))
            memmove(list.columns + kept++ * n, solution(&list, i), n);
    }
    list.count = kept;
    return list;
}

static const struct kernel *any_kernel(uint64_t *dice)
{
    const struct kernel *supported[8];
    uint32_t count = 0;
    for (const struct kernel *const *at = kernels; *at; at++)
        if ((*at)->supported())
            supported[count++] = *at;
    return supported[facts_below(dice, count)];
}

/* ---- Against a list ---- */

/* A place has what the list has. */
static void check_place(const struct list *list, const struct index_place *place)
{
    assert_in_range(place->before + place->count, place->before, list->count);
    if (place->before > 0)
        assert_true(index_compare(solution(list, place->before - 1), place->columns, place->length) < 0);
    if (place->count > 0) {
        assert_int_equal(index_compare(solution(list, place->before), place->columns, place->length), 0);
        assert_int_equal(index_compare(solution(list, place->before + place->count - 1), place->columns, place->length),
                         0);
    }
    if (place->before + place->count < list->count)
        assert_true(index_compare(solution(list, place->before + place->count), place->columns, place->length) > 0);
}

/* It goes down until there are few enough, if it can. */
static void check_depth(const struct index *index, const struct index_place *place, uint64_t most, uint32_t length)
{
    const uint32_t own = length < index->length ? length : index->length;
    assert_in_range(place->length, own, length);
    if (index_listed(index))
        assert_int_equal(place->length, own);
    else
        assert_true(place->count <= most || place->length == length);
}

static void check_rank(const struct index *index, const struct list *list, uint64_t rank, uint64_t *dice)
{
    const struct kernel *kernel = any_kernel(dice);
    const uint32_t n = list->n, some = 1 + facts_below(dice, 50);
    const uint64_t mosts[] = {UINT64_MAX, 0, some};
    for (size_t i = 0; i < sizeof mosts / sizeof *mosts; i++) {
        const struct index_depth depth = {.most = mosts[i], .kernel = i ? kernel : NULL};
        struct index_place place, again;
        assert_int_equal(index_unrank(index, rank, &depth, &place), NQ_OK);
        check_place(list, &place);
        check_depth(index, &place, mosts[i], n);
        assert_in_range(rank, place.before, place.before + place.count - 1);
        assert_int_equal(index_compare(solution(list, rank), place.columns, place.length), 0);
        assert_int_equal(index_rank(index, solution(list, rank), n, &depth, &again), NQ_OK);
        check_depth(index, &again, mosts[i], n);
        assert_int_equal(again.length, place.length);
        assert_int_equal(index_compare(again.columns, place.columns, place.length), 0);
        assert_true(again.before == place.before && again.count == place.count);
        if (mosts[i] == 0 && !index_listed(index)) {
            assert_int_equal(place.length, n);
            assert_int_equal(place.before, rank);
        }
    }
}

static bool is_placement(const struct index *index, const uint8_t *columns, uint32_t length)
{
    const struct filter *filter = &index->query.filter;
    struct kernel_prefix prefix;
    bool placed = true;
    if (rule_by_lines(filter->rule))
        return prefixes_place(&index->board, columns, length, &prefix);
    for (uint32_t row = 0; row < length && placed; row++) {
        placed = columns[row] < filter->n && filter_allows(filter, row, columns[row]);
        for (uint32_t above = 0; above < row && placed; above++)
            placed = !rule_attack(filter->rule, filter->n, above, columns[above], row, columns[row]);
    }
    return placed;
}

/* Where a placement of some rows would stand, be it of the list or not. */
static void check_prefix(const struct index *index, const struct list *list, const uint8_t *columns, uint32_t length,
                         uint64_t *dice)
{
    struct index_place place;
    const struct index_depth depth = {.most = facts_below(dice, 20), .kernel = any_kernel(dice)};
    const enum nq_status status = index_rank(index, columns, length, &depth, &place);
    if (!is_placement(index, columns, length)) {
        assert_int_equal(status, NQ_INVALID);
        return;
    }
    assert_int_equal(status, NQ_OK);
    assert_int_equal(index_compare(place.columns, columns, place.length), 0);
    check_place(list, &place);
    check_depth(index, &place, depth.most, length);
}

static void check_query(const struct query *query, const struct sift *all, uint64_t *dice)
{
    struct list list = list_of(query, all);
    struct index *index = index_built(query, &list);
    struct index_place place;
    assert_int_equal(index_total(index), list.count);
    for (size_t rank = 0; rank < list.count; rank++)
        check_rank(index, &list, rank, dice);
    assert_int_equal(index_unrank(index, list.count, &(struct index_depth){.kernel = any_kernel(dice)}, &place),
                     NQ_END);
    for (uint32_t i = 0; i < 40; i++) {
        uint8_t columns[32];
        const size_t one = all->count ? facts_below(dice, (uint32_t)all->count) : 0;
        for (uint32_t row = 0; row < list.n; row++) /* a solution of the whole board's, or anything */
            columns[row] = (uint8_t)(i % 4 && all->count ? all->solutions[one * list.n + row] : facts_below(dice, 20));
        check_prefix(index, &list, columns, facts_below(dice, list.n + 1), dice);
    }
    index_close(index);
    free(list.columns);
}

static void check_any(const struct query *query, const struct sift *all, uint64_t *dice)
{
    struct query other = *query;
    other.by_square = facts_below(dice, 2); /* means nothing */
    check_query(&other, all, dice);
}

TEST(test_every_rank)
{
    sift_each(&(struct sift_sweep){.most = 8, .rounds = 20, .symmetries = SYMMETRY_QUARTER}, check_any);
    sift_each(&(struct sift_sweep){.others = true, .most = 7, .rounds = 4, .symmetries = SYMMETRY_QUARTER}, check_any);
}

static void check_large(const struct query *query, uint64_t *dice)
{
    enum { ROOM = 400000, RANKS = 100 };
    struct list list = list_large(query, ROOM);
    struct index *index = index_built(query, &list);
    assert_int_equal(index_total(index), list.count);
    for (int i = 0; i < RANKS && list.count; i++)
        check_rank(index, &list, facts_below(dice, (uint32_t)list.count), dice);
    index_close(index);
    free(list.columns);
}

TEST(test_large_boards)
{
    uint64_t dice = 3;
    struct query query = {0};
    const uint32_t apart = getenv("NQ_LONG") ? 1 : INDEX_MAX_N - 15;
    for (uint32_t n = 15; n <= INDEX_MAX_N; n += apart)
        for (int round = apart > 1 && n > 15 ? 3 : 0; round < (apart > 1 && n == 15 ? 1 : 4); round++) {
            query.distinct = round < 2 ? DISTINCT_ALL : DISTINCT_MIRROR;
            index_thin_out(&dice, n, round % 2, &query.filter);
            check_large(&query, &dice);
        }
    for (uint32_t n = 15; n <= (apart > 1 ? 15 : INDEX_CLASSES_MAX_N); n++)
        for (int symmetry = SYMMETRY_ANY; symmetry <= SYMMETRY_POINT; symmetry++) {
            query = sift_whole(n, DISTINCT_FUNDAMENTAL, (enum query_symmetry)symmetry);
            for (uint32_t i = 0; i < n; i++) {
                const uint32_t row = facts_below(&dice, n), column = facts_below(&dice, n);
                sift_exclude(&query.filter, SYMMETRIES_ALL, row, column);
            }
            check_large(&query, &dice);
        }
    /* whole units as large as there are: the upper rows are placed */
    query = sift_whole(18, DISTINCT_ALL, SYMMETRY_ANY);
    for (uint32_t row = 0; row < 3; row++)
        filter_place(&query.filter, row, 4 + 3 * row);
    if (apart == 1) {
        OWNED(index_close) struct index *index = index_built(&query, NULL);
        assert_int_equal(index_total(index), count_total(&query));
    }
}

/* Any ten of the list: looked up, gone down to, and listed from there, and again from where that ends. */
static void check_page(const struct index *index, const struct list *list, struct lister *lister, uint64_t offset,
                       uint64_t most, uint64_t *dice)
{
    enum { PAGE = 10, ROOM = 4096 };
    static uint8_t found[ROOM * LISTER_MAX_N];
    const size_t rest = list->count - offset, end = offset + (rest < PAGE ? rest : PAGE);
    for (uint64_t at = offset; at < end;) {
        struct index_place place;
        uint64_t budget = UINT64_MAX;
        size_t count;
        assert_int_equal(
            index_unrank(index, at, &(struct index_depth){.most = most, .kernel = any_kernel(dice)}, &place), NQ_OK);
        assert_true(at == offset || at == place.before);
        assert_int_equal(lister_begin(lister, place.columns, place.length), NQ_OK);
        assert_int_equal(lister_next(lister, &budget, found, ROOM, &count), NQ_END);
        assert_int_equal(count, place.count);
        const size_t skipped = at - place.before, left = count - skipped, some = end - at < left ? end - at : left;
        assert_memory_equal(found + skipped * list->n, solution(list, at), some * list->n);
        at += some;
    }
}

TEST(test_pages)
{
    uint64_t dice = 4;
    for (int distinct = DISTINCT_ALL; distinct <= DISTINCT_MIRROR; distinct += DISTINCT_MIRROR - DISTINCT_ALL) {
        const uint32_t n = 12;
        const struct query query = sift_whole(n, (enum query_distinct)distinct, SYMMETRY_ANY);
        struct list list = list_large(&query, facts_term("all", n) + 1);
        struct index *index = index_built(&query, &list);
        struct lister *lister;
        assert_int_equal(lister_open(n, NULL, NULL, 0, &lister), NQ_OK);
        assert_int_equal(index_total(index), list.count);
        for (int i = 0; i < 50; i++) {
            const uint64_t rank = facts_below(&dice, (uint32_t)list.count);
            check_rank(index, &list, rank, &dice);
            check_page(index, &list, lister, rank, i % 3 ? 200 : UINT64_MAX, &dice);
        }
        lister_close(lister);
        index_close(index);
        free(list.columns);
    }
}

/* ---- Special cases ---- */

/* Filters that allow the same squares have equal indexes; one without solutions has no units. */
TEST(test_settled)
{
    uint64_t dice = 8;
    const struct sift all = sift_all(5);
    struct query query = sift_whole(5, DISTINCT_ALL, SYMMETRY_ANY);
    query.filter.allow[0] = 1 << 2;
    filter_exclude(&query.filter, 1, 1); /* where the first queen attacks: its reflection need not be excluded */
    sift_kinds(&query.filter, SYMMETRY_QUARTER, &all, &dice, check_query);
    query = sift_whole(12, DISTINCT_ALL, SYMMETRY_ANY);
    query.filter.allow[11] = 0;
    struct index *index = index_opened(&query);
    assert_int_equal(index_units(index), 0);
    index_finish(index);
    assert_int_equal(index_total(index), 0);
    index_close(index);
    free(all.solutions);
}

TEST(test_cancel_going_down)
{
    const struct query query = sift_whole(12, DISTINCT_ALL, SYMMETRY_ANY);
    OWNED(index_close) struct index *index = index_built(&query, NULL);
    const atomic_bool stop = true;
    for (const struct kernel *const *at = kernels; *at; at++) {
        const struct index_depth far = {.kernel = *at}, stopped = {.most = 1, .kernel = *at, .stop = &stop},
                                 near = {.most = 5000, .kernel = *at, .stop = &stop};
        struct index_place place;
        if (!(*at)->supported())
            continue;
        assert_int_equal(index_unrank(index, 5000, &stopped, &place), NQ_CANCELLED);
        assert_int_equal(index_unrank(index, 5000, &near, &place), NQ_OK);
        uint8_t columns[12];
        assert_int_equal(index_unrank(index, 5000, &far, &place), NQ_OK);
        memcpy(columns, place.columns, sizeof columns);
        assert_int_equal(index_rank(index, columns, 12, &stopped, &place), NQ_CANCELLED);
        assert_int_equal(index_rank(index, columns, 12, &far, &place), NQ_OK);
        assert_int_equal(place.before, 5000);
    }
}
