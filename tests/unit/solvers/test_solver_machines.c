/* test_solver_machines.c - tests of src/solvers: every algorithm in steps does what its steps say, lists what its row
 * in the table says it lists, and does the same through a cursor. What single algorithms count and find is for other
 * files. */
/* CI builds: address */
#include "solvers/solver.h"
#include "support/checked_steps.h"
#include "support/cursor_walk.h"

enum { MAX_N = 7 };

/* Steps of the slowest algorithm there is: all permutations of MAX_N. */
enum { PLENTY = 10000000 };

static const struct solver *const *machine_next(const struct solver *const *at)
{
    for (at = at ? at + 1 : solvers; *at; at++)
        if ((*at)->machine)
            return at;
    return NULL;
}

static struct machine_settings settings_of(const struct solver *solver, uint32_t n, uint32_t column)
{
    return (struct machine_settings){
        .n = n, .rule = rules[0], .column = solver->heeds & HEEDS_COLUMN ? column : 0, .seed = 1};
}

/* Whether a solution is one that the algorithm is to list. */
static bool declared(const struct solver *solver, const struct machine_settings *settings, const uint32_t *columns)
{
    const uint32_t n = settings->n;
    uint32_t image[NQ_SEARCH_MAX_N], scratch[NQ_SEARCH_MAX_N];
    switch (solver->lists) {
    case LISTS_ALL: return true;
    case LISTS_MIRROR:
        for (uint32_t row = 0; row < n; row++)
            if (columns[row] != n - 1 - columns[row])
                return columns[row] < n - 1 - columns[row];
        return true;
    case LISTS_FUNDAMENTAL:
        nq_canonical(n, columns, image, scratch);
        return memcmp(columns, image, n * sizeof *columns) == 0;
    case LISTS_COLUMN: return columns[0] == settings->column;
    case LISTS_SOME: return !(solver->heeds & HEEDS_COLUMN) || columns[0] == settings->column;
    }
    return false;
}

/* The solutions it is to list, in lexicographic order; the caller frees. */
static uint32_t *expected_of(const struct solver *solver, const struct machine_settings *settings, size_t *count)
{
    size_t all;
    uint32_t *list = facts_solutions(settings->n, &all);
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (declared(solver, settings, list + i * settings->n))
            memmove(list + (*count)++ * settings->n, list + i * settings->n, settings->n * sizeof *list);
    return list;
}

static void check_list(const struct solver *solver, const struct machine_settings *settings)
{
    size_t count;
    uint32_t *expected = expected_of(solver, settings, &count), n = settings->n;
    ENDED_BY(checked_steps_end) struct checked_steps run = checked_steps_run(solver->machine, settings, PLENTY);
    assert_int_equal(run.status, NQ_END);
    if (run.count && strcmp(solver->order, "lexicographic") != 0)
        qsort_r(run.solutions, run.count, sizeof *expected * n, facts_compare, &n);
    if (solver->lists == LISTS_SOME) {
        for (size_t i = 0; i < run.count; i++)
            assert_true(declared(solver, settings, run.solutions + i * n));
        assert_true((run.count > 0) <= (count > 0));
    } else {
        if (run.count != count)
            fail_msg("%s, n=%u: %zu solutions, not %zu", solver->name, n, run.count, count);
        if (count)
            assert_memory_equal(run.solutions, expected, count * n * sizeof *expected);
    }
    free(expected);
}

TEST(test_steps_and_lists)
{
    for (const struct solver *const *at = NULL; (at = machine_next(at));)
        for (uint32_t n = 1; n <= MAX_N; n++)
            for (uint32_t column = 0; column < ((*at)->heeds & HEEDS_COLUMN ? n : 1); column++) {
                const struct machine_settings settings = settings_of(*at, n, column);
                check_list(*at, &settings);
            }
}

/* A cursor is the same machine, watched or not having any other way; it can be left with any budget, and put to where
 * it was if its row says so: each call comes further. */
static void check_cursor(const struct solver *solver, const struct machine_settings *settings, uint64_t budget,
                         bool fresh)
{
    const struct cursor_settings wanted = {.algorithm = solver->name, .watched = true, .machine = *settings};
    ENDED_BY(checked_steps_end) struct checked_steps run = checked_steps_run(solver->machine, settings, PLENTY);
    struct query query = {0};
    OWNED(nq_cursor_close) struct nq_cursor *cursor = NULL;
    struct position before = {0};
    size_t found = 0;
    uint64_t steps = 0;
    filter_begin(&query.filter, settings->n);
    assert_int_equal(cursor_open(&wanted, &query, &cursor), NQ_OK);
    for (enum nq_status status = NQ_OK; status != NQ_END;) {
        uint32_t columns[NQ_SEARCH_MAX_N];
        uint64_t left = budget;
        status = nq_cursor_next(cursor, &left, columns);
        steps += fresh ? cursor_stats(cursor)->steps : 0;
        if (status == NQ_OK) {
            assert_true(found < run.count);
            assert_memory_equal(columns, run.solutions + found++ * settings->n, settings->n * sizeof *columns);
        }
        if (!fresh || status == NQ_END)
            continue;
        const struct position at = position_of(cursor);
        assert_true(at.length > 0);
        if (!position_gained(strcmp(solver->order, "lexicographic") == 0, &before, &at))
            fail_msg("%s, n=%u, budget %u: no ground gained", solver->name, settings->n, (unsigned)budget);
        before = at;
        nq_cursor_close(cursor);
        assert_int_equal(cursor_open(&wanted, &query, &cursor), NQ_OK);
        assert_int_equal(nq_cursor_seek(cursor, at.prefix, at.length), NQ_OK);
    }
    assert_int_equal(found, run.count);
    if (!fresh)
        assert_memory_equal(cursor_stats(cursor), &run.stats, sizeof run.stats);
    else
        assert_true(steps <= run.stats.steps); /* nothing is done twice */
}

TEST(test_cursors)
{
    static const uint64_t budgets[] = {0, 1, 17, 1000, UINT64_MAX};
    (void)state;
    for (const struct solver *const *at = NULL; (at = machine_next(at));)
        for (uint32_t n = 1; n <= 7; n++)
            for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++)
                for (int fresh = 0; fresh <= solver_resumes(*at); fresh++) {
                    const struct machine_settings settings = settings_of(*at, n, n < 4 ? 0 : 3);
                    check_cursor(*at, &settings, budgets[i], fresh);
                }
}

/* Every position that steps settle on is one that can be gone on from, and goes on with the rest of the list; and there
 * are such between solutions, or a long search could never be left. */
TEST(test_settled_positions)
{
    for (const struct solver *const *at = NULL; (at = machine_next(at));) {
        const struct machine_class *class = (*at)->machine;
        const struct machine_settings settings = settings_of(*at, 6, 0);
        void *machine, *other;
        struct step step;
        struct position before = {0};
        size_t between = 0;
        if (!class->position)
            continue;
        assert_int_equal(machine_open(class, &settings, &machine), NQ_OK);
        while (class->step(machine, &step) == NQ_OK) {
            struct position after = {0};
            if (!step.settled)
                continue;
            between += step.kind != STEP_SOLUTION;
            after.length = class->position(machine, after.prefix);
            assert_true(position_gained(strcmp((*at)->order, "lexicographic") == 0, &before, &after));
            assert_int_equal(machine_open(class, &settings, &other), NQ_OK);
            assert_int_equal(class->seek(other, after.prefix, after.length), NQ_OK);
            assert_int_equal(class->position(other, before.prefix), after.length);
            assert_memory_equal(before.prefix, after.prefix, after.length * sizeof *after.prefix);
            class->close(other);
            before = after;
        }
        assert_true(between > 0);
        class->close(machine);
    }
}

/* The table: names once, in lower case, with what /algorithms tells. */
TEST(test_table)
{
    for (const struct solver *const *at = solvers; *at; at++) {
        assert_ptr_equal(solver_find((*at)->name), *at);
        assert_int_equal(strspn((*at)->name, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen((*at)->name));
        assert_true((*at)->summary && (*at)->order && (*at)->complexity && (*at)->source && (*at)->year > 1800);
        assert_true((*at)->search || (*at)->machine);
        if ((*at)->machine) {
            assert_non_null((*at)->tests);
            assert_int_equal(!(*at)->machine->seek, !(*at)->machine->position);
        }
    }
}
