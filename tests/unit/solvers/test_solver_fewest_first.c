/* test_solver_fewest_first.c - tests of src/solvers: the search that lists solutions of large boards at once lists each
 * solution of a query once, in whatever order, and goes on from every position. */
/* CI builds: address */
#include "support/sanitizer.h"
#include "support/sifted_solutions.h"

#include "solvers/solver.h"

enum { MAX_CALLS = 1000000, LARGEST = NQ_LIST_MAX_N };

static const struct cursor_settings settings = {.algorithm = "fewest-first"};

struct walk {
    const struct query *query;
    uint32_t n, length, position[LARGEST], columns[LARGEST];
    struct nq_cursor *cursor;
};

static void walk_begin(struct walk *walk, const struct query *query)
{
    *walk = (struct walk){.query = query, .n = query->filter.n};
    assert_int_equal(cursor_open(&settings, query, &walk->cursor), NQ_OK);
}

static void walk_end(struct walk *walk)
{
    nq_cursor_close(walk->cursor);
}

/* One call, which must gain ground; then a fresh cursor takes over. */
static enum nq_status walk_on(struct walk *walk, uint64_t budget)
{
    uint32_t position[LARGEST];
    const enum nq_status status = nq_cursor_next(walk->cursor, &budget, walk->columns);
    const uint32_t length = nq_cursor_position(walk->cursor, position);
    if (status == NQ_END || walk->n == 0)
        return status;
    assert_true(length != walk->length || memcmp(position, walk->position, length * sizeof *position) != 0);
    if (status == NQ_OK)
        assert_memory_equal(position, walk->columns, length * sizeof *position);
    else
        assert_int_equal(budget, 0);
    memcpy(walk->position, position, length * sizeof *position);
    walk->length = length;
    nq_cursor_close(walk->cursor);
    assert_int_equal(cursor_open(&settings, walk->query, &walk->cursor), NQ_OK);
    assert_int_equal(nq_cursor_seek(walk->cursor, position, length), NQ_OK);
    return status;
}

/* The least image under a group of symmetries. */
static void least_image(unsigned group, uint32_t n, uint32_t *columns)
{
    uint32_t image[LARGEST], given[LARGEST];
    memcpy(given, columns, n * sizeof *columns);
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
        if (!(group >> symmetry & 1))
            continue;
        nq_transform(symmetry, n, given, image);
        for (uint32_t row = 0; row < n && image[row] <= columns[row]; row++)
            if (image[row] < columns[row])
                memcpy(columns, image, n * sizeof *columns);
    }
}

static size_t place_of(const struct sift *in, const uint32_t *columns)
{
    size_t at = 0;
    while (at < in->count && memcmp(in->solutions + at * in->n, columns, in->n * sizeof *columns) != 0)
        at++;
    return at;
}

/* Every class of the solutions of a query is listed once, whatever the budgets are. */
static void check_query(const struct query *query, const struct sift *all, uint64_t budget)
{
    const unsigned group = sift_group(query);
    size_t expected = 0, found = 0;
    OWNED(free) bool *seen = calloc(all->count + 1, sizeof *seen);
    SCOPED(walk, walk, query);
    enum nq_status status;
    for (size_t i = 0; i < all->count; i++)
        expected += sift_least(query, group, all->solutions + i * all->n);
    for (size_t calls = 0; (status = walk_on(&walk, budget)) != NQ_END; calls++) {
        assert_true(calls < MAX_CALLS);
        if (status != NQ_OK)
            continue;
        assert_true(sift_wanted(query, walk.columns));
        least_image(group, all->n, walk.columns);
        const size_t at = place_of(all, walk.columns);
        assert_true(at < all->count && !seen[at]);
        seen[at] = true;
        found++;
        if (all->n == 0)
            break;
    }
    assert_int_equal(found, expected);
}

static void check_any(const struct query *query, const struct sift *all, uint64_t *dice)
{
    const uint64_t budgets[] = {UINT64_MAX, 0, 300, facts_below(dice, 500)};
    check_query(query, all, budgets[facts_below(dice, sizeof budgets / sizeof budgets[0])]);
}

TEST(test_all_kinds)
{
    sift_each(&(struct sift_sweep){.most = 8, .rounds = SANITIZED ? 5 : 16, .symmetries = SYMMETRY_QUARTER}, check_any);
}

/* ---- More than one wave ---- */

/* A few squares of each row: those of the stairs, and some more. */
static void roll_sparse(uint64_t *dice, uint32_t n, struct filter *filter)
{
    *filter = (struct filter){.n = n, .rule = rules[0]};
    for (uint32_t row = 0; row < n; row++) {
        filter->allow[row] |= UINT64_C(1) << (row < n / 2 ? 2 * row + 1 : 2 * row - n / 2 * 2);
        for (int more = 0; more < 5; more++)
            filter->allow[row] |= UINT64_C(1) << facts_below(dice, n);
    }
}

/* Boards so large that the first wave leaves squares out, and so sparse that all solutions can be listed. */
TEST(test_waves)
{
    uint64_t dice = 5;
    size_t solutions = 0;
    for (uint32_t round = 0; round < (10); round++) {
        struct query query = {.distinct = DISTINCT_ALL};
        roll_sparse(&dice, 20 + 2 * (round % 6), &query.filter);
        struct sift all = sift_listed(NULL, &query);
        check_query(&query, &all, round % 3 ? UINT64_MAX : 1000 * (uint64_t)facts_below(&dice, 10));
        solutions += all.count;
        free(all.solutions);
    }
    assert_in_range(solutions, 10, 100000);
}

/* So few squares that a wave often leaves out something above its last solution and nothing after it: who goes on from
 * there has to begin the next wave all the same. */
TEST(test_waves_after_their_last_solution)
{
    uint64_t dice = 7;
    size_t solutions = 0;
    for (uint32_t round = 0; round < (SANITIZED ? 30 : 100); round++) {
        const uint32_t n = 20 + 2 * facts_below(&dice, 6);
        struct query query = {.filter = {.n = n, .rule = rules[0]}};
        uint32_t stairs[FILTER_MAX_N], image[FILTER_MAX_N];
        for (uint32_t row = 0; row < n; row++)
            stairs[row] = row < n / 2 ? 2 * row + 1 : 2 * row - n / 2 * 2;
        for (int images = 0; images < 3; images++) {
            nq_transform(facts_below(&dice, NQ_SYMMETRIES), n, stairs, image);
            for (uint32_t row = 0; row < n; row++)
                query.filter.allow[row] |= UINT64_C(1) << image[row] | UINT64_C(1) << facts_below(&dice, n);
        }
        struct sift all = sift_listed(NULL, &query);
        check_query(&query, &all, UINT64_MAX);
        solutions += all.count;
        free(all.solutions);
    }
    assert_true(solutions > 0);
}

/* ---- Large boards ---- */

/* Five solutions at once, page by page: a page has at most four. */
static void check_large(const struct query *query)
{
    SCOPED(walk, walk, query);
    for (int found = 0, calls = 0; found < 5; calls++) {
        bool valid = false;
        assert_true(calls < 400);
        if (walk_on(&walk, 1 << 20) != NQ_OK)
            continue;
        assert_int_equal(nq_verify(walk.n, walk.columns, &valid), NQ_OK);
        assert_true(valid && query_permits(query, walk.columns));
        if (query->symmetry != SYMMETRY_ANY)
            assert_true(nq_symmetry(walk.n, walk.columns) >= (enum nq_symmetry)query->symmetry);
        found++;
    }
}

TEST(test_large_boards)
{
    for (uint32_t n = 10; n <= LARGEST; n += (LARGEST - 10) / 2)
        for (int symmetry = SYMMETRY_ANY; symmetry <= SYMMETRY_QUARTER; symmetry++) {
            struct query query = {.filter = {.n = n, .rule = rules[0]}, .symmetry = (enum query_symmetry)symmetry};
            if (n <= FILTER_MAX_N)
                filter_begin(&query.filter, n);
            if (symmetry != SYMMETRY_QUARTER || (n % 4 <= 1 && n > 13))
                check_large(&query);
        }
    check_large(&(struct query){.filter = {.n = LARGEST, .rule = rules[0]}, .distinct = DISTINCT_FUNDAMENTAL});
}

/* No orbits of four squares fill such a board. */
TEST(test_no_quarter)
{
    uint32_t columns[LARGEST];
    uint64_t budget = 0;
    for (uint32_t n = 66; n <= LARGEST; n += n % 4 == 2 ? 1 : 99) {
        const struct query query = {.filter = {.n = n, .rule = rules[0]}, .symmetry = SYMMETRY_QUARTER};
        struct nq_cursor *cursor;
        assert_int_equal(cursor_open(&settings, &query, &cursor), NQ_OK);
        assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_END);
        nq_cursor_close(cursor);
    }
}

/* The queens of a solution, but for some rows; and squares of it excluded. All other completions are found. */
TEST(test_marks)
{
    enum { N = 70, LEFT = 14 };
    const struct query whole = {.filter = {.n = N, .rule = rules[0]}};
    SCOPED(walk, walk, &whole);
    assert_int_equal(walk_on(&walk, UINT64_MAX), NQ_OK);
    uint32_t one[N];
    memcpy(one, walk.columns, sizeof one);
    struct param_square place[N], exclude[1] = {{1, (uint16_t)(one[0] + 1)}};
    struct query query = {.filter = {.n = N, .rule = rules[0]},
                          .marks = {.base = 1, .place = place, .exclude = exclude}};
    for (uint32_t row = LEFT; row < N; row++)
        place[query.marks.placed++] = (struct param_square){(uint16_t)(row + 1), (uint16_t)(one[row] + 1)};
    size_t found[2] = {0};
    bool again = false;
    for (query.marks.excluded = 0; query.marks.excluded < 2; query.marks.excluded++) {
        SCOPED(walk, completions, &query);
        while (walk_on(&completions, UINT64_MAX) == NQ_OK) {
            assert_true(facts_peaceful(N, completions.columns) && query_permits(&query, completions.columns));
            assert_memory_equal(completions.columns + LEFT, one + LEFT, (N - LEFT) * sizeof *one);
            again |= completions.columns[0] == one[0] && !query.marks.excluded &&
                     memcmp(completions.columns, one, sizeof one) == 0;
            found[query.marks.excluded]++;
        }
    }
    assert_true(again && found[1] < found[0]);
}

TEST(test_seek)
{
    enum { N = 100 };
    const struct query query = {.filter = {.n = N, .rule = rules[0]}};
    SCOPED(walk, walk, &query);
    assert_int_equal(walk_on(&walk, UINT64_MAX), NQ_OK);
    uint32_t forged[N + 1] = {0}, one[N];
    memcpy(one, walk.columns, sizeof one);
    assert_int_equal(nq_cursor_seek(walk.cursor, forged, N + 1), NQ_INVALID);
    assert_int_equal(nq_cursor_seek(walk.cursor, forged, N), NQ_INVALID);
    forged[3] = N;
    assert_int_equal(nq_cursor_seek(walk.cursor, forged, 4), NQ_INVALID);
    uint64_t dice = 6;
    for (int round = 0; round < 100; round++) {
        const uint32_t length = facts_below(&dice, N);
        for (uint32_t i = 0; i < length; i++)
            forged[i] = facts_below(&dice, i ? N : 3);
        uint64_t budget = 1 << 18;
        assert_int_equal(nq_cursor_seek(walk.cursor, forged, length), NQ_OK);
        const enum nq_status status = nq_cursor_next(walk.cursor, &budget, walk.columns);
        if (status == NQ_OK)
            assert_true(facts_peaceful(N, walk.columns));
    }
    assert_true(cursor_stats(walk.cursor)->tests > 0);
    assert_int_equal(nq_cursor_seek(walk.cursor, one, N), NQ_OK);
    assert_int_equal(walk_on(&walk, UINT64_MAX), NQ_OK);
    assert_memory_not_equal(walk.columns, one, sizeof one);
}
