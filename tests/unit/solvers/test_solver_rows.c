/* test_solver_rows.c - tests of src/solvers/solver_rows.c: n x n is the shape of so many rows and columns, whose
 * attacks are found in another way; on other boards the placements are those of a recursion over squares that have one
 * queen in each row. */
/* CI builds: address */
#include <string.h>

#include "solvers/solver.h"
#include "support/facts.h"
#include "support/plain_shapes.h"

enum { SHAPED = 3 };

static const struct solver *solver_at(size_t i)
{
    static const char *const names[SHAPED] = {"bitboard", "recursion", "mrv"};
    return solver_find(names[i]);
}

static void *open_machine(const struct machine_class *class, const struct machine_settings *settings)
{
    void *machine = NULL;
    assert_int_equal(machine_open(class, settings, &machine), NQ_OK);
    return machine;
}

static void assert_same_step(const struct step *a, const struct step *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->row, b->row);
    assert_int_equal(a->column, b->column);
    assert_int_equal(a->by, b->by);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->tests, b->tests);
    assert_int_equal(a->states, b->states);
}

static void check_plain(const struct solver *solver, const struct rule *rule, uint32_t n)
{
    struct shape shape;
    struct step here, there;
    uint32_t board[RULE_MAX_N], other[RULE_MAX_N];
    shape_begin(&shape, n, n);
    shape.rule = rule;
    const struct machine_settings settings = {.n = n, .rule = rule};
    struct machine_settings with = settings;
    with.shape = &shape;
    void *plain = open_machine(solver->machine, &settings), *machine = open_machine(solver->machine, &with);
    enum nq_status status;
    unsigned steps = 0;
    while ((status = solver->machine->step(plain, &there)) == NQ_OK && ++steps < 20000) {
        assert_int_equal(solver->machine->step(machine, &here), NQ_OK);
        assert_same_step(&here, &there);
        solver->machine->board(plain, other);
        solver->machine->board(machine, board);
        assert_memory_equal(board, other, n * sizeof *board);
    }
    if (status == NQ_END)
        assert_int_equal(solver->machine->step(machine, &here), NQ_END);
    solver->machine->close(plain);
    solver->machine->close(machine);
}

TEST(test_plain_boards)
{
    for (size_t i = 0; i < SHAPED; i++)
        for (const struct rule *const *rule = rules; *rule; rule++)
            for (uint32_t n = 1; n <= 8 && rule_suits(*rule, solver_at(i)->by_rule); n++)
                check_plain(solver_at(i), *rule, n);
}

/* Whether each row has one queen. */
static bool is_full(const struct shape *shape, uint64_t placement)
{
    const uint64_t row = ~UINT64_C(0) >> (64 - shape->columns);
    bool full = true;
    for (uint32_t i = 0; i < shape->rows && full; i++)
        full = __builtin_popcountll(placement >> i * shape->columns & row) == 1;
    return full;
}

static uint64_t placement_of(const struct shape *shape, const uint32_t *board)
{
    uint64_t placement = 0;
    for (uint32_t row = 0; row < shape->rows; row++)
        placement |= UINT64_C(1) << (row * shape->columns + board[row]);
    return placement;
}

static int compare(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The solutions of a search, each checked to be whole; the caller frees. Steps must do what they say. */
static uint64_t *run(const struct solver *solver, const struct shape *shape, size_t *count)
{
    const struct machine_settings settings = {.n = shape->columns, .rule = shape->rule, .shape = shape};
    void *machine = open_machine(solver->machine, &settings);
    uint64_t *found = calloc(1 << 16, sizeof *found);
    uint32_t stand[SHAPE_MAX_SIDE], board[SHAPE_MAX_SIDE];
    struct step step;
    for (uint32_t row = 0; row < shape->rows; row++)
        stand[row] = NOWHERE;
    assert_non_null(found);
    *count = 0;
    while (solver->machine->step(machine, &step) == NQ_OK) {
        if (step.kind == STEP_PLACE || step.kind == STEP_REMOVE)
            stand[step.row] = step.kind == STEP_PLACE ? step.column : NOWHERE;
        if (step.row != NOWHERE)
            assert_true(shape->allow[step.row] >> step.column & 1);
        solver->machine->board(machine, board);
        assert_memory_equal(board, stand, shape->rows * sizeof *board);
        if (step.kind == STEP_SOLUTION)
            found[(*count)++] = placement_of(shape, board);
        assert_true(*count < 1 << 16);
    }
    solver->machine->close(machine);
    return found;
}

TEST(test_boards_at_random)
{
    uint64_t dice = 3, solutions = 0;
    for (unsigned round = 0; round < 1200; round++) {
        struct shape shape;
        plain_shapes_random(&dice, 6, &shape);
        shape.maximal = false;
        shape.least = shape.most = shape.rows;
        SCOPED(plain_shapes, plain, &shape);
        size_t full = 0;
        for (size_t i = 0; i < plain.count; i++)
            if (is_full(&shape, plain.placements[i]))
                plain.placements[full++] = plain.placements[i];
        qsort(plain.placements, full, sizeof *plain.placements, compare);
        for (size_t i = 0; i < SHAPED; i++) {
            size_t count;
            OWNED(free) uint64_t *found = run(solver_at(i), &shape, &count);
            qsort(found, count, sizeof *found, compare);
            assert_int_equal(count, full);
            if (full)
                assert_memory_equal(found, plain.placements, full * sizeof *found);
        }
        solutions += full;
    }
    assert_true(solutions > 1000);
}

/* Sixty-four queens in as many rows, between walls. */
TEST(test_largest)
{
    struct shape shape;
    uint32_t board[SHAPE_MAX_SIDE];
    struct step step;
    shape_begin(&shape, SHAPE_MAX_SIDE, SHAPE_MAX_SIDE);
    for (uint32_t row = 0; row < SHAPE_MAX_SIDE; row++)
        for (uint32_t column = 0; column < SHAPE_MAX_SIDE; column++)
            if (column != (row % 2 ? 40 : 8))
                shape_wall(&shape, row, column);
    for (size_t i = 0; i < SHAPED; i++) {
        const struct machine_class *class = solver_at(i)->machine;
        const struct machine_settings settings = {.n = SHAPE_MAX_SIDE, .rule = rules[0], .shape = &shape};
        void *machine = open_machine(class, &settings);
        for (uint32_t k = 0; k < SHAPE_MAX_SIDE; k++) {
            assert_int_equal(class->step(machine, &step), NQ_OK);
            assert_int_equal(step.kind, STEP_PLACE);
        }
        assert_int_equal(class->step(machine, &step), NQ_OK);
        assert_int_equal(step.kind, STEP_SOLUTION);
        class->board(machine, board);
        for (uint32_t row = 0; row < SHAPE_MAX_SIDE; row++)
            assert_int_equal(board[row], row % 2 ? 40 : 8);
        for (uint32_t k = 0; k < SHAPE_MAX_SIDE; k++) {
            assert_int_equal(class->step(machine, &step), NQ_OK);
            assert_int_equal(step.kind, STEP_REMOVE);
        }
        assert_int_equal(class->step(machine, &step), NQ_END);
        class->close(machine);
    }
}
