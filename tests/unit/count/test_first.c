/* test_first.c - tests of first_find() of src/count/known.c: the published ones are solutions, and a search of all
 * squares in their order comes to them first. NQ_LONG: all of them, two minutes. */
/* CI builds: address */
#include <nqueens.h>
#include <stdlib.h>

#include "count/known.h"
#include "support/facts.h"

/* In placements of the search: n = 36 takes the most, 6e9. */
#define ENOUGH (UINT64_C(1) << 34)

TEST(published_first_solutions_are_solutions)
{
    uint32_t columns[FIRST_MOST_N];
    for (uint32_t n = FIRST_LEAST_N; n <= FIRST_MOST_N; n++) {
        assert_int_equal(first_find(n, columns), n != 40);
        assert_true(n == 40 || facts_peaceful(n, columns));
    }
    assert_false(first_find(FIRST_LEAST_N - 1, columns));
    assert_false(first_find(FIRST_MOST_N + 1, columns));
    assert_false(first_find(0, columns));
}

TEST(a_search_comes_to_published_first_solutions_first)
{
    static const uint32_t soon[] = {29}, late[] = {30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 41};
    const size_t soon_count = sizeof soon / sizeof soon[0], late_count = sizeof late / sizeof late[0];
    const size_t count = soon_count + (getenv("NQ_LONG") ? late_count : 0);
    for (size_t i = 0; i < count; i++) {
        const uint32_t n = i < soon_count ? soon[i] : late[i - soon_count];
        uint32_t known[FIRST_MOST_N], found[FIRST_MOST_N];
        struct nq_cursor *cursor;
        uint64_t budget = ENOUGH;
        assert_true(first_find(n, known));
        assert_int_equal(nq_cursor_open("bitboard", n, &cursor), NQ_OK);
        enum nq_status status = NQ_AGAIN;
        while (status == NQ_AGAIN && budget)
            status = nq_cursor_next(cursor, &budget, found);
        nq_cursor_close(cursor);
        assert_int_equal(status, NQ_OK);
        assert_memory_equal(found, known, n * sizeof *known);
    }
}
