/* test_index.c - tests of src/count/index.c: every rank of every kind of query against solutions looked at one by one,
 * larger boards against the lister and against counts. */
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "count/counting.h"
#include "pace.h"
#include "sifting.h"
#include "solvers/lister.h"

/* The index with allocations that can be made to fail. */
#include "failing.h"

#include "count/index.c"

/* ---- What a query lists ---- */

struct list {
    uint32_t n;
    size_t count;
    uint8_t *columns; /* n for each solution */
};

static const uint8_t *solution(const struct list *list, size_t rank)
{
    return list->columns + rank * list->n;
}

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

/* Whether the first `length` columns come before, or are, the others: < 0, 0, > 0. */
static int compare(const uint8_t *a, const uint8_t *b, uint32_t length)
{
    return length ? memcmp(a, b, length) : 0;
}

/* ---- Building ---- */

static struct index *open_index(const struct query *query)
{
    struct index *index = NULL;
    assert_int_equal(index_open(query, &index), NQ_OK);
    assert_non_null(index);
    return index;
}

static struct bytes result_of(const struct index *index, size_t unit, const struct kernel *kernel,
                              const struct list *list)
{
    struct bytes result = {0};
    uint64_t nodes = 0;
    if (!index_listed(index)) {
        assert_int_equal(index_count(index, unit, kernel, NULL, &result, &nodes), NQ_OK);
        return result;
    }
    struct index_tally tally;
    uint8_t stem[INDEX_STEM_MAX];
    const uint32_t length = index_stem(index, unit, stem);
    index_tally_begin(&tally, index, unit, &result);
    for (size_t i = 0; i < list->count; i++)
        if (compare(solution(list, i), stem, length) == 0)
            index_tally_add(&tally, solution(list, i));
    assert_int_equal(index_tally_end(&tally), NQ_OK);
    return result;
}

/* Carries out every unit, the last one first, and finishes; all kernels must be of one mind, on large boards about
 * some of the units. */
static struct index *build(const struct query *query, const struct list *list)
{
    struct index *index = open_index(query);
    const struct kernel *best = kernel_find("auto");
    for (size_t unit = index_units(index); unit-- > 0;) {
        struct bytes result = result_of(index, unit, best, list);
        for (const struct kernel *const *at = kernels; *at && !index_listed(index); at++) {
            if (!(*at)->supported() || *at == best || (query->filter.n > 13 && unit % 16))
                continue;
            struct bytes other = result_of(index, unit, *at, list);
            assert_int_equal(other.size, result.size);
            assert_memory_equal(other.data, result.data, result.size);
            bytes_free(&other);
        }
        assert_true(index_weight(index, unit) > 0);
        assert_int_equal(index_put(index, unit, result.data, result.size), NQ_OK);
        bytes_free(&result);
    }
    index_finish(index);
    double memory = sizeof *index + sizeof *index->units;
    for (size_t unit = 0; unit < index->count; unit++)
        memory += (double)(sizeof *index->units + (index->units[unit].count + 1) * sizeof *index->units->entries);
    assert_true(index_memory(index) >= memory);
    return index;
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

/* What a place says is so. */
static void check_place(const struct list *list, const struct index_place *place)
{
    assert_in_range(place->before + place->count, place->before, list->count);
    if (place->before > 0)
        assert_true(compare(solution(list, place->before - 1), place->columns, place->length) < 0);
    if (place->count > 0) {
        assert_int_equal(compare(solution(list, place->before), place->columns, place->length), 0);
        assert_int_equal(compare(solution(list, place->before + place->count - 1), place->columns, place->length), 0);
    }
    if (place->before + place->count < list->count)
        assert_true(compare(solution(list, place->before + place->count), place->columns, place->length) > 0);
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
        struct index_place place, again;
        assert_int_equal(index_unrank(index, rank, mosts[i], i ? kernel : NULL, NULL, &place), NQ_OK);
        check_place(list, &place);
        check_depth(index, &place, mosts[i], n);
        assert_in_range(rank, place.before, place.before + place.count - 1);
        assert_int_equal(compare(solution(list, rank), place.columns, place.length), 0);
        assert_int_equal(index_rank(index, solution(list, rank), n, mosts[i], i ? kernel : NULL, NULL, &again), NQ_OK);
        check_depth(index, &again, mosts[i], n);
        assert_int_equal(again.length, place.length);
        assert_int_equal(compare(again.columns, place.columns, place.length), 0);
        assert_true(again.before == place.before && again.count == place.count);
        if (mosts[i] == 0 && !index_listed(index)) {
            assert_int_equal(place.length, n);
            assert_int_equal(place.before, rank);
        }
    }
}

/* Where a placement of some rows would stand, be it of the list or not. */
static void check_prefix(const struct index *index, const struct list *list, const uint8_t *columns, uint32_t length,
                         uint64_t *dice)
{
    struct index_place place;
    struct kernel_prefix prefix;
    const uint64_t most = facts_below(dice, 20);
    const enum nq_status status = index_rank(index, columns, length, most, any_kernel(dice), NULL, &place);
    if (!prefixes_place(&index->board, columns, length, &prefix)) {
        assert_int_equal(status, NQ_INVALID);
        return;
    }
    assert_int_equal(status, NQ_OK);
    assert_int_equal(compare(place.columns, columns, place.length), 0);
    check_place(list, &place);
    check_depth(index, &place, most, length);
}

static void check_query(const struct query *query, const struct sift *all, uint64_t *dice)
{
    struct list list = list_of(query, all);
    struct index *index = build(query, &list);
    struct index_place place;
    assert_int_equal(index_total(index), list.count);
    for (size_t rank = 0; rank < list.count; rank++)
        check_rank(index, &list, rank, dice);
    assert_int_equal(index_unrank(index, list.count, 0, any_kernel(dice), NULL, &place), NQ_END);
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

static void check_filter(const struct filter *filter, const struct sift *all, uint64_t *dice)
{
    struct query query = {.filter = *filter, .by_square = facts_below(dice, 2)};
    for (int symmetry = SYMMETRY_ANY; symmetry <= SYMMETRY_QUARTER; symmetry++)
        for (int distinct = DISTINCT_ALL; distinct <= DISTINCT_MIRROR; distinct++) {
            query.symmetry = (enum query_symmetry)symmetry;
            query.distinct = (enum query_distinct)distinct;
            check_query(&query, all, dice);
        }
}

static void test_every_rank(void **state)
{
    (void)state;
    uint64_t dice = 1;
    for (uint32_t n = 0; n <= 9; n++) {
        const struct sift all = sift_all(n);
        struct filter filter;
        filter_begin(&filter, n);
        check_filter(&filter, &all, &dice);
        for (int round = 0; round < (n == 0 ? 0 : SANITIZED ? 40 : 200); round++) {
            sift_roll(&dice, &all, &filter);
            check_filter(&filter, &all, &dice);
            if (n > 1) {
                sift_roll_symmetric(&dice, n, &filter);
                check_filter(&filter, &all, &dice);
            }
        }
        free(all.solutions);
    }
}

/* ---- Against counts ---- */

static uint64_t count_of(const struct query *query)
{
    struct counting *counting;
    nq_wide parts[4] = {0};
    assert_int_equal(counting_open(query, &counting), NQ_OK);
    assert_int_equal(counting_prepare(counting, NULL, NULL, NULL), NQ_OK);
    for (size_t unit = 0; unit < counting_units(counting); unit++) {
        struct unit_result result;
        assert_int_equal(counting_count(counting, unit, kernel_find("auto"), NULL, &result), NQ_OK);
        parts[counting_term(counting, unit)] += result.parts;
    }
    const uint64_t total = (uint64_t)counting_total(counting, parts);
    counting_close(counting);
    return total;
}

static void check_total(const struct query *query, const struct list *list)
{
    struct index *index = build(query, list);
    assert_int_equal(index_total(index), count_of(query));
    index_close(index);
}

static void test_totals(void **state)
{
    (void)state;
    uint64_t dice = 2;
    for (uint32_t n = 10; n <= 11; n++) {
        const struct sift all = sift_all(n);
        for (int round = 0; round < (SANITIZED ? 10 : 40); round++) {
            struct query query = {.distinct = (enum query_distinct)facts_below(&dice, 3),
                                  .symmetry = (enum query_symmetry)facts_below(&dice, 3)};
            if (round % 2)
                sift_roll(&dice, &all, &query.filter);
            else
                sift_roll_symmetric(&dice, n, &query.filter);
            struct list list = list_of(&query, &all);
            check_total(&query, &list);
            free(list.columns);
        }
        free(all.solutions);
    }
    for (uint32_t n = 12; n <= (SANITIZED ? 13 : 16); n++) {
        struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        struct index *index = build(&query, NULL);
        assert_int_equal(index_total(index), facts_term("all", n));
        index_close(index);
    }
}

/* Boards with few squares in every row, as long as their prefixes get; some are their own reflections. */
static void thin_out(uint64_t *dice, uint32_t n, bool symmetric, struct filter *filter)
{
    *filter = (struct filter){.n = n};
    for (uint32_t row = 0; row < n; row++) {
        while (__builtin_popcountll(filter->allow[row]) < (n < 18 ? 7 : 8)) {
            const uint32_t column = facts_below(dice, n);
            filter->allow[row] |= UINT64_C(1) << column;
            if (symmetric)
                filter->allow[row] |= UINT64_C(1) << (n - 1 - column);
        }
    }
}

/* Some squares excluded, and all their images. */
static void thin_out_all_round(uint64_t *dice, uint32_t n, struct filter *filter)
{
    filter_begin(filter, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row = facts_below(dice, n), column = facts_below(dice, n);
        for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
            uint32_t to_row = row, to_column = column;
            square_transform(symmetry, n, &to_row, &to_column);
            filter_exclude(filter, to_row, to_column);
        }
    }
}

static void check_large(const struct query *query, uint64_t *dice)
{
    enum { ROOM = 400000, RANKS = 100 };
    struct list list = list_large(query, ROOM);
    struct index *index = build(query, &list);
    assert_int_equal(index_total(index), list.count);
    for (int i = 0; i < RANKS && list.count; i++)
        check_rank(index, &list, facts_below(dice, (uint32_t)list.count), dice);
    index_close(index);
    free(list.columns);
}

static void test_large_boards(void **state)
{
    (void)state;
    uint64_t dice = 3;
    struct query query = {0};
    for (uint32_t n = 15; n <= INDEX_MAX_N; n += SANITIZED ? 5 : 1)
        for (int round = 0; round < 4; round++) {
            query.distinct = round < 2 ? DISTINCT_ALL : DISTINCT_MIRROR;
            thin_out(&dice, n, round % 2, &query.filter);
            check_large(&query, &dice);
        }
    for (uint32_t n = 15; n <= (SANITIZED ? 15 : INDEX_CLASSES_MAX_N); n++)
        for (int symmetry = SYMMETRY_ANY; symmetry <= SYMMETRY_POINT; symmetry++) {
            query = sift_whole(n, DISTINCT_FUNDAMENTAL, (enum query_symmetry)symmetry);
            thin_out_all_round(&dice, n, &query.filter);
            check_large(&query, &dice);
        }
    /* whole units as large as there are: the upper rows are placed */
    query = sift_whole(18, DISTINCT_ALL, SYMMETRY_ANY);
    for (uint32_t row = 0; !SANITIZED && row < 3; row++)
        filter_place(&query.filter, row, 4 + 3 * row);
    if (!SANITIZED)
        check_total(&query, NULL);
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
        assert_int_equal(index_unrank(index, at, most, any_kernel(dice), NULL, &place), NQ_OK);
        assert_true(at == offset || at == place.before);
        assert_int_equal(lister_begin(lister, place.columns, place.length), NQ_OK);
        assert_int_equal(lister_next(lister, &budget, found, ROOM, &count), NQ_END);
        assert_int_equal(count, place.count);
        const size_t skipped = at - place.before, left = count - skipped, some = end - at < left ? end - at : left;
        assert_memory_equal(found + skipped * list->n, solution(list, at), some * list->n);
        at += some;
    }
}

static void test_pages(void **state)
{
    (void)state;
    uint64_t dice = 4;
    for (uint32_t n = 12; n <= (SANITIZED ? 12 : 14); n++)
        for (int distinct = DISTINCT_ALL; distinct <= DISTINCT_MIRROR; distinct += DISTINCT_MIRROR - DISTINCT_ALL) {
            const struct query query = sift_whole(n, (enum query_distinct)distinct, SYMMETRY_ANY);
            struct list list = list_large(&query, facts_term("all", n) + 1);
            struct index *index = build(&query, &list);
            struct lister *lister;
            assert_int_equal(lister_open(n, NULL, NULL, 0, &lister), NQ_OK);
            assert_int_equal(index_total(index), list.count);
            for (int i = 0; i < (SANITIZED ? 50 : 400); i++) {
                const uint64_t rank = facts_below(&dice, (uint32_t)list.count);
                check_rank(index, &list, rank, &dice);
                check_page(index, &list, lister, rank, i % 3 ? 200 : UINT64_MAX, &dice);
            }
            lister_close(lister);
            index_close(index);
            free(list.columns);
        }
}

/* What is not counted, but follows by reflection, is what counting it comes to. */
static void test_reflections(void **state)
{
    (void)state;
    uint64_t dice = 5;
    for (uint32_t n = 11; n <= (SANITIZED ? 12 : 15); n++) {
        const struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        struct index *index = build(&query, NULL);
        const uint64_t half = index_total(index) / 2;
        for (int i = 0; i < 50; i++) {
            struct index_place place;
            struct kernel_prefix prefix;
            struct kernel_tally tally = {0};
            const uint64_t rank = half + facts_below(&dice, (uint32_t)half);
            assert_int_equal(index_unrank(index, rank, UINT64_MAX, NULL, NULL, &place), NQ_OK);
            assert_in_range(place.columns[0], n / 2, n - 1);
            assert_true(prefixes_place(&index->board, place.columns, place.length, &prefix));
            assert_int_equal(any_kernel(&dice)->count(&index->board, &prefix, NULL, &tally), NQ_OK);
            assert_int_equal(place.count, tally.solutions[0]);
        }
        index_close(index);
    }
}

/* ---- Units ---- */

static void test_units(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= INDEX_MAX_N; n++) {
        const struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        struct index *index = open_index(&query);
        const size_t units = index_units(index);
        uint8_t columns[INDEX_STEM_MAX], before[INDEX_STEM_MAX] = {0};
        double sum = 0, greatest = 0;
        assert_in_range(units, n < 15 ? 1 : 90, n < 15 ? 1 : 4000);
        for (size_t unit = 0; unit < units; unit++) {
            const uint32_t length = index_stem(index, unit, columns);
            assert_true(unit == 0 || memcmp(before, columns, length) < 0);
            if (length)
                memcpy(before, columns, length);
            const double weight = index_weight(index, unit);
            sum += weight;
            greatest = weight > greatest ? weight : greatest;
        }
        assert_true(greatest <= 8 * sum / (double)units); /* nobody waits long for the last one */
        assert_true(index_memory(index) < 64e6);
        index_close(index);
    }
    const struct query few = sift_whole(INDEX_MAX_N, DISTINCT_ALL, SYMMETRY_POINT);
    struct index *index = open_index(&few);
    assert_true(index_memory(index) < 1e5);
    index_close(index);
}

static void check_name(const struct query *query, const char *expected)
{
    struct index *index = open_index(query);
    struct bytes name = {0};
    index_name(index, &name);
    char *text = bytes_take(&name);
    assert_string_equal(text, expected);
    free(text);
    index_close(index);
}

static void test_names(void **state)
{
    (void)state;
    struct query query = sift_whole(16, DISTINCT_ALL, SYMMETRY_ANY);
    check_name(&query, "index.1 n=16");
    query.distinct = DISTINCT_MIRROR;
    check_name(&query, "index.1 n=16");
    query.distinct = DISTINCT_FUNDAMENTAL;
    check_name(&query, "index.1 fundamental n=16");
    query.symmetry = SYMMETRY_POINT;
    check_name(&query, "index.1 fundamental point n=16");
    query.distinct = DISTINCT_MIRROR;
    check_name(&query, "index.1 mirror point n=16");
    query = sift_whole(4, DISTINCT_ALL, SYMMETRY_QUARTER);
    filter_exclude(&query.filter, 0, 0);
    check_name(&query, "index.1 quarter n=4 e,f,f,f");
    query = sift_whole(5, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY);
    filter_exclude(&query.filter, 0, 1); /* without symmetry: every solution is a class of its own */
    check_name(&query, "index.1 n=5 1d,1f,1f,1f,1f");
}

/* What a filter says in other words is the same; nothing is laid out for one that leaves nothing. */
static void test_settled(void **state)
{
    (void)state;
    uint64_t dice = 8;
    const struct sift all = sift_all(5);
    struct query query = sift_whole(5, DISTINCT_ALL, SYMMETRY_ANY);
    query.filter.allow[0] = 1 << 2;
    filter_exclude(&query.filter, 1, 1); /* where the first queen attacks: its reflection need not be excluded */
    check_name(&query, "index.1 n=5 4,11,a,1b,1b");
    check_filter(&query.filter, &all, &dice);
    query = sift_whole(12, DISTINCT_ALL, SYMMETRY_ANY);
    query.filter.allow[11] = 0;
    struct index *index = open_index(&query);
    assert_int_equal(index_units(index), 0);
    index_finish(index);
    assert_int_equal(index_total(index), 0);
    index_close(index);
    free(all.solutions);
}

static void test_limits(void **state)
{
    (void)state;
    struct query query = sift_whole(INDEX_MAX_N + 1, DISTINCT_ALL, SYMMETRY_ANY);
    struct index *index = NULL;
    assert_int_equal(index_open(&query, &index), NQ_LIMIT);
    query.symmetry = SYMMETRY_QUARTER;
    assert_int_equal(index_open(&query, &index), NQ_LIMIT);
    query.filter.n = UINT32_MAX;
    assert_int_equal(index_open(&query, &index), NQ_LIMIT);
    query = sift_whole(INDEX_CLASSES_MAX_N + 1, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY);
    assert_int_equal(index_open(&query, &index), NQ_LIMIT);
    filter_exclude(&query.filter, 0, 1); /* every solution is a class of its own: they can be counted */
    index_close(open_index(&query));
    query = sift_whole(INDEX_MAX_N, DISTINCT_FUNDAMENTAL, SYMMETRY_POINT);
    index_close(open_index(&query));
}

/* Everything is shared by threads but their own results. */
struct party {
    struct index *index;
    atomic_size_t next;
};

static void work(void *context)
{
    struct party *party = context;
    for (size_t unit; (unit = atomic_fetch_add(&party->next, 1)) < index_units(party->index);) {
        struct bytes result = result_of(party->index, unit, kernel_find("auto"), NULL);
        assert_int_equal(index_put(party->index, unit, result.data, result.size), NQ_OK);
        bytes_free(&result);
    }
}

static void test_threads(void **state)
{
    (void)state;
    uint64_t dice = 6;
    struct query query = sift_whole(15, DISTINCT_ALL, SYMMETRY_ANY);
    if (SANITIZED)
        thin_out(&dice, 15, true, &query.filter);
    struct party party = {.index = open_index(&query)};
    parallel_run(3, work, &party);
    index_finish(party.index);
    assert_int_equal(index_total(party.index), count_of(&query));
    index_close(party.index);
}

static void *stop_later(void *context)
{
    atomic_bool *stop = context;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    atomic_store(stop, true);
    return NULL;
}

static void test_cancel(void **state)
{
    (void)state;
    const struct query query = sift_whole(20, DISTINCT_ALL, SYMMETRY_ANY);
    struct index *index = open_index(&query);
    for (const struct kernel *const *at = kernels; *at; at++) {
        pthread_t thread;
        atomic_bool stop = false;
        struct bytes result = {0};
        if (!(*at)->supported())
            continue;
        uint64_t nodes = 0;
        bytes_text(&result, "before");
        assert_int_equal(pthread_create(&thread, NULL, stop_later, &stop), 0);
        const uint64_t start = clock_worked();
        assert_int_equal(index_count(index, 0, *at, &stop, &result, &nodes), NQ_CANCELLED);
        assert_true(clock_worked() - start < CLOCK_SECOND / 8);
        assert_int_equal(result.size, strlen("before"));
        pthread_join(thread, NULL);
        bytes_free(&result);
    }
    index_close(index);
}

static void test_cancel_going_down(void **state)
{
    (void)state;
    const struct query query = sift_whole(12, DISTINCT_ALL, SYMMETRY_ANY);
    struct index *index = build(&query, NULL);
    const atomic_bool stop = true;
    for (const struct kernel *const *at = kernels; *at; at++) {
        struct index_place place;
        if (!(*at)->supported())
            continue;
        assert_int_equal(index_unrank(index, 5000, 1, *at, &stop, &place), NQ_CANCELLED);
        assert_int_equal(index_unrank(index, 5000, 5000, *at, &stop, &place), NQ_OK);
        uint8_t columns[12];
        assert_int_equal(index_unrank(index, 5000, 0, *at, NULL, &place), NQ_OK);
        memcpy(columns, place.columns, sizeof columns);
        assert_int_equal(index_rank(index, columns, 12, 1, *at, &stop, &place), NQ_CANCELLED);
        assert_int_equal(index_rank(index, columns, 12, 0, *at, NULL, &place), NQ_OK);
        assert_int_equal(place.before, 5000);
    }
    index_close(index);
}

/* ---- Results from elsewhere ---- */

static void refuse(struct index *index, size_t unit, const void *data, size_t size)
{
    const uint64_t total = index_total(index);
    void *copy = malloc(size + !size); /* of exactly that size, for the sanitizer */
    memcpy(copy, data, size);
    assert_int_equal(index_put(index, unit, copy, size), NQ_INVALID);
    index_finish(index);
    assert_int_equal(index_total(index), total);
    free(copy);
}

static void test_malformed(void **state)
{
    (void)state;
    const struct query query = sift_whole(15, DISTINCT_ALL, SYMMETRY_ANY);
    struct query thin = query;
    thin_out(&(uint64_t){7}, 15, false, &thin.filter);
    for (int round = 0; round < 2; round++) {
        struct index *index = build(round ? &thin : &query, NULL);
        const size_t unit = index_units(index) / 3;
        struct bytes result = result_of(index, unit, kernel_find("auto"), NULL);
        char *bytes = malloc(result.size + 1);
        for (size_t cut = 0; cut < result.size; cut++)
            refuse(index, unit, result.data, cut);
        memcpy(bytes, result.data, result.size);
        bytes[result.size] = 0;
        refuse(index, unit, bytes, result.size + 1); /* something follows */
        for (size_t bit = 0; bit < 8 * result.size; bit++) {
            memcpy(bytes, result.data, result.size);
            bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
            refuse(index, unit, bytes, result.size);
        }
        for (size_t at = 0; at < result.size; at++) { /* a number that is longer than it has to be */
            if (result.data[at] & 0x80)
                continue;
            memcpy(bytes, result.data, at + 1);
            bytes[at] = (char)(bytes[at] | 0x80);
            bytes[at + 1] = 0;
            memcpy(bytes + at + 2, result.data + at + 1, result.size - at - 1);
            refuse(index, unit, bytes, result.size + 1);
        }
        assert_int_equal(index_put(index, unit, result.data, result.size), NQ_OK); /* once more, as it should be */
        free(bytes);
        bytes_free(&result);
        index_close(index);
    }
}

/* Counts whose sum does not fit, though it would seem right. */
static void test_overflow(void **state)
{
    (void)state;
    const struct query query = sift_whole(6, DISTINCT_ALL, SYMMETRY_ANY);
    struct index *index = build(&query, NULL);
    struct index_walk walk;
    struct kernel_prefix prefix;
    uint8_t columns[KERNEL_MAX_N];
    static const uint64_t cases[][3] = {
        /* the first count, the second, and their sum */
        {UINT32_MAX, 1, 0},
        {UINT32_MAX, 1, UINT64_C(1) << 32},
        {UINT64_C(1) << 32, 0, 0},
        {UINT64_C(1) << 32, 0, UINT64_C(1) << 32},
        {(UINT64_C(1) << 36) + 1, 0, 1},
        {0, UINT64_MAX, UINT64_MAX},
    };
    const struct query one = sift_whole(1, DISTINCT_ALL, SYMMETRY_ANY);
    struct index *single = build(&one, NULL);
    refuse(single, 0, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02\x00", 11); /* 2^64, and 0 */
    index_close(single);
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        static const uint64_t largest[] = {UINT32_MAX - 1, 1, UINT32_MAX};
        const uint64_t *numbers = i < sizeof cases / sizeof *cases ? cases[i] : largest;
        struct bytes bytes = {0};
        size_t at = 0;
        walk_unit(&walk, index, 0);
        for (; walk_next(&walk, columns, &prefix); at++)
            write_number(&bytes, at < 2 ? numbers[at] : 0);
        assert_true(at > 2);
        write_number(&bytes, numbers[2]);
        if (numbers != largest) {
            refuse(index, 0, bytes.data, bytes.size);
        } else {
            assert_int_equal(index_put(index, 0, bytes.data, bytes.size), NQ_OK);
            index_finish(index);
            assert_int_equal(index_total(index), 2 * (uint64_t)UINT32_MAX);
        }
        bytes_free(&bytes);
    }
    index_close(index);
}

/* ---- Without memory ---- */

static void test_no_memory(void **state)
{
    (void)state;
    const struct query query = sift_whole(8, DISTINCT_ALL, SYMMETRY_ANY);
    struct bytes result = {0};
    uint64_t nodes = 0;
    for (size_t succeed = 0; succeed < 2; succeed++) {
        struct index *none = NULL;
        failing_after = succeed;
        assert_int_equal(index_open(&query, &none), NQ_NOMEM);
        failing_after = SIZE_MAX;
        assert_null(none);
    }
    struct index *index = open_index(&query);
    assert_int_equal(index_count(index, 0, kernel_find("auto"), NULL, &result, &nodes), NQ_OK);
    failing_after = 0;
    assert_int_equal(index_put(index, 0, result.data, result.size), NQ_NOMEM);
    failing_after = 1; /* what cannot be made smaller stays as it is */
    assert_int_equal(index_put(index, 0, result.data, result.size), NQ_OK);
    failing_after = SIZE_MAX;
    index_finish(index);
    assert_int_equal(index_total(index), facts_term("all", 8));
    assert_true(nodes > 0);
    result.failed = true;
    assert_int_equal(index_count(index, 0, kernel_find("auto"), NULL, &result, &nodes), NQ_NOMEM);
    struct index_tally tally;
    index_tally_begin(&tally, index, 0, &result);
    assert_int_equal(index_tally_end(&tally), NQ_NOMEM);
    bytes_free(&result);
    index_close(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_rank), cmocka_unit_test(test_totals),      cmocka_unit_test(test_large_boards),
        cmocka_unit_test(test_pages),      cmocka_unit_test(test_reflections), cmocka_unit_test(test_units),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_settled),     cmocka_unit_test(test_limits),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_cancel),      cmocka_unit_test(test_cancel_going_down),
        cmocka_unit_test(test_malformed),  cmocka_unit_test(test_overflow),    cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("index", tests, NULL, NULL);
}
