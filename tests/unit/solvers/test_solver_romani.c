/* test_solver_romani.c - tests of src/solvers: Romani's algorithms find what his article found, in its order, and take
 * up what it would take up next. That steps are what they say is for test_solver_machines.c, memory for
 * test_solver_romani_memory.c. */
/* CI builds: address */
#include <nqueens.h>

#include "solvers/solver.h"
#include "support/checked_steps.h"

enum { MAX_N = 6, MAX_DEPTH_N = 20 };

enum { N = MACHINE_MAX_N, FOURTH = 3, PLENTY = 100000000 };

static const json_t *article(const char *key)
{
    const json_t *value = json_object_get(facts_seed("romani"), key);
    assert_non_null(value);
    return value;
}

/* What an object keyed by n holds for n; NULL: nothing. */
static const json_t *article_of(const char *key, uint32_t n)
{
    char name[12];
    snprintf(name, sizeof name, "%u", n);
    return json_object_get(article(key), name);
}

static const struct machine_class *class_of(const char *name)
{
    return solver_find(name)->machine;
}

static void check_solution(uint32_t n, const uint32_t *columns)
{
    const json_t *solution = json_object_get(article_of("first_with_col4", n), "solution");
    assert_int_equal(json_array_size(solution), n);
    for (uint32_t row = 0; row < n; row++)
        assert_int_equal(columns[row] + 1, facts_at(solution, row));
}

/* The printed table is right but for one number. */
TEST(test_levels)
{
    uint32_t checked = 0;
    for (uint32_t n = 1; n <= 13; n++) {
        const json_t *count = article_of("alg2_true", n);
        if (!count)
            continue;
        const struct machine_settings settings = {.n = n, .rule = rules[0], .column = FOURTH};
        struct checked_steps run = checked_steps_run(class_of("romani-2"), &settings, PLENTY);
        assert_int_equal(run.status, NQ_END);
        assert_int_equal(run.count, json_integer_value(count));
        assert_int_equal(run.count == (size_t)json_integer_value(article_of("alg2_printed", n)), n != 9);
        assert_int_equal(run.stats.levels[n], run.count);
        check_solution(n, run.solutions);
        free(run.solutions);
        checked++;
    }
    assert_int_equal(checked, 5);
}

/* 454 on four rows, 54766 on eight, and then the solution. Of the rows below only what the first completed one has. */
TEST(test_stages_of_13)
{
    const struct machine_settings given = {.n = 13, .rule = rules[0], .column = FOURTH, .splits = 2, .split = {4, 8}},
                                  none = {.n = 13, .column = FOURTH};
    const json_t *partials = json_object_get(article("alg4_partials_n13_first4"), "rows1..8");
    ENDED_BY(checked_steps_end)
    struct checked_steps run = checked_steps_run(class_of("romani-4"), &given, PLENTY),
                         same = checked_steps_run(class_of("romani-4"), &none, PLENTY);
    assert_int_equal(run.status, NQ_END);
    assert_int_equal(run.count, 1);
    check_solution(13, run.solutions);
    assert_int_equal(json_array_size(partials), 8);
    for (uint32_t rows = 1; rows <= 8; rows++)
        assert_int_equal(run.stats.levels[rows], facts_at(partials, rows - 1));
    assert_true(run.stats.levels[9] < 100);
    assert_in_range(run.stats.peak_states, facts_at(partials, 7), facts_at(partials, 7) + 10);
    assert_memory_equal(&run.stats, &same.stats, sizeof run.stats);
}

/* What begins as the first solution of a column does, for so many rows. The caller frees. */
static uint32_t *alike(uint32_t n, uint32_t column, uint32_t rows, size_t *count)
{
    size_t all, first = 0;
    uint32_t *list = facts_solutions(n, &all);
    while (first < all && list[first * n] != column)
        first++;
    *count = 0;
    for (size_t i = first; i < all; i++)
        if (memcmp(list + i * n, list + first * n, rows * sizeof *list) == 0)
            memmove(list + (*count)++ * n, list + i * n, n * sizeof *list);
    return list;
}

static void check_stages(const char *name, const struct machine_settings *settings, uint32_t rows)
{
    size_t count;
    OWNED(free) uint32_t *expected = alike(settings->n, settings->column, rows, &count);
    ENDED_BY(checked_steps_end) struct checked_steps run = checked_steps_run(class_of(name), settings, PLENTY);
    assert_int_equal(run.status, NQ_END);
    if (run.count != count)
        fail_msg("%s, n=%u, column %u, %u rows: %zu solutions, not %zu", name, settings->n, settings->column, rows,
                 run.count, count);
    if (count)
        assert_memory_equal(run.solutions, expected, count * settings->n * sizeof *expected);
}

/* The last stage ends with the first partial placement that can be completed, and lists all its completions. */
TEST(test_every_split)
{
    for (uint32_t n = 1; n <= MAX_N; n++)
        for (uint32_t column = 0; column < n; column++) {
            struct machine_settings settings = {.n = n, .rule = rules[0], .column = column};
            check_stages("romani-3", &settings, (n + 1) / 2);
            check_stages("romani-4", &settings, n < 2 ? 1 : 2 * n / 3);
            for (settings.split[0] = 1; settings.split[0] <= n; settings.split[0]++) {
                settings.splits = 1;
                check_stages("romani-3", &settings, settings.split[0]);
                settings.splits = 2;
                for (settings.split[1] = settings.split[0]; settings.split[1] <= n; settings.split[1]++)
                    check_stages("romani-4", &settings, settings.split[1]);
            }
        }
}

static uint64_t tests_of(const char *name, const struct machine_settings *settings, uint64_t *peak)
{
    struct checked_steps run = checked_steps_run(class_of(name), settings, PLENTY);
    assert_int_equal(run.status, NQ_END);
    assert_true(run.count > 0);
    free(run.solutions);
    *peak = run.stats.peak_states;
    return run.stats.tests;
}

/* The article's table of algorithm 3. Its machine made about sixty tests a second, for even n and, if their upper
 * halves have the middle row, for odd n. With the middle row below they would be 39 at most. */
TEST(test_times_of_halves)
{
    static const struct {
        uint32_t n, hundredths, tests, tests_below;
    } table[] = {{6, 76, 45, 45},        {7, 161, 112, 63},        {8, 396, 255, 255},       {9, 1355, 885, 344},
                 {10, 3690, 2250, 2250}, {11, 16605, 10371, 3123}, {12, 39700, 23335, 23335}};
    uint64_t peak;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct machine_settings settings = {.n = table[i].n, .rule = rules[0], .column = FOURTH};
        const uint64_t tests = tests_of("romani-3", &settings, &peak);
        assert_int_equal(tests, table[i].tests);
        assert_in_range(tests * 100 / table[i].hundredths, 58, 69);
        settings.splits = 1;
        settings.split[0] = (table[i].n + 1) / 2;
        assert_int_equal(tests_of("romani-3", &settings, &peak), tests);
        settings.split[0] = table[i].n / 2;
        assert_int_equal(tests_of("romani-3", &settings, &peak), table[i].tests_below);
        assert_true(table[i].n % 2 == 0 || table[i].tests_below * 100 / table[i].hundredths <= 39);
    }
}

/* What did not fit into 16 MB of its memory. */
TEST(test_halves_of_13)
{
    struct machine_settings settings = {.n = 13, .rule = rules[0], .column = FOURTH};
    uint64_t peak, peak_below;
    settings.splits = 1;
    settings.split[0] = 6;
    (void)tests_of("romani-3", &settings, &peak_below);
    settings.splits = 0;
    (void)tests_of("romani-3", &settings, &peak);
    assert_int_equal(peak, 25949);
    assert_int_equal(peak_below, 9156);
}

/* The 18 of its table of algorithm 2 for n = 9 is a misprint: its time is that of 44 solutions. */
TEST(test_time_of_the_misprint)
{
    const struct machine_settings settings = {.n = 9, .rule = rules[0], .column = FOURTH};
    uint64_t peak;
    assert_int_equal(tests_of("romani-2", &settings, &peak), 7281);
    assert_int_equal(7281 * 100 / 12928, 56);
}

/* Columns that were taken when a stage began are not tried in it; those taken in it are. */
static void check_tried(const char *name, const struct machine_settings *settings, uint32_t split)
{
    void *machine;
    struct step step;
    uint32_t board[N], source[N] = {0};
    uint64_t again = 0;
    assert_int_equal(machine_open(class_of(name), settings, &machine), NQ_OK);
    while (class_of(name)->step(machine, &step) == NQ_OK) {
        class_of(name)->board(machine, board);
        if (step.kind == STEP_TAKE && (step.depth == 1 || step.depth == split))
            memcpy(source, board, sizeof source);
        for (uint32_t row = 0; step.tests && row < step.row; row++) {
            const bool old = step.row < split ? row == 0 : row < split;
            assert_true(!old || (source[row] == board[row] && board[row] != step.column));
            again += !old && board[row] == step.column;
        }
    }
    assert_true(again > 0);
    class_of(name)->close(machine);
}

TEST(test_columns_tried)
{
    const struct machine_settings settings = {.n = 8, .rule = rules[0], .column = FOURTH};
    check_tried("romani-2", &settings, 8);
    check_tried("romani-3", &settings, 4);
}

struct searched {
    struct stats stats;
    uint64_t taken, left;
    uint32_t columns[N];
};

static struct searched search(uint32_t n, enum strategy strategy)
{
    const struct machine_class *class = class_of("romani-5");
    const struct machine_settings settings = {.n = n, .rule = rules[0], .column = FOURTH, .strategy = strategy};
    struct searched result = {0};
    struct step step;
    void *machine;
    assert_int_equal(machine_open(class, &settings, &machine), NQ_OK);
    while (class->step(machine, &step) == NQ_OK) {
        stats_add(&result.stats, &step);
        result.taken += step.kind == STEP_TAKE;
        result.left = step.states - 1; /* but the board */
    }
    class->board(machine, result.columns);
    class->close(machine);
    assert_int_equal(result.stats.solutions, 1);
    assert_int_equal(result.stats.backtracks, 0);
    return result;
}

/* What plain backtracking places is what is taken out, and the last queen; or, from what is counted: all that was put
 * or kept, less what is left. */
static void check_depth(uint32_t n, uint64_t placements)
{
    const struct searched depth = search(n, STRATEGY_DEPTH);
    check_solution(n, depth.columns);
    assert_int_equal(depth.taken + 1, placements);
    assert_int_equal(depth.stats.placements - depth.left, placements);
    assert_true(depth.stats.peak_states <= n * n / 2);
}

TEST(test_depth)
{
    uint32_t checked = 0;
    for (uint32_t n = 1; n <= 25; n++) {
        const json_t *first = article_of("first_with_col4", n);
        if (!first || n > MAX_DEPTH_N)
            continue;
        check_depth(n, facts_get(first, "placements"));
        checked++;
    }
    assert_int_equal(checked, MAX_DEPTH_N - 5 + 1);
}

/* ---- Which comes next ---------------------------------------------------------------------------------------------
 */

struct kept {
    uint32_t rows, columns[N];
    uint64_t parent, free_squares; /* which taking it comes from; below it */
    bool alive;                    /* a free square in every row below */
};

static void look_below(struct kept *kept, uint32_t n)
{
    kept->alive = true;
    kept->free_squares = 0;
    for (uint32_t row = kept->rows; row < n; row++) {
        uint32_t squares = 0;
        for (uint32_t column = 0; column < n; column++) {
            bool attacked = false;
            for (uint32_t by = 0; by < kept->rows; by++)
                attacked = attacked || nq_attack(by, kept->columns[by], row, column);
            squares += !attacked;
        }
        kept->alive = kept->alive && squares;
        kept->free_squares += squares;
    }
}

/* Whether one is taken out before another that was put in earlier. */
static bool before(enum strategy strategy, const struct kept *young, const struct kept *old)
{
    if (strategy != STRATEGY_PRIORITY)
        return strategy == STRATEGY_DEPTH && young->parent > old->parent;
    if (young->alive != old->alive)
        return young->alive;
    return young->rows != old->rows ? young->rows > old->rows : young->free_squares > old->free_squares;
}

/* Runs beside a plain list that is searched from end to end. Whether a solution was found, and which. */
static bool check_queue(const struct machine_settings *settings, uint32_t *columns)
{
    const struct machine_class *class = class_of("romani-5");
    OWNED(free) struct kept *list = calloc(100000, sizeof *list);
    size_t count = 0, best;
    struct step step = {0};
    uint64_t takes = 0;
    void *machine;
    bool found = false;
    assert_non_null(list);
    assert_int_equal(machine_open(class, settings, &machine), NQ_OK);
    while (class->step(machine, &step) == NQ_OK) {
        class->board(machine, columns);
        if (step.kind == STEP_KEEP) {
            struct kept *kept = &list[count++];
            assert_true(count < 100000);
            kept->rows = step.depth;
            kept->parent = takes;
            memcpy(kept->columns, columns, step.row * sizeof *columns);
            kept->columns[step.row] = step.column;
            look_below(kept, settings->n);
        }
        if (step.kind == STEP_TAKE) {
            best = 0;
            for (size_t i = 1; i < count; i++)
                if (before(settings->strategy, &list[i], &list[best]))
                    best = i;
            assert_true(count > 0);
            assert_int_equal(step.depth, list[best].rows);
            assert_memory_equal(columns, list[best].columns, step.depth * sizeof *columns);
            memmove(list + best, list + best + 1, (--count - best) * sizeof *list);
            takes++;
        }
        assert_int_equal(step.states, count + 1);
        found = step.kind == STEP_SOLUTION;
    }
    assert_true(found || count == 0); /* all has been tried */
    class->close(machine);
    return found;
}

TEST(test_strategies)
{
    for (uint32_t n = 1; n <= MAX_N; n++)
        for (uint32_t column = 0; column < n; column++) {
            size_t count;
            OWNED(free) uint32_t *expected = alike(n, column, 1, &count);
            for (enum strategy strategy = STRATEGY_BREADTH; strategy <= STRATEGY_PRIORITY; strategy++) {
                const struct machine_settings settings = {
                    .n = n, .rule = rules[0], .column = column, .strategy = strategy};
                uint32_t columns[N];
                bool listed = false;
                assert_int_equal(check_queue(&settings, columns), count > 0);
                for (size_t i = 0; i < count && (i == 0 || strategy == STRATEGY_PRIORITY); i++)
                    listed = listed || memcmp(columns, expected + i * n, n * sizeof *columns) == 0;
                assert_int_equal(listed, count > 0);
            }
        }
}

/* At n=24 it takes out 997, where depth takes out 4790784. */
TEST(test_priority_is_worth_it)
{
    for (uint32_t n = 12; n <= 25; n++) {
        const struct searched priority = search(n, STRATEGY_PRIORITY);
        bool valid = false;
        assert_int_equal(nq_verify(n, priority.columns, &valid), NQ_OK);
        assert_true(valid && priority.columns[0] == FOURTH);
        assert_true(priority.taken < facts_get(article_of("first_with_col4", n), "placements"));
        if (n == 24)
            assert_int_equal(priority.taken, 997);
    }
}

/* The 4th column of the article is the last one here, and has no solution: the queue runs empty. */
TEST(test_article_errs_at_4)
{
    static const char *const names[] = {"romani-2", "romani-3", "romani-4", "romani-5"};
    for (size_t i = 0; i < 4; i++) {
        const struct machine_settings settings = {.n = 4, .rule = rules[0], .column = FOURTH};
        struct checked_steps run = checked_steps_run(class_of(names[i]), &settings, 1000);
        assert_int_equal(run.status, NQ_END);
        assert_int_equal(run.count, 0);
        assert_false(solver_resumes(solver_find(names[i])));
    }
}
