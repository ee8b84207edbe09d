/* test_solvers.c - tests of src/solvers: what every enumerator lists, in which order and at what cost, and where a
 * cursor may be put. That a list may be cut anywhere and gone on with is test_resume.c's. */
/* CI builds: plain address */
#include <nqueens.h>

#include "solvers/solver.h"
#include "support/cursor_walk.h"
#include "support/facts.h"
#include "support/sanitizer.h"

enum { MAX_N = SANITIZED ? 12 : 14 };

/* Those that are there for teaching take ten times as long. */
enum { MACHINE_N = 10 };

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

/* All solutions of every n, valid, each once, and increasing if the solver says so. */
static void check_list(const struct solver *solver, uint32_t n)
{
    size_t count, found = 0;
    uint32_t *expected = facts_solutions(n, &count), *list = calloc(count + 2, sizeof *list * (n + 1));
    struct nq_cursor *cursor = open_cursor(solver, n);
    assert_non_null(list);
    assert_int_equal(count, facts_term("all", n));
    for (uint32_t *columns = list; next(cursor, columns) == NQ_OK; columns += n) {
        bool valid = false;
        assert_true(++found <= count);
        assert_int_equal(nq_verify(n, columns, &valid), NQ_OK);
        assert_true(valid);
        if (lexicographic(solver) && columns > list)
            assert_true(facts_compare(columns - n, columns, &n) < 0);
    }
    assert_int_equal(found, count);
    for (int again = 0; again < 3; again++) /* the end is the end */
        assert_int_equal(next(cursor, list + count * n), NQ_END);
    qsort_r(list, count, sizeof *list * n, facts_compare, &n);
    if (count)
        assert_memory_equal(list, expected, count * n * sizeof *list);
    nq_cursor_close(cursor);
    free(expected);
    free(list);
}

TEST(test_lists)
{
    for (const struct solver *const *at = NULL; (at = walker_next(at));)
        for (uint32_t n = 0; n <= (*at == solvers[0] ? MAX_N : MACHINE_N); n++)
            check_list(*at, n);
}

/* The published first solutions; up to n = 20, after exactly the published number of placements by plain backtracking.
 */
TEST(test_first_solutions)
{
    int checked = 0;
    for (uint32_t n = 1; n <= 29; n++) {
        const json_t *first = facts_entry("lex_first", n);
        if (!first)
            continue;
        for (const struct solver *const *at = NULL; (at = walker_next(at));) {
            uint32_t columns[NQ_SEARCH_MAX_N];
            uint64_t budget = UINT64_MAX;
            if (!lexicographic(*at) || (*at != solvers[0] && n > 19))
                continue;
            struct nq_cursor *cursor = open_cursor(*at, n);
            assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_OK);
            for (uint32_t row = 0; row < n; row++)
                assert_int_equal(columns[row] + 1, facts_at(json_object_get(first, "solution"), row));
            if (strcmp((*at)->name, "bitboard") == 0 && n <= 20)
                assert_int_equal(UINT64_MAX - budget, facts_get(first, "placements"));
            nq_cursor_close(cursor);
            checked++;
        }
    }
    assert_true(checked >= 26);
}

/* A319283 counts the nodes of the search tree, so the placements and the empty board above them. */
TEST(test_placements_of_the_whole_search)
{
    for (uint32_t n = 1; n <= 13; n++) {
        struct nq_cursor *cursor = NULL;
        uint32_t columns[NQ_SEARCH_MAX_N];
        uint64_t budget = UINT64_MAX, by_depth = 0;
        assert_int_equal(nq_cursor_open("bitboard", n, &cursor), NQ_OK);
        while (nq_cursor_next(cursor, &budget, columns) == NQ_OK)
            ;
        nq_cursor_close(cursor);
        assert_int_equal(UINT64_MAX - budget, facts_term("backtrack_nodes", n) - 1);
        for (uint32_t depth = 1; depth <= n; depth++)
            by_depth += facts_at(facts_entry("backtrack_profile_rows", n), depth);
        assert_int_equal(UINT64_MAX - budget, by_depth);
    }
}

TEST(test_seek_every_solution)
{
    enum { N = 8 };
    for (const struct solver *const *at = NULL; (at = walker_next(at));) {
        uint32_t list[100][N], columns[N], position[N];
        size_t count = 0;
        struct nq_cursor *lister = open_cursor(*at, N), *cursor = open_cursor(*at, N);
        while (next(lister, list[count]) == NQ_OK)
            assert_true(++count < 100);
        assert_int_equal(count, facts_term("all", N));
        for (size_t step = 0; step < count; step++) {
            size_t i = step * 37 % count; /* to and fro, each once */
            assert_int_equal(nq_cursor_seek(cursor, list[i], N), NQ_OK);
            assert_int_equal(nq_cursor_position(cursor, position), N);
            assert_memory_equal(position, list[i], sizeof position);
            assert_int_equal(next(cursor, columns), i + 1 < count ? NQ_OK : NQ_END);
            if (i + 1 < count)
                assert_memory_equal(columns, list[i + 1], sizeof columns);
        }
        assert_int_equal(nq_cursor_seek(cursor, NULL, 0), NQ_OK); /* back to the very beginning */
        assert_int_equal(nq_cursor_position(cursor, position), 0);
        assert_int_equal(next(cursor, columns), NQ_OK);
        assert_memory_equal(columns, list[0], sizeof columns);
        nq_cursor_close(lister);
        nq_cursor_close(cursor);
    }
}

/* A cursor walks from where it was put: it must list, in order, the solutions that come after every one that begins
 * with the prefix. */
static void check_tail(struct nq_cursor *cursor, uint32_t n, const uint32_t *list, size_t count, const uint32_t *prefix,
                       uint32_t length)
{
    uint32_t columns[NQ_SEARCH_MAX_N];
    assert_int_equal(nq_cursor_position(cursor, columns), length);
    if (length)
        assert_memory_equal(columns, prefix, length * sizeof *prefix);
    size_t i = 0;
    while (length && i < count && facts_compare(list + i * n, prefix, &length) <= 0)
        i++;
    for (; i < count; i++) {
        assert_int_equal(next(cursor, columns), NQ_OK);
        assert_memory_equal(columns, list + i * n, n * sizeof *columns);
    }
    assert_int_equal(next(cursor, columns), NQ_END);
}

/* All solutions of a size. */
struct all {
    uint32_t n, *list;
    size_t count;
};

/* Every prefix of every length, a column off the board included: what a search could have placed is accepted, as often
 * as published for each depth; anything else leaves the cursor alone. */
static void seek_below(const struct solver *solver, const struct all *all, uint32_t *prefix, uint32_t length,
                       uint64_t *accepted)
{
    const uint32_t n = all->n;
    struct nq_cursor *cursor = open_cursor(solver, n);
    assert_int_equal(nq_cursor_seek(cursor, prefix, length), NQ_OK);
    accepted[length]++;
    for (prefix[length] = 0; length < n && prefix[length] <= n; prefix[length]++) {
        if (prefix[length] < n && facts_peaceful(length + 1, prefix))
            seek_below(solver, all, prefix, length + 1, accepted);
        else
            assert_int_equal(nq_cursor_seek(cursor, prefix, length + 1), NQ_INVALID);
    }
    check_tail(cursor, n, all->list, all->count, prefix, length);
    nq_cursor_close(cursor);
}

TEST(test_seek_every_prefix)
{
    for (const struct solver *const *at = NULL; (at = walker_next(at));)
        for (uint32_t n = 1; n <= 7 && lexicographic(*at); n++) {
            struct all all = {.n = n};
            uint32_t prefix[NQ_SEARCH_MAX_N];
            uint64_t accepted[NQ_SEARCH_MAX_N + 1] = {0};
            all.list = facts_solutions(n, &all.count);
            seek_below(*at, &all, prefix, 0, accepted);
            for (uint32_t length = 0; length <= n; length++)
                assert_int_equal(accepted[length], facts_at(facts_entry("backtrack_profile_rows", n), length));
            free(all.list);
        }
}

TEST(test_seek_random_prefixes)
{
    uint64_t dice = 1;
    for (const struct solver *const *at = NULL; (at = walker_next(at));) {
        const uint32_t n = 10;
        size_t count;
        uint32_t *list = facts_solutions(n, &count), prefix[NQ_SEARCH_MAX_N];
        struct nq_cursor *cursor = open_cursor(*at, n);
        for (int round = 0; round < 200 && lexicographic(*at); round++) {
            uint32_t length = 0, wanted = facts_below(&dice, n + 1);
            for (int tries = 0; tries < 100 && length < wanted; tries++) {
                prefix[length] = facts_below(&dice, n);
                length += facts_peaceful(length + 1, prefix);
            }
            assert_int_equal(nq_cursor_seek(cursor, prefix, length), NQ_OK);
            check_tail(cursor, n, list, count, prefix, length);
        }
        nq_cursor_close(cursor);
        free(list);
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
        struct nq_cursor *walker = open_cursor(*at, N), *disturbed = open_cursor(*at, N);
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
        nq_cursor_close(walker);
        nq_cursor_close(disturbed);
    }
}

/* Boards without rows, without solutions, and as large as they may be. */
TEST(test_smallest_boards)
{
    for (const struct solver *const *at = NULL; (at = walker_next(at));)
        for (uint32_t n = 0; n <= 3; n++) {
            uint32_t columns[NQ_SEARCH_MAX_N] = {7, 7, 7, 7};
            struct nq_cursor *cursor = open_cursor(*at, n);
            for (int twice = 0; twice < 2; twice++) {
                assert_int_equal(nq_cursor_position(cursor, columns), 0);
                assert_int_equal(next(cursor, columns), n < 2 ? NQ_OK : NQ_END);
                assert_int_equal(columns[0], n == 1 ? 0 : 7);
                assert_int_equal(next(cursor, columns), NQ_END);
                assert_int_equal(nq_cursor_seek(cursor, columns, n + 1), NQ_INVALID);
                assert_int_equal(nq_cursor_seek(cursor, columns, 0), NQ_OK);
            }
            nq_cursor_close(cursor);
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
        struct nq_cursor *cursor = open_cursor(*at, N);
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
        nq_cursor_close(cursor);
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
