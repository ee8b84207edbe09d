/* test_engine_drawing.c - tests of src/engine/drawing.c: it draws the solution of the rank that the seed gives, every
 * one as often as any other, whatever kernel counts. */
#include "engine/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "facts.h"

enum { SOLUTIONS = 92, OFTEN = 100 };

static void draw(uint32_t n, uint64_t seed, const struct kernel *kernel, uint32_t *columns)
{
    struct drawing *drawing;
    enum nq_status status;
    assert_int_equal(drawing_open(n, seed, kernel, &drawing), NQ_OK);
    while ((status = drawing_work(drawing, NULL)) == NQ_AGAIN) {
    }
    assert_int_equal(status, NQ_OK);
    assert_int_equal(drawing_work(drawing, NULL), NQ_OK); /* for ever */
    drawing_rows(drawing, 0, n, columns);
    drawing_close(drawing);
}

static void test_ranks(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= 9; n++) {
        size_t count;
        uint32_t *list = facts_solutions(n, &count), columns[16];
        for (uint64_t seed = 0; seed < 50 && count; seed++) {
            struct random random = random_begin(seed << 45 | seed, 0);
            const uint64_t rank = random_below_wide(&random, count);
            draw(n, seed << 45 | seed, kernel_find("auto"), columns);
            assert_memory_equal(columns, list + rank * n, n * sizeof *columns);
        }
        free(list);
    }
}

/* Of so many seeds: the sum of squares is what chance makes it, neither more nor, as a mere turn would, less. */
static void test_even(void **state)
{
    (void)state;
    size_t count, times[SOLUTIONS] = {0};
    uint32_t *list = facts_solutions(8, &count), columns[8];
    assert_int_equal(count, SOLUTIONS);
    for (uint64_t seed = 0; seed < SOLUTIONS * OFTEN; seed++) {
        size_t rank = 0;
        draw(8, seed, kernel_find("auto"), columns);
        while (rank < count && memcmp(columns, list + rank * 8, sizeof columns) != 0)
            rank++;
        assert_true(rank < count);
        times[rank]++;
    }
    double chi = 0;
    for (size_t i = 0; i < SOLUTIONS; i++)
        chi += ((double)times[i] - OFTEN) * ((double)times[i] - OFTEN) / OFTEN;
    assert_true(chi > 91 - 4 * 13.5 && chi < 91 + 4 * 13.5); /* 91 degrees of freedom, deviation sqrt(182) */
    free(list);
}

static void test_kernels(void **state)
{
    (void)state;
    for (uint32_t n = 10; n <= DRAWING_MAX_N; n++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            uint32_t expected[DRAWING_MAX_N], columns[DRAWING_MAX_N];
            draw(n, seed, kernel_find("scalar"), expected);
            draw(n, seed, kernel_find("auto"), columns);
            assert_true(facts_peaceful(n, expected));
            assert_memory_equal(columns, expected, n * sizeof *columns);
        }
}

static void test_stop(void **state)
{
    (void)state;
    const atomic_bool stop = true;
    struct drawing *drawing;
    enum nq_status status;
    assert_int_equal(drawing_open(14, 1, kernel_find("auto"), &drawing), NQ_OK);
    while ((status = drawing_work(drawing, &stop)) == NQ_AGAIN) {
    }
    assert_int_equal(status, NQ_CANCELLED);
    drawing_close(drawing); /* half done */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests_name("drawing", tests, NULL, NULL);
}
