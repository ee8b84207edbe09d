/* test_small_index.c - tests of src/engine/run/small_index.c: it draws the solution of the rank that the seed gives,
 * every one as often as any other, with any kernel. */
/* CI builds: address */
#include "engine/run/small_index.h"

#include "support/facts.h"

enum { SOLUTIONS = 92, OFTEN = 100 };

/* Opens it, and makes it until it is made or stopped. */
static enum nq_status make(struct small_index *small_index, uint32_t n, const char *kernel, const atomic_bool *stop)
{
    enum nq_status status;
    *small_index = (struct small_index){0};
    assert_int_equal(small_index_open(small_index, rules[0], n, kernel_find(kernel)), NQ_OK);
    while ((status = small_index_make(small_index, stop)) == NQ_AGAIN) {
    }
    return status;
}

static void draw(const struct small_index *small_index, uint64_t seed, uint32_t *columns)
{
    struct random random = random_begin(seed, 0);
    assert_int_equal(small_index_draw(small_index, &random, NULL, columns), NQ_OK);
}

TEST(test_ranks)
{
    for (uint32_t n = 0; n <= 9; n++) {
        size_t count;
        uint32_t *list = facts_solutions(n, &count), columns[16];
        ENDED_BY(small_index_close) struct small_index small_index;
        struct random any = random_begin(0, 0);
        assert_int_equal(make(&small_index, n, "auto", NULL), NQ_OK);
        assert_true(small_index.made);
        assert_int_equal(small_index_make(&small_index, NULL), NQ_OK); /* for ever */
        assert_int_equal(small_index_draw(&small_index, &any, NULL, columns), count ? NQ_OK : NQ_NONE);
        for (uint64_t seed = 0; seed < 50 && count; seed++) {
            struct random random = random_begin(seed << 45 | seed, 0);
            const uint64_t rank = random_below_wide(&random, count);
            draw(&small_index, seed << 45 | seed, columns);
            assert_memory_equal(columns, list + rank * n, n * sizeof *columns);
        }
        free(list);
    }
}

/* Of so many seeds: the sum of squares is what chance makes it, neither more nor, as a mere turn would, less. */
TEST(test_even)
{
    size_t count, times[SOLUTIONS] = {0};
    uint32_t *list = facts_solutions(8, &count), columns[8];
    struct small_index small_index;
    assert_int_equal(count, SOLUTIONS);
    assert_int_equal(make(&small_index, 8, "auto", NULL), NQ_OK);
    for (uint64_t seed = 0; seed < SOLUTIONS * OFTEN; seed++) {
        size_t rank = 0;
        draw(&small_index, seed, columns);
        while (rank < count && memcmp(columns, list + rank * 8, sizeof columns) != 0)
            rank++;
        assert_true(rank < count);
        times[rank]++;
    }
    small_index_close(&small_index);
    double chi = 0;
    for (size_t i = 0; i < SOLUTIONS; i++)
        chi += ((double)times[i] - OFTEN) * ((double)times[i] - OFTEN) / OFTEN;
    assert_true(chi > 91 - 4 * 13.5 && chi < 91 + 4 * 13.5); /* 91 degrees of freedom, deviation sqrt(182) */
    free(list);
}

TEST(test_kernels)
{
    for (uint32_t n = 10; n <= SMALL_INDEX_MAX_N; n++) {
        ENDED_BY(small_index_close) struct small_index scalar, other;
        assert_int_equal(make(&scalar, n, "scalar", NULL), NQ_OK);
        assert_int_equal(make(&other, n, "auto", NULL), NQ_OK);
        for (uint64_t seed = 0; seed < 3; seed++) {
            uint32_t expected[SMALL_INDEX_MAX_N], columns[SMALL_INDEX_MAX_N];
            draw(&scalar, seed, expected);
            draw(&other, seed, columns);
            assert_true(facts_peaceful(n, expected));
            assert_memory_equal(columns, expected, n * sizeof *columns);
        }
    }
}

TEST(test_stop)
{
    const atomic_bool stop = true;
    struct small_index small_index;
    assert_int_equal(make(&small_index, 14, "auto", &stop), NQ_CANCELLED);
    small_index_close(&small_index); /* half made */
}
