/* test_solvers.c - tests of src/solvers: what the first solutions cost every enumerator, and where a cursor may be put.
 * What they list, and that a list may be cut anywhere, is for test_solver_machines.c and test_solvers_query.c. */
/* CI builds: address */
#include <nqueens.h>

#include "solvers/solver.h"
#include "support/cursor_walk.h"
#include "support/sifted_solutions.h"

static struct nq_cursor *open_cursor(const struct solver *solver, uint32_t n)
{
    struct nq_cursor *cursor = NULL;
    assert_int_equal(nq_cursor_open(solver->name, n, &cursor), NQ_OK);
    assert_non_null(cursor);
    return cursor;
}

static enum nq_status next(struct nq_cursor *cursor, uint32_t *columns)
{
    uint64_t plenty = UINT64_MAX;
    return nq_cursor_next(cursor, &plenty, columns);
}

static bool lexicographic(const struct solver *solver)
{
    return strcmp(solver->order, "lexicographic") == 0;
}

/* The published first solutions, after exactly the published number of placements by plain backtracking. */
TEST(test_first_solutions)
{
    int checked = 0;
    for (uint32_t n = 1; n <= 20; n++) {
        const json_t *first = facts_entry("lex_first", n);
        if (!first)
            continue;
        for (const struct solver *const *at = NULL; (at = walker_next(at));) {
            uint32_t columns[NQ_SEARCH_MAX_N];
            uint64_t budget = UINT64_MAX;
            if (!lexicographic(*at) || (*at != solvers[0] && n > 14))
                continue;
            struct nq_cursor *cursor = open_cursor(*at, n);
            assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_OK);
            for (uint32_t row = 0; row < n; row++)
                assert_int_equal(columns[row] + 1, facts_at(json_object_get(first, "solution"), row));
            if (strcmp((*at)->name, "bitboard") == 0)
                assert_int_equal(UINT64_MAX - budget, facts_get(first, "placements"));
            nq_cursor_close(cursor);
            checked++;
        }
    }
    assert_true(checked >= 20);
}

static bool stands(const struct query *query, uint32_t length, const uint32_t *prefix)
{
    (void)query;
    return facts_peaceful(length, prefix);
}

/* What a search could have placed is accepted, as often as published for each depth. */
TEST(test_seek_every_prefix)
{
    for (const struct solver *const *at = NULL; (at = walker_next(at));)
        for (uint32_t n = 1; n <= 6 && lexicographic(*at); n++) {
            const struct query query = sift_whole(n, DISTINCT_ALL, SYMMETRY_ANY);
            struct sift all = sift_all(n);
            uint64_t accepted[NQ_SEARCH_MAX_N + 1] = {0};
            walk_seek_check(&(struct cursor_settings){.algorithm = (*at)->name}, &query, all.solutions, all.count,
                            stands, accepted);
            for (uint32_t length = 0; length <= n; length++)
                assert_int_equal(accepted[length], facts_at(facts_entry("backtrack_profile_rows", n), length));
            free(all.solutions);
        }
}

/* Each between two steps of a walk, which must not notice. */
TEST(test_bad_seeks)
{
    static const struct {
        uint32_t length, prefix[10];
    } bad[] = {
        {9, {0, 4, 7, 5, 2, 6, 1, 3, 0}},
        {10, {0, 4, 7, 5, 2, 6, 1, 3, 0, 1}},
        {UINT32_MAX, {0}},
        {65, {0}},
        {1, {8}},
        {1, {63}},
        {1, {64}},
        {1, {72}},
        {1, {256}},
        {1, {UINT32_MAX}},
        {2, {0, 0}},
        {2, {0, 1}},
        {2, {7, 6}},
        {2, {0, 8}},
        {3, {0, 4, 4}},
        {3, {3, 0, 5}},
        {3, {5, 0, 3}},
        {8, {0, 4, 7, 5, 2, 6, 1, 1}},
        {8, {0, 1, 2, 3, 4, 5, 6, 7}},
        {8, {0, 4, 7, 5, 2, 6, 1, 8}},
    };
    enum { N = 8 };
    for (const struct solver *const *at = NULL; (at = walker_next(at));) {
        OWNED(nq_cursor_close) struct nq_cursor *walker = open_cursor(*at, N), *disturbed = open_cursor(*at, N);
        uint32_t expected[N], columns[N];
        enum nq_status status = NQ_OK;
        for (size_t i = 0; status == NQ_OK; i++) {
            size_t k = i % (sizeof bad / sizeof *bad);
            assert_int_equal(nq_cursor_seek(disturbed, bad[k].prefix, bad[k].length), NQ_INVALID);
            assert_int_equal(nq_cursor_position(disturbed, columns), nq_cursor_position(walker, expected));
            status = next(walker, expected);
            assert_int_equal(next(disturbed, columns), status);
            if (status == NQ_OK)
                assert_memory_equal(columns, expected, sizeof columns);
        }
    }
}

/* Boards without rows, without solutions, and as large as they may be. */
TEST(test_smallest_boards)
{
    for (const struct solver *const *at = NULL; (at = walker_next(at));)
        for (uint32_t n = 0; n <= 3; n++) {
            uint32_t columns[NQ_SEARCH_MAX_N] = {7, 7, 7, 7};
            OWNED(nq_cursor_close) struct nq_cursor *cursor = open_cursor(*at, n);
            for (int twice = 0; twice < 2; twice++) {
                assert_int_equal(nq_cursor_position(cursor, columns), 0);
                assert_int_equal(next(cursor, columns), n < 2 ? NQ_OK : NQ_END);
                assert_int_equal(columns[0], n == 1 ? 0 : 7);
                assert_int_equal(next(cursor, columns), NQ_END);
                assert_int_equal(nq_cursor_seek(cursor, columns, n + 1), NQ_INVALID);
                assert_int_equal(nq_cursor_seek(cursor, columns, 0), NQ_OK);
            }
        }
}

TEST(test_largest_board)
{
    enum { N = NQ_SEARCH_MAX_N };
    uint32_t stairs[N + 1] = {0}, columns[N], attacked[2] = {N - 1, N - 2}, corner[2] = {N - 1, N};
    for (uint32_t row = 0; row < N; row++)
        stairs[row] = row < N / 2 ? 2 * row + 1 : 2 * row - N;
    assert_true(facts_peaceful(N, stairs));
    for (const struct solver *const *at = NULL; (at = walker_next(at));) {
        if ((*at)->max_n < N)
            continue;
        OWNED(nq_cursor_close) struct nq_cursor *cursor = open_cursor(*at, N);
        uint64_t budget = 1000;
        assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_AGAIN);
        assert_int_equal(budget, 0);
        assert_int_equal(nq_cursor_seek(cursor, stairs, N), NQ_OK);
        assert_int_equal(nq_cursor_position(cursor, columns), N);
        assert_memory_equal(columns, stairs, sizeof columns);
        assert_int_equal(nq_cursor_seek(cursor, stairs, N + 1), NQ_INVALID);
        assert_int_equal(nq_cursor_seek(cursor, attacked, 2), NQ_INVALID);
        assert_int_equal(nq_cursor_seek(cursor, corner, 2), NQ_INVALID);
        assert_int_equal(nq_cursor_seek(cursor, corner, 1), NQ_OK);
        if (lexicographic(*at)) /* nothing comes after the last column of row 0 */
            assert_int_equal(next(cursor, columns), NQ_END);
    }
}

/* What all calls together try is what one long call tries; a call spends its budget, and overdraws it by n at most. */
TEST(test_budget_is_spent)
{
    enum { N = 20, MAX_CALLS = 1000000 };
    static const uint32_t budgets[] = {1, 7, 1000};
    const uint64_t placements = facts_get(facts_entry("lex_first", N), "placements");
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
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
        for (uint32_t n = (*at)->max_n - 3; n <= (*at)->max_n; n += 3) {
            struct position before = {0};
            for (int call = 0; call < 30; call++) {
                OWNED(nq_cursor_close) struct nq_cursor *cursor = open_cursor(*at, n);
                uint32_t columns[NQ_SEARCH_MAX_N];
                uint64_t budget = 1 + (uint64_t)call % 50;
                assert_int_equal(nq_cursor_seek(cursor, before.prefix, before.length), NQ_OK);
                enum nq_status status = nq_cursor_next(cursor, &budget, columns);
                assert_true(status == NQ_AGAIN || status == NQ_OK);
                struct position after = position_of(cursor);
                assert_true(position_gained(lexicographic(*at), &before, &after));
                assert_true(facts_peaceful(after.length, after.prefix));
                before = after;
            }
        }
}

TEST(test_open)
{
    struct nq_cursor *cursor = NULL;
    for (const struct solver *const *at = solvers; *at; at++) {
        assert_in_range((*at)->max_n, 8, 1000);
        assert_int_equal(nq_cursor_open((*at)->name, (*at)->max_n + 1, &cursor), NQ_LIMIT);
        assert_int_equal(nq_cursor_open((*at)->name, 1001, &cursor), NQ_LIMIT);
        assert_int_equal(nq_cursor_open((*at)->name, UINT32_MAX, &cursor), NQ_LIMIT);
        cursor = open_cursor(*at, (*at)->max_n);
        assert_string_equal(nq_cursor_order(cursor), (*at)->order);
        nq_cursor_close(cursor);
    }
    static const char *const unknown[] = {"", "BITBOARD", "bitboar", "bitboard "};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(nq_cursor_open(unknown[i], 8, &cursor), NQ_INVALID);
    assert_string_equal(solvers[0]->name, "bitboard");
    assert_int_equal(nq_cursor_open(NULL, 8, &cursor), NQ_OK);
    assert_string_equal(nq_cursor_order(cursor), "lexicographic");
    nq_cursor_close(cursor);
    nq_cursor_close(NULL);
}
