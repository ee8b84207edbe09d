/* test_solver_seeds.c - tests of src/solvers: the algorithms of the articles, each by its author's numbers: what it
 * lists, in the order that was printed, and what that costs by what it counts. That they do what their steps say is
 * test_solver_machines.c's. */
/* CI builds: address */
#include "solvers/solver.h"
#include "support/checked_steps.h"

enum { PLENTY = 10000000 };

/* All steps of an algorithm to its end. */
static struct checked_steps run_of(const char *name, uint32_t n)
{
    const struct machine_settings settings = {.n = n, .rule = rules[0]};
    const struct solver *solver = solver_find(name);
    assert_non_null(solver);
    assert_non_null(solver->machine);
    assert_true(n <= solver->max_n);
    struct checked_steps run = checked_steps_run(solver->machine, &settings, PLENTY);
    assert_int_equal(run.status, NQ_END);
    assert_int_equal(run.stats.solutions, run.count);
    return run;
}

/* What was found is what an article printed: a digit a column from `base` on, whatever stands between. */
static void assert_printed(const struct checked_steps *run, uint32_t n, const char *fact, char base)
{
    const json_t *lines = facts_seed(fact);
    assert_int_equal(run->count, json_array_size(lines));
    for (size_t i = 0; i < run->count; i++) {
        const char *at = json_string_value(json_array_get(lines, i));
        for (uint32_t row = 0; row < n; row++) {
            at += strspn(at, " ");
            assert_int_equal(run->solutions[i * n + row], *at++ - base);
        }
        assert_int_equal(*at, '\0');
    }
}

/* OEIS A140450: the squares looked at up to the first solution. */
TEST(test_rapella_first)
{
    static const uint32_t sizes[] = {1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const json_t *first = facts_entry("lex_first", sizes[i]);
        struct nq_cursor *cursor = NULL;
        uint32_t columns[NQ_SEARCH_MAX_N];
        uint64_t budget = UINT64_MAX;
        assert_int_equal(nq_cursor_open("rapella", sizes[i], &cursor), NQ_OK);
        assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_OK);
        for (uint32_t row = 0; row < sizes[i]; row++)
            assert_int_equal(columns[row] + 1, facts_at(json_object_get(first, "solution"), row));
        assert_int_equal(cursor_stats(cursor)->tests, facts_get(first, "tests"));
        assert_int_equal(cursor_stats(cursor)->placements, facts_get(first, "placements"));
        nq_cursor_close(cursor);
    }
}

/* Every queen but those of the last row has all squares of the next one looked at, and so has the empty board; the
 * nodes of A319283 are the queens and that. */
static void assert_looked(const struct checked_steps *run, uint32_t n)
{
    const uint64_t nodes = facts_term("backtrack_nodes", n), solutions = facts_term("all", n);
    assert_int_equal(run->stats.tests, n * (nodes - solutions));
    assert_int_equal(run->stats.placements, nodes - 1);
    assert_int_equal(run->stats.backtracks, nodes - 1);
    assert_int_equal(run->stats.rejections, run->stats.tests - run->stats.placements);
    assert_int_equal(run->stats.peak_states, 1);
    for (uint32_t depth = 1; depth <= n; depth++)
        assert_int_equal(run->stats.levels[depth], facts_at(facts_entry("backtrack_profile_rows", n), depth));
}

static void assert_plain(const char *name)
{
    for (uint32_t n = 1; n <= 8; n++) {
        ENDED_BY(checked_steps_end) struct checked_steps run = run_of(name, n);
        assert_int_equal(run.count, facts_term("all", n));
        assert_looked(&run, n);
    }
}

TEST(test_rapella_all)
{
    assert_plain("rapella");
}

/* No article, but what a lesson begins with. */
TEST(test_recursion_all)
{
    assert_plain("recursion");
}

/* Listing 1, its eights made n and its five the column after the half of an even n. Returns the pairs compared. */
static uint64_t listing_1(int n)
{
    int d[32], i = 1, j, under_attack;
    uint64_t pairs = 0;
    for (;;) {
        d[i - 1] = 1;
        for (;;) {
            under_attack = 0;
            if (i != 1) {
                for (j = 1; j < i && !under_attack; ++j, ++pairs)
                    under_attack = d[i - 1] == d[j - 1] || abs(d[i - 1] - d[j - 1]) == abs(i - j);
            } else if (d[i - 1] >= n / 2 + 1) {
                return pairs;
            }
            if (!under_attack) {
                ++i;
                if (i <= n)
                    break;
                i = n;
            }
            while (d[i - 1] >= n)
                --i;
            ++d[i - 1];
        }
    }
}

TEST(test_tkachenko_even)
{
    struct checked_steps run = run_of("tkachenko", 8);
    assert_printed(&run, 8, "tkachenko_46", '1');
    free(run.solutions);
    for (uint32_t n = 2; n <= 10; n += 2) {
        run = run_of("tkachenko", n);
        assert_int_equal(2 * run.count, facts_term("all", n));
        assert_int_equal(run.stats.tests, listing_1((int)n));
        assert_int_equal(run.stats.peak_states, 1);
        free(run.solutions);
    }
}

/* The half that distinct=mirror lists, in its order; and the article's half with those added whose first queen is in
 * the middle. */
TEST(test_tkachenko_odd)
{
    for (uint32_t n = 1; n <= 9; n += 2) {
        struct query query = {.distinct = DISTINCT_MIRROR};
        struct nq_cursor *cursor = NULL;
        uint32_t columns[NQ_SEARCH_MAX_N];
        uint64_t budget = UINT64_MAX, left = 0;
        size_t found = 0;
        ENDED_BY(checked_steps_end) struct checked_steps run = run_of("tkachenko", n);
        filter_begin(&query.filter, n);
        assert_int_equal(cursor_open(NULL, &query, &cursor), NQ_OK);
        for (; nq_cursor_next(cursor, &budget, columns) == NQ_OK; found++) {
            assert_true(found < run.count);
            assert_memory_equal(columns, run.solutions + found * n, n * sizeof *columns);
            left += columns[0] < n / 2;
        }
        assert_int_equal(found, run.count);
        assert_int_equal(2 * found, facts_term("all", n) + (n == 1)); /* the one of n = 1 is its own reflection */
        const json_t *by_column = json_object_get(json_object_get(facts_table("first_row_column_distribution"), "n"),
                                                  (const char[]){(char)('0' + n), '\0'});
        for (uint32_t column = 0; column < n / 2; column++)
            left -= facts_at(by_column, column);
        assert_int_equal(left, 0);
        nq_cursor_close(cursor);
    }
}

TEST(test_zironi)
{
    struct checked_steps run = run_of("zironi", 8);
    assert_printed(&run, 8, "zironi_12_zero_based", '0');
    free(run.solutions);
    for (uint32_t n = 1; n <= 9; n++) {
        run = run_of("zironi", n);
        assert_int_equal(run.count, facts_term("fundamental", n));
        assert_looked(&run, n);
        free(run.solutions);
    }
}

/* Every permutation is taken up once, and all its squares looked at. */
TEST(test_romani_1)
{
    const json_t *published = json_object_get(facts_seed("romani"), "alg1");
    uint64_t permutations = 1;
    for (uint32_t n = 1; n <= 8; n++) {
        const char key[] = {(char)('0' + n), '\0'};
        ENDED_BY(checked_steps_end) struct checked_steps run = run_of("romani-1", n);
        permutations *= n;
        assert_int_equal(run.count, n < 5 ? facts_term("all", n) : facts_get(published, key));
        assert_int_equal(run.stats.steps, 2 * permutations);
        assert_int_equal(run.stats.rejections, permutations - run.count);
        assert_int_equal(run.stats.tests, n * permutations);
        assert_int_equal(run.stats.peak_states, 1);
    }
}

/* Who is blamed: the first queen from above that one above attacks. */
TEST(test_romani_1_blames)
{
    static const struct {
        uint32_t after[6], row, column, by;
    } some[] = {
        {{0, 1, 2, 3, 5, 4}, 1, 1, 0},
        {{1, 3, 5, 0, 2, 4}, 5, 2, 2}, /* 1 3 5 0 4 2 */
        {{0, 2, 4, 1, 5, 3}, 3, 3, 0}, /* 0 2 4 3 1 5 */
    };
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        const struct machine_class *class = solver_find("romani-1")->machine;
        const struct machine_settings settings = {.n = 6, .rule = rules[0]};
        void *machine = NULL;
        struct step step;
        assert_int_equal(machine_open(class, &settings, &machine), NQ_OK);
        assert_int_equal(class->seek(machine, some[i].after, 6), NQ_OK);
        assert_int_equal(class->step(machine, &step), NQ_OK);
        assert_int_equal(step.kind, STEP_TAKE);
        assert_int_equal(class->step(machine, &step), NQ_OK);
        assert_int_equal(step.kind, STEP_REJECT);
        assert_int_equal(step.row, some[i].row);
        assert_int_equal(step.column, some[i].column);
        assert_int_equal(step.by, some[i].by);
        class->close(machine);
    }
}

/* What a position may be, by algorithm. A bad one leaves the machine where it was: at the beginning. */
TEST(test_positions)
{
    static const struct {
        const char *name;
        bool good;
        uint32_t n, length, prefix[9];
    } some[] = {
        {"recursion", true, 8, 0, {0}},
        {"recursion", true, 8, 1, {7}},
        {"recursion", true, 8, 8, {7, 3, 0, 2, 5, 1, 6, 4}},
        {"recursion", false, 8, 2, {0, 0}},
        {"recursion", false, 8, 2, {4, 3}},
        {"recursion", false, 8, 2, {4, 5}},
        {"recursion", false, 8, 1, {8}},
        {"recursion", false, 8, 1, {UINT32_MAX}},
        {"recursion", false, 8, 9, {0, 4, 7, 5, 2, 6, 1, 3, 0}},
        {"tkachenko", true, 8, 1, {3}},
        {"tkachenko", false, 8, 1, {4}}, /* the right half */
        {"tkachenko", true, 7, 2, {3, 1}},
        {"tkachenko", false, 7, 2, {3, 5}}, /* the middle, and right of it */
        {"tkachenko", false, 7, 2, {3, 2}}, /* an attack */
        {"tkachenko", false, 7, 1, {4}},
        {"tkachenko", true, 1, 1, {0}},
        {"tkachenko", false, 8, 1, {UINT32_MAX}},
        {"tkachenko", false, 8, 9, {0, 4, 7, 5, 2, 6, 1, 3, 0}},
        {"zironi", true, 8, 1, {7}},
        {"zironi", true, 8, 8, {7, 3, 0, 2, 5, 1, 6, 4}}, /* not new */
        {"zironi", false, 8, 2, {0, 0}},
        {"zironi", false, 8, 2, {4, 3}},
        {"zironi", false, 8, 2, {4, 5}},
        {"zironi", false, 8, 1, {8}},
        {"zironi", false, 8, 9, {0, 4, 7, 5, 2, 6, 1, 3, 0}},
        {"romani-1", true, 4, 4, {3, 2, 1, 0}},
        {"romani-1", true, 4, 0, {0}},
        {"romani-1", false, 4, 3, {3, 1, 0}},
        {"romani-1", false, 4, 4, {3, 1, 0, 3}},
        {"romani-1", false, 4, 4, {3, 1, 0, 4}},
        {"romani-1", false, 4, 4, {3, 1, 0, UINT32_MAX}},
        {"romani-1", false, 4, 5, {3, 1, 0, 2, 0}},
    };
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        const struct machine_class *class = solver_find(some[i].name)->machine;
        const struct machine_settings settings = {.n = some[i].n, .rule = rules[0]};
        void *machine = NULL, *fresh = NULL;
        uint32_t columns[NQ_SEARCH_MAX_N], begun[NQ_SEARCH_MAX_N];
        assert_int_equal(machine_open(class, &settings, &machine), NQ_OK);
        assert_int_equal(machine_open(class, &settings, &fresh), NQ_OK);
        const enum nq_status status = class->seek(machine, some[i].prefix, some[i].length);
        assert_int_equal(status, some[i].good ? NQ_OK : NQ_INVALID);
        class->board(machine, columns);
        class->board(fresh, begun);
        if (!some[i].good) {
            struct step next, first;
            assert_memory_equal(columns, begun, some[i].n * sizeof *columns);
            assert_int_equal(class->step(machine, &next), class->step(fresh, &first));
            assert_true(next.kind == first.kind && next.row == first.row && next.column == first.column);
        }
        class->close(machine);
        class->close(fresh);
    }
}
