/* test_comparison.c - tests of src/solvers: what the algorithms that are there for comparison do on the way to their
 * solutions. That their steps are what they say, and which solutions they list, is test_solver_machines.c's. */
/* CI builds: address */
#include "solvers/solver.h"
#include "support/checked_steps.h"

enum { MAX_N = 8 };

static struct checked_steps run(const char *algorithm, uint32_t n, uint64_t seed, uint64_t most)
{
    const struct machine_settings settings = {.n = n, .rule = rules[0], .seed = seed};
    const struct solver *solver = solver_find(algorithm);
    assert_non_null(solver);
    return checked_steps_run(solver->machine, &settings, most);
}

/* The published columns, counted from 1. */
static void assert_solution(const uint32_t *columns, uint32_t n, const json_t *expected)
{
    for (uint32_t row = 0; row < n; row++)
        assert_int_equal(columns[row] + 1, facts_at(expected, row));
}

/* ---- bitboard ---- */

TEST(test_bitboard_first_solution)
{
    uint32_t checked = 0;
    for (uint32_t n = 1; n <= 14; n++) {
        const json_t *first = facts_entry("lex_first", n);
        if (!first)
            continue;
        const uint64_t placements = facts_get(first, "placements"), removals = placements - n;
        struct checked_steps done = run("bitboard", n, 0, placements + removals + 1);
        assert_int_equal(done.count, 1); /* by the very last of these steps */
        assert_int_equal(done.first.steps, placements + removals + 1);
        assert_int_equal(done.first.placements, placements);
        assert_int_equal(done.first.tests, placements);
        assert_int_equal(done.first.backtracks, removals);
        assert_int_equal(done.first.rejections, 0);
        assert_solution(done.solutions, n, json_object_get(first, "solution"));
        free(done.solutions);
        checked++;
    }
    assert_true(checked >= 10);
}

/* A319283 counts the empty board too. */
TEST(test_bitboard_whole_search)
{
    for (uint32_t n = 1; n <= MAX_N; n++) {
        ENDED_BY(checked_steps_end) struct checked_steps done = run("bitboard", n, 0, UINT64_MAX);
        assert_int_equal(done.stats.placements, facts_term("backtrack_nodes", n) - 1);
        assert_int_equal(done.stats.tests, done.stats.placements);
        assert_int_equal(done.stats.backtracks, done.stats.placements);
        assert_int_equal(done.stats.peak_states, 1);
        for (uint32_t depth = 1; depth <= n; depth++)
            assert_int_equal(done.stats.levels[depth], facts_at(facts_entry("backtrack_profile_rows", n), depth));
    }
}

/* ---- dancing-links ---- */

/* What Knuth's own programs count and print. */
TEST(test_dancing_links_as_knuth)
{
    for (uint32_t n = 1; n <= MAX_N; n++) {
        const json_t *entry = facts_entry("dance", n), *profile = json_object_get(entry, "profile");
        ENDED_BY(checked_steps_end) struct checked_steps done = run("dancing-links", n, 0, UINT64_MAX);
        assert_int_equal(done.stats.tests, facts_get(entry, "updates"));
        assert_int_equal(done.stats.rejections, 0);
        for (uint32_t depth = 1; depth <= n; depth++)
            assert_int_equal(done.stats.levels[depth], depth < json_array_size(profile) ? facts_at(profile, depth) : 0);
        if (done.count)
            assert_solution(done.solutions, n, json_object_get(entry, "first"));
    }
}

/* ---- mrv ---- */

/* The same search in the slow way: every square of every row is looked at anew. */
struct plain {
    uint32_t n, board[NQ_SEARCH_MAX_N];
    uint64_t placements, looked;
    size_t found;
    const struct checked_steps *done;
};

static uint32_t plain_free(const struct plain *plain, uint32_t row, bool *free_columns)
{
    uint32_t count = 0;
    for (uint32_t column = 0; column < plain->n; column++) {
        free_columns[column] = true;
        for (uint32_t by = 0; by < plain->n; by++)
            if (plain->board[by] != NOWHERE && nq_attack(by, plain->board[by], row, column))
                free_columns[column] = false;
        count += free_columns[column];
    }
    return count;
}

static void plain_search(struct plain *plain, uint32_t depth)
{
    bool squares[NQ_SEARCH_MAX_N];
    uint32_t best = NOWHERE, fewest = NOWHERE;
    if (depth == plain->n) {
        assert_true(plain->found < plain->done->count);
        assert_memory_equal(plain->done->solutions + plain->found++ * plain->n, plain->board,
                            plain->n * sizeof *plain->board);
        return;
    }
    for (uint32_t row = 0; row < plain->n && fewest; row++) {
        if (plain->board[row] != NOWHERE)
            continue;
        const uint32_t count = plain_free(plain, row, squares);
        plain->looked++;
        if (count < fewest) {
            fewest = count;
            best = row;
        }
    }
    (void)plain_free(plain, best, squares);
    for (uint32_t column = 0; column < plain->n; column++)
        if (squares[column]) {
            plain->placements++;
            plain->board[best] = column;
            plain_search(plain, depth + 1);
            plain->board[best] = NOWHERE;
        }
}

TEST(test_mrv_as_it_is_told)
{
    for (uint32_t n = 1; n <= 8; n++) {
        ENDED_BY(checked_steps_end) struct checked_steps done = run("mrv", n, 0, UINT64_MAX);
        struct plain plain = {.n = n, .done = &done};
        memset(plain.board, 0xff, sizeof plain.board); /* NOWHERE */
        plain_search(&plain, 0);
        assert_int_equal(plain.found, done.count);
        assert_int_equal(plain.placements, done.stats.placements);
        assert_int_equal(plain.looked, done.stats.tests);
        assert_int_equal(done.stats.backtracks, done.stats.placements);
        assert_int_equal(done.stats.rejections, 0);
    }
}

/* ---- Both ---- */

/* On large boards, what looks for the narrowest place first has the first solution after fewer placements than plain
 * search, and within FEW steps, where that takes up to a billion; and the whole search is smaller too. */
TEST(test_fewest_first_pays)
{
    static const char *const names[] = {"mrv", "dancing-links"};
    enum { FEW = 1000 };
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint32_t checked = 0;
        for (uint32_t n = 20; n <= 36; n++) {
            const json_t *first = facts_entry("lex_first", n);
            ENDED_BY(checked_steps_end) struct checked_steps done = run(names[i], n, 0, FEW);
            assert_true(done.count > 0);
            if (first) {
                assert_true(done.first.placements < facts_get(first, "placements"));
                checked++;
            }
        }
        assert_true(checked >= 16);
        for (uint32_t n = 6; n <= 8; n++) {
            ENDED_BY(checked_steps_end) struct checked_steps done = run(names[i], n, 0, UINT64_MAX);
            assert_true(done.stats.placements < facts_term("backtrack_nodes", n) - 1);
        }
    }
}

/* ---- min-conflicts ---- */

static uint32_t attackers(const uint32_t *board, uint32_t rows, uint32_t row, uint32_t column)
{
    uint32_t count = 0;
    for (uint32_t by = 0; by < rows; by++)
        count += by != row && nq_attack(by, board[by], row, column);
    return count;
}

/* Whether no square of the row but one is attacked by fewer. */
static bool fewest(const uint32_t *board, uint32_t n, uint32_t rows, uint32_t row, uint32_t but)
{
    for (uint32_t column = 0; column < n; column++)
        if (column != but && attackers(board, rows, row, column) < attackers(board, rows, row, board[row]))
            return false;
    return true;
}

static int64_t pairs(const uint32_t *board, uint32_t n)
{
    int64_t count = 0;
    for (uint32_t row = 1; row < n; row++)
        count += attackers(board, row, row, board[row]);
    return count;
}

static void check_repair(const struct step *step, uint32_t n, const uint32_t *before, const uint32_t *after)
{
    assert_true(step->has_energy);
    assert_int_equal(step->energy, pairs(after, n));
    assert_int_equal(step->kind == STEP_SOLUTION, pairs(before, n) == 0);
    assert_int_equal(step->tests, step->kind == STEP_TAKE ? n * n : step->kind == STEP_MOVE ? n + n - 1 : 0);
    if (step->kind == STEP_TAKE)
        for (uint32_t row = 0; row < n; row++)
            assert_true(fewest(after, n, row, row, NOWHERE));
    if (step->kind == STEP_MOVE) {
        assert_true(attackers(before, n, step->row, before[step->row]) > 0);
        assert_true(fewest(after, n, n, step->row, before[step->row]));
    }
}

/* Runs it, each step looked at, with another one of the same seed beside it. Returns how often it began. */
static uint32_t watch(uint32_t n, uint64_t seed, uint64_t *moves_a_start)
{
    const struct machine_class *class = solver_find("min-conflicts")->machine;
    const struct machine_settings settings = {.n = n, .rule = rules[0], .seed = seed};
    uint32_t before[NQ_SEARCH_MAX_N] = {0}, after[NQ_SEARCH_MAX_N] = {0}, starts = 0; /* before: all in one column */
    uint64_t moves = 0;
    void *machine, *twin;
    struct step step, same;
    enum nq_status status;
    assert_int_equal(machine_open(class, &settings, &machine), NQ_OK);
    assert_int_equal(machine_open(class, &settings, &twin), NQ_OK);
    while ((status = class->step(machine, &step)) == NQ_OK) {
        assert_int_equal(class->step(twin, &same), NQ_OK);
        assert_true(step.kind == same.kind && step.row == same.row && step.column == same.column);
        assert_true(step.energy == same.energy && step.tests == same.tests);
        class->board(machine, after);
        check_repair(&step, n, before, after);
        class->board(twin, before);
        assert_memory_equal(before, after, n * sizeof *after);
        if (step.kind == STEP_TAKE && starts++) {
            assert_true(*moves_a_start == 0 || *moves_a_start == moves); /* patience is the same each time */
            *moves_a_start = moves;
        }
        moves = step.kind == STEP_MOVE ? moves + 1 : 0;
    }
    assert_int_equal(status, NQ_END);
    assert_int_equal(class->step(twin, &same), NQ_END);
    class->close(machine);
    class->close(twin);
    return starts;
}

TEST(test_min_conflicts_repairs)
{
    uint32_t again = 0;
    for (uint32_t n = 4; n <= 40; n += n < 12 ? 1 : 14) {
        uint64_t patience = 0;
        for (uint64_t seed = 0; seed < 20; seed++)
            again += watch(n, seed, &patience) > 1;
        assert_true(patience <= (uint64_t)16 * n);
    }
    assert_true(again >= 10); /* small boards have few solutions among many traps */
}

TEST(test_min_conflicts_finds)
{
    static const uint64_t seeds[] = {0, 1, 2, 12345, UINT32_MAX, (UINT64_C(1) << 53) - 1};
    (void)state;
    for (uint32_t n = 4; n <= NQ_SEARCH_MAX_N; n++)
        for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
            ENDED_BY(checked_steps_end) struct checked_steps done = run("min-conflicts", n, seeds[i], 100000);
            assert_int_equal(done.status, NQ_END);
            assert_int_equal(done.count, 1);
            assert_int_equal(done.first.steps, done.stats.steps); /* with it, it ends */
        }
}

TEST(test_min_conflicts_small)
{
    for (uint32_t n = 1; n <= 3; n++) {
        ENDED_BY(checked_steps_end) struct checked_steps done = run("min-conflicts", n, 7, 100);
        assert_int_equal(done.status, NQ_END);
        assert_int_equal(done.count, n == 1);
        assert_int_equal(done.stats.steps, n == 1 ? 2 : 0);
    }
}

/* Seeds lead elsewhere: 32 of them, the high half of some, hardly ever to the same of so many solutions. */
TEST(test_min_conflicts_seeds)
{
    enum { N = 20, SEEDS = 32 };
    (void)state;
    uint32_t found[SEEDS][N], same = 0;
    for (uint32_t i = 0; i < SEEDS; i++) {
        struct checked_steps done = run("min-conflicts", N, i % 2 ? (uint64_t)i << 32 : i, 100000);
        assert_int_equal(done.count, 1);
        memcpy(found[i], done.solutions, sizeof found[i]);
        free(done.solutions);
        for (uint32_t j = 0; j < i; j++)
            same += memcmp(found[i], found[j], sizeof found[i]) == 0;
    }
    assert_int_equal(same, 0);
}
