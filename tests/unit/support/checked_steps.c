/* checked_steps.c - a board that does what steps say, beside the machine that does them. */
#include "support/checked_steps.h"

#include <nqueens.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct machine_class *class;
    uint32_t n;
    uint32_t *board; /* by row: as the steps say */
    uint32_t *board_of_machine;
    struct checked_steps result;
};

static uint32_t standing(const struct run *run)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < run->n; row++)
        count += run->board[row] != NOWHERE;
    return count;
}

static bool attacked_by(const struct run *run, uint32_t by, uint32_t row, uint32_t column)
{
    return by < run->n && by != row && run->board[by] != NOWHERE && nq_attack(by, run->board[by], row, column);
}

static bool attacked(const struct run *run, uint32_t row, uint32_t column)
{
    for (uint32_t by = 0; by < run->n; by++)
        if (attacked_by(run, by, row, column))
            return true;
    return false;
}

static void add_solution(struct run *run)
{
    struct checked_steps *result = &run->result;
    bool valid = false;
    assert_int_equal(nq_verify(run->n, run->board, &valid), NQ_OK);
    assert_true(valid);
    result->solutions = realloc(result->solutions, (result->count + 1) * run->n * sizeof *run->board);
    assert_non_null(result->solutions);
    memcpy(result->solutions + result->count++ * run->n, run->board, run->n * sizeof *run->board);
    if (result->count == 1)
        result->first = result->stats;
}

static void do_step(struct run *run, const struct step *step)
{
    uint32_t *at = step->row < run->n ? &run->board[step->row] : NULL;
    const bool square = at && step->column < run->n;
    assert_true(step->states >= 1);
    assert_true(square || step->kind == STEP_SOLUTION || step->kind == STEP_TAKE);
    if (step->kind != STEP_REJECT)
        assert_int_equal(step->by, NOWHERE);
    switch (step->kind) {
    case STEP_PLACE:
        assert_true(square && *at == NOWHERE && !attacked(run, step->row, step->column));
        *at = step->column;
        break;
    case STEP_REJECT:
        assert_true(square);
        assert_true(step->by == NOWHERE ? attacked(run, step->row, step->column)
                                        : attacked_by(run, step->by, step->row, step->column));
        break;
    case STEP_REMOVE:
        assert_true(square && *at == step->column);
        *at = NOWHERE;
        break;
    case STEP_KEEP:
        assert_true(square && *at == NOWHERE && !attacked(run, step->row, step->column));
        assert_int_equal(step->depth, standing(run) + 1);
        break;
    case STEP_MOVE:
        assert_true(square && *at != NOWHERE && *at != step->column);
        *at = step->column;
        break;
    case STEP_SOLUTION:
    case STEP_TAKE:
        assert_int_equal(step->row, NOWHERE);
        assert_int_equal(step->column, NOWHERE);
        if (step->kind == STEP_TAKE)
            memcpy(run->board, run->board_of_machine, run->n * sizeof *run->board);
        break;
    }
    if (step->kind != STEP_KEEP)
        assert_int_equal(step->depth, standing(run));
    assert_memory_equal(run->board, run->board_of_machine, run->n * sizeof *run->board);
}

struct checked_steps checked_steps_run(const struct machine_class *class, const struct machine_settings *settings,
                                       uint64_t most)
{
    struct run run = {.class = class,
                      .n = settings->n,
                      .board = malloc(settings->n * sizeof(uint32_t)),
                      .board_of_machine = malloc(settings->n * sizeof(uint32_t))};
    void *machine = NULL;
    struct step step = {0};
    assert_true(run.board && run.board_of_machine);
    assert_int_equal(machine_open(class, settings, &machine), NQ_OK);
    for (uint32_t row = 0; row < run.n; row++)
        run.board[row] = NOWHERE;
    class->board(machine, run.board_of_machine);
    assert_memory_equal(run.board, run.board_of_machine, run.n * sizeof *run.board);
    for (run.result.status = NQ_AGAIN; run.result.stats.steps < most;) {
        const enum nq_status status = class->step(machine, &step);
        if (status != NQ_OK) {
            run.result.status = status;
            break;
        }
        stats_add(&run.result.stats, &step);
        class->board(machine, run.board_of_machine);
        do_step(&run, &step);
        if (step.kind == STEP_SOLUTION)
            add_solution(&run);
    }
    if (run.result.status == NQ_END) /* for ever */
        assert_int_equal(class->step(machine, &step), NQ_END);
    class->close(machine);
    free(run.board);
    free(run.board_of_machine);
    return run.result;
}
