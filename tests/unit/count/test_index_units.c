/* test_index_units.c - tests of src/count/index_units.c: how units are laid out and named, and that their results are
 * taken from anywhere, but only as they should be. */
/* CI builds: address */
#include <string.h>

#include "base/parallel.h"
#include "base/status.h"
#include "support/built_index.h"
#include "support/counted_query.h"
#include "support/sifted_solutions.h"
#include "support/stop_latency.h"

/* With allocations that can be made to fail. */
#include "support/failing_memory.h"

#include "count/index_units.c"

/* ---- Units ---- */

TEST(test_units)
{
    for (uint32_t n = 0; n <= INDEX_MAX_N; n += n < 4 || n > 17 ? 1 : 3) {
        const struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
        OWNED(index_close) struct index *index = index_opened(&query);
        const size_t units = index_units(index);
        uint8_t columns[INDEX_STEM_MAX], before[INDEX_STEM_MAX] = {0};
        double sum = 0, greatest = 0;
        assert_in_range(units, n < 15 ? 1 : 90, n < 15 ? 1 : 4000);
        for (size_t unit = 0; unit < units; unit++) {
            const uint32_t length = index_stem(index, unit, columns);
            assert_true(unit == 0 || memcmp(before, columns, length) < 0);
            if (length)
                memcpy(before, columns, length);
            const double weight = index_weight(index, unit, NULL);
            sum += weight;
            greatest = weight > greatest ? weight : greatest;
        }
        assert_true(greatest <= 8 * sum / (double)units); /* nobody waits long for the last one */
        assert_true(index_memory(index, NULL) < 64e6);
    }
    const struct query few = sift_whole(INDEX_MAX_N, DISTINCT_ALL, SYMMETRY_POINT);
    OWNED(index_close) struct index *index = index_opened(&few);
    assert_true(index_memory(index, NULL) < 1e5);
}

static void check_name(const struct query *query, const char *expected)
{
    OWNED(index_close) struct index *index = index_opened(query);
    struct bytes name = {0};
    index_name(index, &name);
    OWNED(free) char *text = bytes_take(&name);
    assert_string_equal(text, expected);
}

TEST(test_names)
{
    struct query query = sift_whole(16, DISTINCT_ALL, SYMMETRY_ANY);
    check_name(&query, "index.1 n=16");
    query.distinct = DISTINCT_MIRROR;
    check_name(&query, "index.1 n=16");
    query.distinct = DISTINCT_FUNDAMENTAL;
    check_name(&query, "index.1 classes=ff n=16");
    query.symmetry = SYMMETRY_POINT;
    check_name(&query, "index.1 classes=ff point n=16");
    query.distinct = DISTINCT_MIRROR;
    check_name(&query, "index.1 classes=11 point n=16");
    query.broken = SYMMETRIES_ALL & ~1U;
    check_name(&query, "index.1 point n=16");
    query = sift_whole(4, DISTINCT_ALL, SYMMETRY_QUARTER);
    filter_exclude(&query.filter, 0, 0);
    check_name(&query, "index.1 quarter n=4 e,f,f,f");
    query = sift_whole(5, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY);
    filter_exclude(&query.filter, 0, 1); /* without symmetry: every solution is a class of its own */
    check_name(&query, "index.1 n=5 1d,1f,1f,1f,1f");
    query = sift_whole(5, DISTINCT_ALL, SYMMETRY_ANY);
    query.filter.allow[0] = 1 << 2;
    filter_exclude(&query.filter, 1, 1); /* where the first queen attacks: its reflection need not be excluded */
    check_name(&query, "index.1 n=5 4,11,a,1b,1b");
}

TEST(test_limits)
{
    struct query query = sift_whole(INDEX_MAX_N + 1, DISTINCT_ALL, SYMMETRY_ANY);
    struct index *index = NULL;
    assert_int_equal(index_open(&query, NULL, &index), NQ_LIMIT);
    query.symmetry = SYMMETRY_QUARTER;
    assert_int_equal(index_open(&query, NULL, &index), NQ_LIMIT);
    query.filter.n = UINT32_MAX;
    assert_int_equal(index_open(&query, NULL, &index), NQ_LIMIT);
    query = sift_whole(INDEX_CLASSES_MAX_N + 1, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY);
    assert_int_equal(index_open(&query, NULL, &index), NQ_LIMIT);
    filter_exclude(&query.filter, 0, 1); /* every solution is a class of its own: they can be counted */
    index_close(index_opened(&query));
    query = sift_whole(INDEX_MAX_N, DISTINCT_FUNDAMENTAL, SYMMETRY_POINT);
    index_close(index_opened(&query));
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
        struct bytes result = index_result(party->index, unit, kernel_find("auto"), NULL);
        assert_int_equal(index_put(party->index, unit, result.data, result.size), NQ_OK);
        bytes_free(&result);
    }
}

TEST(test_threads)
{
    uint64_t dice = 6;
    struct query query = sift_whole(15, DISTINCT_ALL, SYMMETRY_ANY);
    index_thin_out(&dice, 15, true, &query.filter);
    struct party party = {.index = index_opened(&query)};
    parallel_run(3, work, &party);
    index_finish(party.index);
    assert_int_equal(index_total(party.index), count_total(&query));
    index_close(party.index);
}

struct unit_count {
    const struct index *index;
    const struct kernel *kernel;
};

/* Nothing is appended by a unit that is cancelled. */
static enum nq_status count_unit(void *of, const atomic_bool *stop)
{
    const struct unit_count *count = of;
    BYTES(result);
    uint64_t nodes = 0;
    bytes_text(&result, "before");
    const enum nq_status status = index_count(count->index, 0, count->kernel, stop, &result, &nodes);
    return result.size == strlen("before") ? status : NQ_BROKEN;
}

TEST(test_cancel)
{
    const struct query query = sift_whole(20, DISTINCT_ALL, SYMMETRY_ANY);
    OWNED(index_close) struct index *index = index_opened(&query);
    for (const struct kernel *const *at = kernels; *at; at++) {
        if ((*at)->supported())
            stop_latency_check(count_unit, &(struct unit_count){index, *at}, 20, 100);
    }
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

TEST(test_malformed)
{
    const struct query query = sift_whole(15, DISTINCT_ALL, SYMMETRY_ANY);
    struct query thin = query;
    index_thin_out(&(uint64_t){7}, 15, false, &thin.filter);
    for (int round = 0; round < 2; round++) {
        OWNED(index_close) struct index *index = index_built(round ? &thin : &query, NULL);
        const size_t unit = index_units(index) / 3;
        struct bytes result = index_result(index, unit, kernel_find("auto"), NULL);
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
    }
}

/* Counts whose sum does not fit, though it would seem right. */
TEST(test_overflow)
{
    const struct query query = sift_whole(6, DISTINCT_ALL, SYMMETRY_ANY);
    OWNED(index_close) struct index *index = index_built(&query, NULL);
    struct index_walk walk;
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
    struct index *single = index_built(&one, NULL);
    refuse(single, 0, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02\x00", 11); /* 2^64, and 0 */
    index_close(single);
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        static const uint64_t largest[] = {UINT32_MAX - 1, 1, UINT32_MAX};
        const uint64_t *numbers = i < sizeof cases / sizeof *cases ? cases[i] : largest;
        BYTES(bytes);
        size_t at = 0;
        walk_unit(&walk, index, 0);
        for (; walk_next(&walk, columns); at++)
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
    }
}

/* ---- Without memory ---- */

TEST(test_no_memory)
{
    const struct query query = sift_whole(8, DISTINCT_ALL, SYMMETRY_ANY);
    BYTES(result);
    uint64_t nodes = 0;
    for (size_t succeed = 0; succeed < 2; succeed++) {
        struct index *none = NULL;
        failing_after = succeed;
        assert_int_equal(index_open(&query, NULL, &none), NQ_NOMEM);
        failing_after = SIZE_MAX;
        assert_null(none);
    }
    OWNED(index_close) struct index *index = index_opened(&query);
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
}
