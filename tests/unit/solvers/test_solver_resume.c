/* test_solver_resume.c - tests of src/solvers: a list cut after any number of placements and gone on with by another
 * cursor is still the same list. This is what pages, streams and tokens rest on. */
/* CI builds: plain address */
#include <nqueens.h>

#include "solvers/solver.h"
#include "support/cursor_walk.h"

/* More calls than any walk here needs: a walk that does not end is a failure, not a hang. */
enum { MAX_CALLS = 1000000 };

static const uint32_t budgets[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 20, 50, 100, 1000};
enum { BUDGETS = sizeof budgets / sizeof *budgets };

static struct nq_cursor *open_at(const struct solver *solver, uint32_t n, const struct position *position)
{
    struct nq_cursor *cursor = NULL;
    assert_int_equal(nq_cursor_open(solver->name, n, &cursor), NQ_OK);
    assert_int_equal(nq_cursor_seek(cursor, position->prefix, position->length), NQ_OK);
    return cursor;
}

static bool gained(const struct solver *solver, const struct position *before, const struct position *after)
{
    return position_gained(strcmp(solver->order, "lexicographic") == 0, before, after);
}

/* The list in one go, count times n columns. */
static uint32_t *whole_list(const struct solver *solver, uint32_t n, size_t *count)
{
    size_t expected = facts_term("all", n);
    uint32_t *list = calloc((expected + 1) * (n + 1), sizeof *list);
    struct nq_cursor *cursor = open_at(solver, n, &(struct position){0});
    uint64_t plenty = UINT64_MAX;
    assert_non_null(list);
    for (*count = 0; nq_cursor_next(cursor, &plenty, list + *count * n) == NQ_OK;)
        assert_true(++*count <= expected);
    assert_int_equal(*count, expected);
    nq_cursor_close(cursor);
    return list;
}

/* Walks the list with a budget for each call, drawn from the dice up to a most if there are dice. After every call a
 * fresh cursor takes over, or after none. */
static void check_walk(const struct solver *solver, uint32_t n, uint32_t most, uint64_t *dice, bool fresh)
{
    size_t count, found = 0, calls = 0;
    uint32_t *list = whole_list(solver, n, &count), columns[NQ_SEARCH_MAX_N];
    struct position before = {0};
    struct nq_cursor *cursor = open_at(solver, n, &before);
    enum nq_status status;
    do {
        uint64_t budget = dice ? 1 + facts_below(dice, most) : most, left = budget;
        assert_true(++calls < MAX_CALLS);
        status = nq_cursor_next(cursor, &left, columns);
        assert_true(left <= budget);
        struct position after = position_of(cursor);
        if (status == NQ_OK) {
            assert_true(found < count);
            assert_memory_equal(columns, list + found++ * n, n * sizeof *columns);
            assert_int_equal(after.length, n);
            assert_memory_equal(after.prefix, columns, n * sizeof *columns);
        } else if (status == NQ_AGAIN) {
            assert_int_equal(left, 0);
        }
        if (status != NQ_END && !gained(solver, &before, &after))
            fail_msg("%s, n=%u, budget %u: no ground gained after %zu calls", solver->name, n, most, calls);
        before = after;
        if (fresh) {
            nq_cursor_close(cursor);
            cursor = open_at(solver, n, &before);
        }
    } while (status == NQ_OK || status == NQ_AGAIN);
    assert_int_equal(status, NQ_END);
    assert_int_equal(found, count);
    nq_cursor_close(cursor);
    free(list);
}

TEST(test_fresh_cursors)
{
    for (const struct solver *const *at = NULL; (at = walker_next(at));)
        for (uint32_t n = 1; n <= 8; n++)
            for (size_t i = 0; i < BUDGETS; i++)
                check_walk(*at, n, budgets[i], NULL, true);
}

TEST(test_one_cursor)
{
    for (const struct solver *const *at = NULL; (at = walker_next(at));)
        for (uint32_t n = 1; n <= 8; n++)
            for (size_t i = 0; i < BUDGETS; i++)
                check_walk(*at, n, budgets[i], NULL, false);
}

TEST(test_random_budgets)
{
    uint64_t dice = 1;
    for (const struct solver *const *at = NULL; (at = walker_next(at));)
        for (uint32_t n = 9; n <= 11; n++)
            for (uint32_t most = 2; most <= 512; most *= 16)
                check_walk(*at, n, most, &dice, true);
}

/* What all calls together try is what one long call tries; a call spends its budget, and overdraws it by n at most. */
TEST(test_budget_is_spent)
{
    enum { N = 20 };
    const uint64_t placements = facts_get(facts_entry("lex_first", N), "placements");
    for (size_t i = 0; i < BUDGETS; i++) {
        struct nq_cursor *cursor = NULL;
        uint32_t columns[N];
        uint64_t again = 0, left = budgets[i];
        assert_int_equal(nq_cursor_open("bitboard", N, &cursor), NQ_OK);
        for (; nq_cursor_next(cursor, &left, columns) != NQ_OK; left = budgets[i])
            assert_true(++again < MAX_CALLS);
        nq_cursor_close(cursor);
        assert_true(again * budgets[i] + (budgets[i] - left) <= placements);
        assert_true((again + 1) * (budgets[i] + N) >= placements);
    }
}

/* On the largest boards no solution is near; still each call leaves a placement another cursor can start from. */
TEST(test_far_from_any_solution)
{
    for (const struct solver *const *at = NULL; (at = walker_next(at));)
        for (uint32_t n = (*at)->max_n - 4; n <= (*at)->max_n; n++) {
            struct position before = {0};
            for (int call = 0; call < 200; call++) {
                struct nq_cursor *cursor = open_at(*at, n, &before);
                uint32_t columns[NQ_SEARCH_MAX_N];
                uint64_t budget = 1 + (uint64_t)call % 50;
                enum nq_status status = nq_cursor_next(cursor, &budget, columns);
                assert_true(status == NQ_AGAIN || status == NQ_OK);
                struct position after = position_of(cursor);
                assert_true(gained(*at, &before, &after));
                assert_true(facts_peaceful(after.length, after.prefix));
                before = after;
                nq_cursor_close(cursor);
            }
        }
}
