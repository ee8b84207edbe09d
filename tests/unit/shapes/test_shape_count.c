/* test_shape_count.c - tests of src/shapes/shape_count.c: published boards, and random ones against the recursion over
 * squares of support/plain_shapes.h. */
/* CI builds: address thread */
#include <math.h>

#include "base/parallel.h"
#include "support/plain_shapes.h"
#include "support/sanitizer.h"
#include "support/stop_latency.h"

/* shape_count.c itself, whose units are looked into. */
#include "shapes/shape_count.c"

enum { MOST = 64 };

/* All units of a plan, one after the other. */
static void add_units(const struct shape_plan *plan, nq_wide *profile)
{
    uint64_t nodes = 0;
    for (size_t unit = 0; unit < shape_plan_units(plan); unit++) {
        assert_true(shape_plan_weight(plan, unit) > 0);
        assert_int_equal(shape_plan_count(plan, unit, NULL, profile, &nodes), NQ_OK);
    }
}

static void count(const struct shape *shape, unsigned group, double split_weight, nq_wide profile[static MOST + 1])
{
    struct shape_plan *plan;
    assert_int_equal(shape_plan_open(shape, group, split_weight, INFINITY, NULL, &plan), NQ_OK);
    assert_true(shape_plan_top(plan) <= MOST);
    memset(profile, 0, (MOST + 1) * sizeof *profile);
    add_units(plan, profile);
    for (uint32_t queens = 0; queens <= MOST; queens++) {
        assert_true(profile[queens] % shape_plan_divisor(plan) == 0);
        profile[queens] /= shape_plan_divisor(plan);
    }
    shape_plan_close(plan);
}

/* A shape's profile, by number of queens, and that of the first of each class. Returns how many placements there are.
 */
static size_t compare(const struct shape *shape)
{
    SCOPED(plain_shapes, plain, shape);
    const unsigned groups[] = {1, shape_symmetries(shape) & 0x11, shape_symmetries(shape)};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        nq_wide found[MOST + 1], expected[MOST + 1] = {0};
        if (i && groups[i] == groups[i - 1])
            continue;
        for (size_t at = 0; at < plain.count; at++)
            expected[__builtin_popcountll(plain.placements[at])] +=
                plain_shapes_first(&plain, groups[i], plain.placements[at]);
        for (int split = 0; split < 2; split++) {
            count(shape, groups[i], split ? 3 : 0, found);
            assert_memory_equal(found, expected, sizeof found);
        }
    }
    return plain.count;
}

TEST(test_published)
{
    if (THREAD_SANITIZED) /* it is of one thread */
        skip();
    const json_t *by_queens;
    struct shape shape;
    size_t boards = 0;
    for (; plain_shapes_published(boards, &shape, &by_queens); boards++) {
        nq_wide found[MOST + 1], one[MOST + 1];
        const size_t most = json_array_size(by_queens);
        count(&shape, 1, 0, found);
        for (uint32_t queens = 0; queens <= MOST; queens++) {
            assert_true(found[queens] == (queens < most ? facts_at(by_queens, queens) : 0));
            shape.least = shape.most = queens;
            count(&shape, 1, 100, one);
            for (uint32_t other = 0; other <= MOST; other++)
                assert_true(one[other] == (other == queens ? found[queens] : 0));
        }
    }
    assert_int_equal(boards, 46);
}

TEST(test_published_classes)
{
    const json_t *by_queens;
    struct shape shape;
    for (size_t i = 0; plain_shapes_published(i, &shape, &by_queens); i++)
        if (!SANITIZED || shape.rows * shape.columns < 50) /* three of them have 100 000 placements and more */
            (void)compare(&shape);
}

TEST(test_random)
{
    uint64_t dice = 45;
    uint32_t several = 0;
    const uint32_t rounds = THREAD_SANITIZED ? 50 : 500;
    for (uint32_t round = 0; round < rounds; round++) {
        struct shape shape;
        plain_shapes_random(&dice, 7, &shape);
        several += compare(&shape) > 8;
    }
    assert_true(several > rounds / 3);
}

static void sequence(const char *name, uint32_t first, uint32_t last, uint32_t queens)
{
    json_t *file = json_load_file("tests/data/shapes.json", 0, NULL);
    const json_t *terms = json_object_get(json_object_get(file, name), "terms");
    assert_non_null(terms);
    for (uint32_t n = first; n <= last; n++) {
        struct shape shape;
        nq_wide profile[MOST + 1], all = 0;
        shape_begin(&shape, n, n);
        if (queens)
            shape.least = shape.most = queens;
        else
            shape.maximal = true;
        count(&shape, 1, 0, profile);
        for (uint32_t k = 0; k <= n; k++)
            all += profile[k];
        assert_true(all == facts_at(terms, n - first));
    }
    json_decref(file);
}

TEST(test_eight_queens)
{
    sequence("A252593", 8, SANITIZED ? 10 : 12, 8);
}

TEST(test_maximal)
{
    sequence("A146303", 1, SANITIZED ? 8 : 10, 0);
}

/* Two and three queens, whose numbers are polynomials (OEIS A036464, A047659), on rows up to the length of a mask;
 * test_stop has one as long under a sanitizer, where its eight million pairs of squares take seconds. */
TEST(test_large)
{
    for (uint32_t n = 1; n <= (SANITIZED ? 43 : 64); n += SANITIZED ? 21 : 7) {
        struct shape shape;
        nq_wide profile[MOST + 1];
        const int64_t m = n;
        const int64_t even = m * (m - 2) * (m - 2) * (2 * m * m * m - 12 * m * m + 23 * m - 10) / 12;
        const int64_t odd = (m - 1) * (m - 3) * (2 * m * m * m * m - 12 * m * m * m + 25 * m * m - 14 * m + 1) / 12;
        shape_begin(&shape, n, n);
        shape.most = 3;
        count(&shape, 1, 0, profile);
        assert_true(profile[2] == (nq_wide)(m * (m - 1) * (m - 2) * (3 * m - 1) / 6));
        assert_true(profile[3] == (nq_wide)(n % 2 ? odd : even));
    }
}

static struct shape square(uint32_t n)
{
    struct shape shape;
    shape_begin(&shape, n, n);
    return shape;
}

/* The same units again, of about the weight that was asked for. */
TEST(test_units)
{
    const struct shape shape = square(10);
    struct shape_plan *a, *b;
    assert_int_equal(shape_plan_open(&shape, 1, 1000, INFINITY, NULL, &a), NQ_OK);
    assert_int_equal(shape_plan_open(&shape, 1, 1000, INFINITY, NULL, &b), NQ_OK);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->units, b->units, a->count * sizeof *a->units);
    assert_in_range(a->count, 100, 5000);
    double weight = 0;
    uint64_t all = 0, largest = 0;
    nq_wide profile[11] = {0};
    for (size_t unit = 0; unit < a->count; unit++) {
        uint64_t nodes = 0;
        weight += shape_plan_weight(a, unit);
        assert_int_equal(shape_plan_count(a, unit, NULL, profile, &nodes), NQ_OK);
        largest = nodes > largest ? nodes : largest;
        all += nodes;
    }
    assert_in_range(all / weight * 100, 50, 200);
    assert_in_range(largest, 500, 10000);
    shape_plan_close(a);
    shape_plan_close(b);
    assert_int_equal(shape_plan_open(&shape, 1, 0, 0, NULL, &a), NQ_OK);
    assert_int_equal(a->count, 51);
    for (size_t unit = 0; unit < a->count; unit++)
        weight -= shape_plan_weight(a, unit);
    assert_true(fabs(weight) < 2 * (double)all);
    shape_plan_close(a);
}

/* The mean of descents is within four standard errors of the count; one that has no choice is the count. */
TEST(test_samples)
{
    enum { SAMPLES = 4000 };
    uint64_t dice = 48;
    uint32_t spread = 0;
    for (uint32_t round = 0; round < 60; round++) {
        struct shape shape;
        struct shape_plan *plan;
        double sum = 0, squares = 0;
        plain_shapes_random(&dice, 6, &shape);
        SCOPED(plain_shapes, plain, &shape);
        assert_int_equal(shape_plan_open(&shape, 1, 0, 0, NULL, &plan), NQ_OK);
        for (uint64_t walk = 0; walk < SAMPLES; walk++) {
            const double value = shape_plan_sample(plan, round, walk);
            sum += value;
            squares += value * value;
        }
        const double mean = sum / SAMPLES, error = sqrt((squares / SAMPLES - mean * mean) / SAMPLES);
        assert_close(mean, (double)plain.count, 4 * error + 1e-9 * mean);
        spread += error > 0;
        shape_plan_close(plan);
    }
    assert_true(spread > 20);
}

struct shared {
    struct shape_plan *plan;
    atomic_size_t next;
    pthread_mutex_t lock;
    nq_wide profile[MOST + 1];
};

static void take_units(void *context)
{
    struct shared *shared = context;
    nq_wide profile[MOST + 1] = {0};
    uint64_t nodes = 0;
    for (size_t unit; (unit = atomic_fetch_add(&shared->next, 1)) < shape_plan_units(shared->plan);)
        assert_int_equal(shape_plan_count(shared->plan, unit, NULL, profile, &nodes), NQ_OK);
    pthread_mutex_lock(&shared->lock);
    for (uint32_t queens = 0; queens <= MOST; queens++)
        shared->profile[queens] += profile[queens];
    pthread_mutex_unlock(&shared->lock);
}

TEST(test_threads)
{
    const struct shape shape = square(8);
    struct shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    nq_wide alone[MOST + 1];
    count(&shape, 1, 0, alone);
    assert_int_equal(shape_plan_open(&shape, 1, 500, INFINITY, NULL, &shared.plan), NQ_OK);
    parallel_run(4, take_units, &shared);
    assert_memory_equal(shared.profile, alone, sizeof alone);
    shape_plan_close(shared.plan);
}

static enum nq_status count_heaviest(void *context, const atomic_bool *stop)
{
    const struct shape_plan *plan = context;
    nq_wide *profile = calloc(shape_plan_top(plan) + 1, sizeof *profile);
    uint64_t nodes = 0;
    size_t heaviest = 0;
    for (size_t unit = 0; unit < plan->count; unit++)
        if (plan->units[unit].weight > plan->units[heaviest].weight)
            heaviest = unit;
    const enum nq_status status = shape_plan_count(plan, heaviest, stop, profile, &nodes);
    free(profile);
    return status;
}

static enum nq_status prepare(void *context, const atomic_bool *stop)
{
    struct shape_plan *plan;
    return shape_plan_open(context, 1, 1, INFINITY, stop, &plan);
}

/* Of all queens, of a few on a large board, whose pairs take longest, and of maximal placements. */
TEST(test_stop)
{
    struct shape shapes[3] = {square(20), square(64), square(20)};
    shapes[1].least = shapes[1].most = 8;
    shapes[2].maximal = true;
    for (size_t i = 0; i < 3; i++) {
        struct shape_plan *plan;
        assert_int_equal(shape_plan_open(&shapes[i], 1, 0, 0, NULL, &plan), NQ_OK);
        stop_latency_check(count_heaviest, plan, 30, SANITIZED ? 1000 : 100);
        stop_latency_check(prepare, &shapes[i], 30, SANITIZED ? 1000 : 100);
        shape_plan_close(plan);
    }
}
