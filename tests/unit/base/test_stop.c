/* test_stop.c - preparing, weighing, drawing and checking heed the stop flag in the middle, not only between one
 * step and the next: whoever looks at the flag there is never busy for long without a look. */
/* CI builds: address */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants the ones above before it */
#include <cmocka.h>

#include "board/conflicts.h"
#include "board/symmetry.h"
#include "count/counting.h"
#include "count/deduction.h"
#include "count/index.h"
#include "formats/format.h"
#include "kernels/kernel.h"
#include "rules/rule.h"
#include "support/sifted_solutions.h"

static const atomic_bool set = true;

TEST(test_pictures)
{
    static const char *const names[] = {"svg", "png"};
    uint32_t columns[8] = {0, 4, 7, 5, 2, 6, 1, 3};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct painted_board board = {.n = 8, .base = 1, .columns = columns};
        ENDED_BY(bytes_free) struct bytes whole = {0}, cut = {0};
        assert_int_equal(format_find(names[i])->paint(&whole, &board, NULL), NQ_OK);
        assert_int_equal(format_find(names[i])->paint(&cut, &board, &set), NQ_CANCELLED);
        assert_true(cut.size < whole.size);
    }
}

/* In whichever step it is. */
TEST(test_conflicts)
{
    enum { N = 100 };
    struct queen queens[N];
    for (uint32_t i = 0; i < N; i++)
        queens[i] = (struct queen){N - 1 - i, i};
    enum nq_status status = NQ_AGAIN;
    for (unsigned before = 0; status == NQ_AGAIN; before++) {
        ENDED_BY(conflicts_close) struct conflicts conflicts;
        assert_int_equal(conflicts_open(&conflicts, rules[0], N, queens, N), NQ_OK);
        for (unsigned step = 0; step < before; step++)
            status = conflicts_step(&conflicts, NULL);
        if (status == NQ_AGAIN)
            assert_int_equal(conflicts_step(&conflicts, &set), NQ_CANCELLED);
        else
            assert_true(before > 5);
    }
    assert_int_equal(status, NQ_OK);
}

TEST(test_symmetry)
{
    const uint32_t columns[4] = {1, 3, 0, 2};
    assert_int_equal(symmetry_of(4, columns, NULL), NQ_SYMMETRY_QUARTER);
    assert_int_equal(symmetry_of(4, columns, &set), NQ_SYMMETRY_NONE);
}

TEST(test_deduction)
{
    OWNED(free) struct deduction *deduction = malloc(sizeof *deduction);
    uint64_t budget = UINT64_MAX;
    assert_non_null(deduction);
    deduction_begin(deduction, FILTER_MAX_N, rules[0]);
    assert_int_equal(deduction_next(deduction, &budget, &set), NQ_CANCELLED);
}

TEST(test_counting)
{
    struct query query = sift_whole(12, DISTINCT_ALL, SYMMETRY_ANY);
    struct counting *counting;
    query.by_square = true;
    assert_int_equal(counting_open(&query, &set, &counting), NQ_CANCELLED);
    query.by_square = false;
    assert_int_equal(counting_open(&query, NULL, &counting), NQ_OK);
    assert_true(counting_cost(counting, NULL, 1, &set).placements < counting_cost(counting, NULL, 1, NULL).placements);
    counting_close(counting);
    for (const struct method *const *at = methods; *at; at++) {
        struct filter filter = query.filter;
        if ((*at)->suits && !(*at)->suits(&filter))
            filter.rule = sift_rule("superqueens"); /* some methods are only for another rule than queens */
        assert_true((*at)->cost(&filter, 1, &set) <= (*at)->cost(&filter, 1, NULL));
    }
}

TEST(test_index)
{
    struct query query = sift_whole(INDEX_MAX_N, DISTINCT_ALL, SYMMETRY_ANY);
    struct index *index;
    assert_int_equal(index_open(&query, &set, &index), NQ_CANCELLED);
    assert_int_equal(index_open(&query, NULL, &index), NQ_OK);
    assert_true(index_memory(index, &set) < index_memory(index, NULL));
    assert_true(index_weight(index, 0, &set) < index_weight(index, 0, NULL));
    index_close(index);
}
