/* test_kernels.c - tests of src/kernels: every kernel this machine supports against a naive recursion on squares. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "facts.h"
#include "kernels/kernel.h"

/* A board as squares, and queens on its first rows: what a kernel sees as masks. */
struct problem {
    struct kernel_board board;
    uint32_t row, columns[KERNEL_MAX_N];
};

static bool has(uint32_t mask, uint32_t column)
{
    return mask >> column & 1;
}

static uint32_t ties_above(const struct problem *problem, uint32_t row)
{
    uint32_t ties = 0;
    for (uint32_t above = 0; above < row; above++)
        ties += has(problem->board.tie[above], problem->columns[above]);
    return ties;
}

static void naive_count(struct problem *problem, uint32_t row, struct kernel_tally *tally)
{
    if (row == problem->board.n) {
        tally->solutions[ties_above(problem, row)]++;
        return;
    }
    for (uint32_t column = 0; column < problem->board.n; column++) {
        problem->columns[row] = column;
        if (!has(problem->board.allow[row], column) || !facts_peaceful(row + 1, problem->columns))
            continue;
        tally->nodes++;
        naive_count(problem, row + 1, tally);
    }
}

/* The masks of the queens above a problem's row. The left ones may run over the edge of the board, as they do when a
 * mask is shifted row by row: both ways of making them are right. */
static struct kernel_prefix prefix_of(const struct problem *problem, bool over_the_edge)
{
    struct kernel_prefix prefix = {.row = problem->row, .ties = ties_above(problem, problem->row)};
    for (uint32_t above = 0; above < problem->row; above++) {
        uint32_t column = problem->columns[above], down = problem->row - above;
        prefix.columns |= UINT32_C(1) << column;
        if (column + down < (over_the_edge ? 32 : problem->board.n))
            prefix.left |= UINT32_C(1) << (column + down);
        if (column >= down)
            prefix.right |= UINT32_C(1) << (column - down);
    }
    return prefix;
}

/* A count adds to the tally, and a stop flag that is not set changes nothing. The reference tries every free square; a
 * kernel that looks ahead may try fewer. */
static void check_problem(const struct kernel *kernel, struct problem *problem, const struct kernel_tally *expected)
{
    const atomic_bool go_on = false;
    for (int way = 0; way < 2; way++) {
        struct kernel_tally tally = {.solutions = {1000, 2000, 3000, 4000}, .nodes = 5000};
        const struct kernel_prefix prefix = prefix_of(problem, way);
        assert_int_equal(kernel->count(&problem->board, &prefix, way ? &go_on : NULL, &tally), NQ_OK);
        for (uint32_t ties = 0; ties <= KERNEL_MAX_TIES; ties++) {
            unsigned long long found = tally.solutions[ties] - UINT64_C(1000) * (ties + 1);
            if (found != expected->solutions[ties])
                fail_msg("%s, n=%u, row %u: %llu solutions with %u ties instead of %llu", kernel->name,
                         problem->board.n, problem->row, found, ties, (unsigned long long)expected->solutions[ties]);
        }
        if (strcmp(kernel->name, "scalar") == 0)
            assert_int_equal(tally.nodes - 5000, expected->nodes);
        else
            assert_in_range(tally.nodes, 5000, 5000 + expected->nodes);
    }
}

/* Every supported kernel on one problem; returns how many solutions it has. */
static uint64_t check_kernels(struct problem *problem, uint64_t ties_seen[KERNEL_MAX_TIES + 1])
{
    struct kernel_tally expected = {0};
    uint64_t solutions = 0;
    naive_count(problem, problem->row, &expected);
    for (const struct kernel *const *at = kernels; *at; at++)
        if ((*at)->supported())
            check_problem(*at, problem, &expected);
    for (uint32_t ties = 0; ties <= KERNEL_MAX_TIES; ties++) {
        solutions += expected.solutions[ties];
        ties_seen[ties] += expected.solutions[ties];
    }
    return solutions;
}

static uint32_t full(uint32_t n)
{
    return n ? ~UINT32_C(0) >> (32 - n) : 0;
}

/* A random mask of n bits of which about `eighths` / 8 are set. */
static uint32_t random_mask(uint64_t *dice, uint32_t n, uint32_t eighths)
{
    uint32_t mask = 0;
    for (uint32_t column = 0; column < n; column++)
        mask |= (uint32_t)(facts_below(dice, 8) < eighths) << column;
    return mask;
}

/* Tie squares in at most as many rows as there may be ties. */
static void add_ties(uint64_t *dice, struct problem *problem)
{
    for (int rows = 0; rows < KERNEL_MAX_TIES; rows++)
        problem->board.tie[facts_below(dice, problem->board.n)] = random_mask(dice, problem->board.n, 4);
}

static void place_prefix(struct problem *problem, uint32_t rows, const uint32_t *columns)
{
    problem->row = rows;
    memcpy(problem->columns, columns, rows * sizeof *columns);
}

/* Boards of up to 9 with random holes, from a random number of rows of a solution or of nothing. */
static void test_random_boards(void **state)
{
    (void)state;
    uint64_t dice = 1, ties[KERNEL_MAX_TIES + 1] = {0}, with_solutions = 0, without = 0;
    for (uint32_t n = 1; n <= 9; n++) {
        size_t count;
        uint32_t *solutions = facts_solutions(n, &count);
        for (int round = 0; round < 120; round++) {
            struct problem problem = {.board.n = n};
            uint32_t eighths = 5 + facts_below(&dice, 4); /* of 8: some boards have every square */
            for (uint32_t row = 0; row < n; row++)
                problem.board.allow[row] = random_mask(&dice, n, eighths);
            add_ties(&dice, &problem);
            if (count && facts_below(&dice, 4))
                place_prefix(&problem, facts_below(&dice, n + 1),
                             solutions + facts_below(&dice, (uint32_t)count) * (size_t)n);
            if (check_kernels(&problem, ties))
                with_solutions++;
            else
                without++;
        }
        free(solutions);
    }
    assert_true(with_solutions > 200);
    assert_true(without > 200);
    for (uint32_t k = 0; k <= KERNEL_MAX_TIES; k++)
        assert_true(ties[k] > 50);
}

/* Boards of up to 32 with one square of a solution and a few others in each row. */
static void test_large_sparse_boards(void **state)
{
    (void)state;
    uint64_t dice = 2, ties[KERNEL_MAX_TIES + 1] = {0};
    for (uint32_t n = 10; n <= KERNEL_MAX_N; n++) {
        const json_t *first = facts_entry("lex_first", n);
        if (!first)
            continue;
        for (int round = 0; round < 10; round++) {
            struct problem problem = {.board.n = n};
            uint32_t solution[KERNEL_MAX_N];
            for (uint32_t row = 0; row < n; row++) {
                solution[row] = (uint32_t)facts_at(json_object_get(first, "solution"), row) - 1;
                problem.board.allow[row] = UINT32_C(1) << solution[row];
                for (uint32_t more = facts_below(&dice, 4); more; more--)
                    problem.board.allow[row] |= UINT32_C(1) << facts_below(&dice, n);
            }
            add_ties(&dice, &problem);
            place_prefix(&problem, facts_below(&dice, 8), solution);
            assert_true(check_kernels(&problem, ties) > 0);
        }
    }
}

/* Open boards from one queen in row 0: the published numbers instead of a slow count. */
static void test_first_row_distribution(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= 12; n++) {
        const json_t *row = facts_entry("first_row_column_distribution", n);
        struct problem problem = {.board.n = n};
        for (uint32_t i = 0; i < n; i++)
            problem.board.allow[i] = full(n);
        for (uint32_t column = 0; column < n; column++)
            for (const struct kernel *const *at = kernels; *at; at++) {
                struct kernel_tally tally = {0};
                place_prefix(&problem, 1, &column);
                const struct kernel_prefix prefix = prefix_of(&problem, true);
                if (!(*at)->supported())
                    continue;
                assert_int_equal((*at)->count(&problem.board, &prefix, NULL, &tally), NQ_OK);
                assert_int_equal(tally.solutions[0], facts_at(row, column));
                assert_int_equal(tally.solutions[1] + tally.solutions[2] + tally.solutions[3], 0);
            }
    }
}

/* All rows hold queens already: one solution, with the ties it brought along; and a board without squares. */
static void test_nothing_left_to_do(void **state)
{
    (void)state;
    static const uint32_t columns[] = {1, 3, 0, 2};
    uint64_t ties[KERNEL_MAX_TIES + 1] = {0};
    struct problem problem = {.board.n = 0};
    assert_int_equal(check_kernels(&problem, ties), 1);
    for (uint32_t tie_rows = 0; tie_rows <= KERNEL_MAX_TIES; tie_rows++) {
        problem = (struct problem){.board.n = 4};
        for (uint32_t row = 0; row < tie_rows; row++)
            problem.board.tie[row] = full(4);
        place_prefix(&problem, 4, columns);
        assert_int_equal(check_kernels(&problem, ties), 1);
        problem.row = 0; /* not a square is allowed */
        assert_int_equal(check_kernels(&problem, ties), 0);
    }
}

static void open_board(struct kernel_board *board, uint32_t n)
{
    *board = (struct kernel_board){.n = n};
    for (uint32_t row = 0; row < n; row++)
        board->allow[row] = full(n);
}

static void test_stop_before(void **state)
{
    (void)state;
    const struct kernel_prefix nothing = {0};
    const atomic_bool stop = true;
    struct kernel_board board;
    open_board(&board, 16); /* seconds, if it did not stop */
    for (const struct kernel *const *at = kernels; *at; at++) {
        struct kernel_tally tally = {0};
        if ((*at)->supported())
            assert_int_equal((*at)->count(&board, &nothing, &stop, &tally), NQ_CANCELLED);
    }
}

static void *stop_soon(void *stop)
{
    const struct timespec a_moment = {.tv_nsec = 5000000};
    (void)nanosleep(&a_moment, NULL);
    atomic_store((atomic_bool *)stop, true);
    return NULL;
}

static void test_stop_while_counting(void **state)
{
    (void)state;
    const struct kernel_prefix nothing = {0};
    struct kernel_board board;
    open_board(&board, 19); /* many seconds even for the fastest */
    for (const struct kernel *const *at = kernels; *at; at++) {
        struct kernel_tally tally = {0};
        atomic_bool stop = false;
        pthread_t thread;
        if (!(*at)->supported())
            continue;
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, &stop), 0);
        enum nq_status status = (*at)->count(&board, &nothing, &stop, &tally);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(status, NQ_CANCELLED);
    }
}

static void test_find(void **state)
{
    (void)state;
    const struct kernel *best = NULL, *last = NULL;
    for (const struct kernel *const *at = kernels; *at; at++) {
        assert_ptr_equal(kernel_find((*at)->name), (*at)->supported() ? *at : NULL);
        best = best || !(*at)->supported() ? best : *at;
        last = *at;
    }
    assert_ptr_equal(kernel_find("auto"), best);
    assert_string_equal(last->name, "scalar");
    assert_true(last->supported());
    static const char *const unknown[] = {"", "Scalar", "scala", "scalar ", "AUTO"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_null(kernel_find(unknown[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_boards),
        cmocka_unit_test(test_large_sparse_boards),
        cmocka_unit_test(test_first_row_distribution),
        cmocka_unit_test(test_nothing_left_to_do),
        cmocka_unit_test(test_stop_before),
        cmocka_unit_test(test_stop_while_counting),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
