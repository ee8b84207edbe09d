/* test_compute.c - tests of src/sequences/compute.c: terms on several threads, interrupted, continued, and from stores
 * with wrong content. */
/* CI builds: address */
#include "sequences/compute.h"
#include "support/tests.h"

/* A term with many units, and its value. */
enum { INDEX = 10, TERM = 35539, UNITS = 50 };

struct desk {
    struct store *store;
    atomic_bool stop;
    size_t stop_at;              /* so many units done: stop; 0: never */
    size_t first, calls, latest; /* of progress: units done at the first call, calls, units done at the last */
};

static void progress(void *context, uint32_t index, size_t done, size_t units)
{
    struct desk *desk = context;
    assert_int_equal(index, INDEX);
    assert_int_equal(units, UNITS);
    if (desk->calls++ == 0)
        desk->first = done;
    desk->latest = done;
    if (desk->stop_at && done >= desk->stop_at)
        desk->stop = true;
}

static void desk_begin(struct desk *desk)
{
    static const struct store_options options = {.capacity = 1 << 24, .nats = {.replicas = 1}};
    char error[STORE_ERROR_MAX];
    *desk = (struct desk){0};
    assert_int_equal(store_open("memory", &options, &desk->store, error), NQ_OK);
}

static void desk_end(struct desk *desk)
{
    store_close(desk->store);
}

static enum nq_status compute(struct desk *desk, unsigned threads, size_t stop_at, nq_wide *value)
{
    desk->stop = false;
    desk->stop_at = stop_at;
    desk->calls = desk->first = desk->latest = 0;
    const struct compute compute = {
        .threads = threads, .store = desk->store, .stop = &desk->stop, .progress = progress, .context = desk};
    return compute_term(&compute, sequence_find("A319283"), INDEX, value);
}

static void put(struct desk *desk, enum store_kind kind, const char *key, const char *value)
{
    const struct store_fact fact = {.kind = kind, .key = key, .value = value, .size = strlen(value)};
    assert_int_equal(store_put(desk->store, &fact, 1), NQ_OK);
}

TEST(test_on_any_number_of_threads)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        SCOPED(desk, desk);
        nq_wide value = 0;
        assert_int_equal(compute(&desk, threads, 0, &value), NQ_OK);
        assert_int_equal((uint64_t)value, TERM);
        assert_int_equal(desk.first, 0);
        assert_int_equal(desk.latest, UNITS);
        assert_int_equal(desk.calls, UNITS + 1);
        assert_int_equal(store_stats(desk.store).facts, 1); /* units are no longer needed */
    }
}

TEST(test_a_term_that_is_stored_is_not_computed_again)
{
    SCOPED(desk, desk);
    nq_wide value = 0;
    assert_int_equal(compute(&desk, 1, 0, &value), NQ_OK);
    value = 0;
    assert_int_equal(compute(&desk, 1, 0, &value), NQ_OK);
    assert_int_equal((uint64_t)value, TERM);
    assert_int_equal(desk.calls, 0);
}

TEST(test_interrupted_and_continued)
{
    SCOPED(desk, desk);
    nq_wide value = 0;
    assert_int_equal(compute(&desk, 1, 7, &value), NQ_CANCELLED);
    const size_t stored = store_stats(desk.store).facts;
    assert_int_equal(stored, 7);
    assert_int_equal(compute(&desk, 2, 0, &value), NQ_OK);
    assert_int_equal((uint64_t)value, TERM);
    assert_int_equal(desk.first, stored);
    assert_int_equal(desk.calls, UNITS - stored + 1);
}

TEST(test_what_is_no_number_is_counted_again)
{
    SCOPED(desk, desk);
    nq_wide value = 0;
    put(&desk, STORE_RESULT, "sequence nodes.1 10", "a result");
    put(&desk, STORE_UNIT, "sequence nodes.1 10 unit 3", "");
    put(&desk, STORE_UNIT, "sequence nodes.1 10 unit 4", "-1");
    put(&desk, STORE_UNIT, "sequence nodes.1 10 unit 5", "1e3");
    put(&desk, STORE_UNIT, "sequence nodes.1 10 unit 6", "99999999999999999999999999999999999999999");
    put(&desk, STORE_UNIT, "sequence nodes.1 10 unit 7", "1411"); /* earlier builds stored the sum of the levels */
    put(&desk, STORE_UNIT, "sequence nodes.1 10 unit 50", "1");   /* there are fewer: it is left alone */
    assert_int_equal(compute(&desk, 1, 0, &value), NQ_OK);
    assert_int_equal((uint64_t)value, TERM);
    assert_int_equal(desk.first, 0);
    assert_int_equal(store_stats(desk.store).facts, 2);
}

TEST(test_units_of_another_revision_or_board_are_not_used)
{
    SCOPED(desk, desk);
    nq_wide value = 0;
    put(&desk, STORE_UNIT, "sequence nodes.0 10 unit 3", "1");
    put(&desk, STORE_UNIT, "sequence nodes.1 11 unit 3", "1");
    assert_int_equal(compute(&desk, 1, 0, &value), NQ_OK);
    assert_int_equal((uint64_t)value, TERM);
    assert_int_equal(desk.first, 0);
    assert_int_equal(store_stats(desk.store).facts, 3); /* nor deleted */
}

TEST(test_units_that_cannot_be_right_are_deleted)
{
    SCOPED(desk, desk);
    const struct compute compute = {.threads = 1, .store = desk.store};
    const struct sequence *sequence = sequence_find("A006717");
    nq_wide value = 0;
    put(&desk, STORE_UNIT, "sequence correlations.1 7 correlations.1 n=7 rules=toroidal-semiqueens unit 0", "12345");
    assert_int_equal(compute_term(&compute, sequence, 3, &value), NQ_INVALID);
    assert_int_equal(store_stats(desk.store).facts, 0);
    assert_int_equal(compute_term(&compute, sequence, 3, &value), NQ_OK);
    assert_int_equal((uint64_t)value, 133);
}

/* A row is computed and stored once, for all its terms; units of other widths are not used. */
TEST(test_rows)
{
    SCOPED(desk, desk);
    const struct sequence *sequence = sequence_find("A181500");
    static const uint64_t row[] = {28, 0, 0, 0, 0, 0, 12, 0};
    const struct compute compute = {.threads = 2, .store = desk.store};
    nq_wide value = 0;
    put(&desk, STORE_RESULT, "sequence torus-engaged.1 7", "28 0 0 0 0 0 12"); /* a number is missing */
    put(&desk, STORE_UNIT, "sequence torus-engaged.1 7 statistic.2 torus-engaged.1 n=7 unit 0", "1 2 3");
    for (uint32_t k = 0; k <= 7; k++) {
        assert_int_equal(compute_term(&compute, sequence, 28 + k, &value), NQ_OK);
        assert_int_equal((uint64_t)value, row[k]);
        assert_int_equal(store_stats(desk.store).facts, 1);
    }
    put(&desk, STORE_RESULT, "sequence torus-engaged.1 7", "1 2 3 4 5 6 7 8"); /* it is believed */
    assert_int_equal(compute_term(&compute, sequence, 30, &value), NQ_OK);
    assert_int_equal((uint64_t)value, 3);
}

/* Both sequences of one method have its terms in the store once. */
TEST(test_sequences_of_one_method_share_its_terms)
{
    SCOPED(desk, desk);
    const struct compute compute = {.threads = 1, .store = desk.store};
    nq_wide value = 0;
    assert_int_equal(compute_term(&compute, sequence_find("A006717"), 4, &value), NQ_OK);
    assert_int_equal((uint64_t)value, 2025);
    assert_int_equal(compute_term(&compute, sequence_find("A003111"), 4, &value), NQ_OK);
    assert_int_equal((uint64_t)value, 225);
    assert_int_equal(store_stats(desk.store).facts, 1);
}
