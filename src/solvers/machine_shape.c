/* machine_shape.c - what a square attacks is a table of masks, whatever the rule and the walls are: a row's free
 * squares are those that the queens leave open. A level has the open squares of the whole board, so that nothing is put
 * back when a queen is removed. */
#include "solvers/machine_shape.h"

#include <stdlib.h>

#include "shapes/shape_board.h"

struct shape_level {
    uint32_t row, column; /* of its queen, */
    uint64_t untried;     /* and the squares of that row that come later */
    uint64_t open[SHAPE_MAX_SIDE];
};

struct shape_machine {
    struct shape_board board;
    uint32_t depth; /* queens that stand: those of the levels above */
    bool chosen;    /* the row of the level at depth */
    bool listed;    /* the whole board, if that is what stands */
    uint64_t rows;  /* without a queen */
    struct shape_level level[SHAPE_MAX_SIDE];
};

static void close_shape(void *machine)
{
    struct shape_machine *shape = machine;
    shape_board_close(&shape->board);
    free(shape);
}

/* Those of a row that may be tried: none that a placed queen attacks, and where one is placed only her own; none at all
 * if two attack each other, or are placed in one row, where a wall may stand between them. */
static uint64_t squares_of(const struct shape_board *board, uint32_t row)
{
    const uint64_t placed = board->shape.placed[row];
    if (board->impossible || placed & (placed - 1))
        return 0;
    return board->open[row] & (placed ? placed : UINT64_MAX);
}

static enum nq_status open_shape(const struct machine_settings *settings, void **machine)
{
    struct shape_machine *shape = calloc(1, sizeof *shape);
    if (!shape)
        return NQ_NOMEM;
    const enum nq_status status = shape_board_open(settings->shape, 0, &shape->board);
    if (status != NQ_OK) {
        close_shape(shape);
        return status;
    }
    shape->rows = ~UINT64_C(0) >> (64 - settings->shape->rows);
    for (uint32_t row = 0; row < settings->shape->rows; row++)
        shape->level[0].open[row] = shape->board.shape.allow[row] = squares_of(&shape->board, row);
    *machine = shape;
    return NQ_OK;
}

static void write_board(const void *machine, uint32_t *columns)
{
    const struct shape_machine *shape = machine;
    for (uint32_t row = 0; row < shape->board.shape.rows; row++)
        columns[row] = NOWHERE;
    for (uint32_t i = 0; i < shape->depth; i++)
        columns[shape->level[i].row] = shape->level[i].column;
}

static bool is_whole(const struct shape_machine *shape)
{
    return shape->depth == shape->board.shape.rows;
}

/* What a queen on a square attacks. */
static const uint64_t *attack_of(const struct shape_machine *shape, uint32_t row, uint32_t column)
{
    return shape_attack(&shape->board, shape_square(&shape->board.shape, row, column));
}

/* Puts the queen of the level at depth on its board. */
static void place(struct shape_machine *shape, struct step *step)
{
    const struct shape_level *level = &shape->level[shape->depth];
    const uint32_t rows = shape->board.shape.rows;
    shape->rows ^= UINT64_C(1) << level->row;
    shape->depth++;
    shape->chosen = shape->listed = false;
    if (shape->depth < rows)
        shape_place(attack_of(shape, level->row, level->column), 0, rows - 1, level->open,
                    shape->level[shape->depth].open);
    *step = step_on_square(STEP_PLACE, level->row, level->column, shape->depth);
}

/* Takes the last one off; its row goes on behind it. */
static void take_off(struct shape_machine *shape, struct step *step)
{
    const struct shape_level *level = &shape->level[--shape->depth];
    shape->rows ^= UINT64_C(1) << level->row;
    shape->chosen = true;
    *step = step_on_square(STEP_REMOVE, level->row, level->column, shape->depth);
}

static void list(struct shape_machine *shape, struct step *step)
{
    shape->listed = true;
    *step = step_on_board(STEP_SOLUTION, shape->depth);
}

/* The next square of the level at depth, once its row is chosen. */
static void take_square(struct shape_machine *shape)
{
    struct shape_level *level = &shape->level[shape->depth];
    level->column = (uint32_t)__builtin_ctzll(level->untried);
    level->untried &= level->untried - 1;
}

/* Chooses the row of the level at depth; returns what that takes. */
typedef uint32_t (*row_chooser)(struct shape_machine *shape);

static uint32_t choose_next(struct shape_machine *shape)
{
    struct shape_level *level = &shape->level[shape->depth];
    level->row = shape->depth;
    level->untried = level->open[level->row];
    return 0;
}

static uint64_t open_squares(const void *of, uint32_t row)
{
    return ((const struct shape_level *)of)->open[row];
}

static uint32_t choose_fewest(struct shape_machine *shape)
{
    struct shape_level *level = &shape->level[shape->depth];
    return fewest_row(shape->rows, open_squares, level, &level->row, &level->untried);
}

/* A step of a search that never looks at squares under attack. */
static enum nq_status step_by_row(struct shape_machine *shape, row_chooser choose, struct step *step)
{
    const bool whole = is_whole(shape);
    if (whole && !shape->listed) {
        list(shape, step);
        return NQ_OK;
    }
    const uint32_t looked = whole || shape->chosen ? 0 : choose(shape);
    shape->chosen = true;
    if (!whole && shape->level[shape->depth].untried) {
        take_square(shape);
        place(shape, step);
    } else if (shape->depth == 0) {
        return NQ_END;
    } else {
        take_off(shape, step);
    }
    step->tests = looked;
    return NQ_OK;
}

static enum nq_status step_bitboard(void *machine, struct step *step)
{
    const enum nq_status status = step_by_row(machine, choose_next, step);
    if (status == NQ_OK && step->kind == STEP_PLACE)
        step->tests = 1;
    return status;
}

static enum nq_status step_mrv(void *machine, struct step *step)
{
    return step_by_row(machine, choose_fewest, step);
}

/* The row of the first queen that attacks a square; NOWHERE: there is none. */
static uint32_t attacker(const struct shape_machine *shape, uint32_t row, uint32_t column)
{
    uint32_t by = 0;
    while (by < shape->depth && !(attack_of(shape, by, shape->level[by].column)[row] >> column & 1))
        by++;
    return by < shape->depth ? by : NOWHERE;
}

/* Squares are tried one by one, but not walls and other squares that hold no queen. */
static enum nq_status step_recursion(void *machine, struct step *step)
{
    struct shape_machine *shape = machine;
    const bool whole = is_whole(shape);
    struct shape_level *level = &shape->level[whole ? 0 : shape->depth];
    if (whole && !shape->listed) {
        list(shape, step);
        return NQ_OK;
    }
    if (!whole && !shape->chosen) {
        level->row = shape->depth;
        level->untried = shape->board.shape.allow[level->row];
        shape->chosen = true;
    }
    if (whole || !level->untried) {
        if (shape->depth == 0)
            return NQ_END;
        take_off(shape, step);
        return NQ_OK;
    }
    take_square(shape);
    const uint32_t by = attacker(shape, level->row, level->column);
    if (by == NOWHERE) {
        place(shape, step);
    } else {
        *step = step_on_square(STEP_REJECT, level->row, level->column, shape->depth);
        step->by = by;
    }
    step->tests = 1;
    return NQ_OK;
}

const struct machine_class machine_shape_bitboard = {
    .open = open_shape, .step = step_bitboard, .board = write_board, .close = close_shape};
const struct machine_class machine_shape_recursion = {
    .open = open_shape, .step = step_recursion, .board = write_board, .close = close_shape};
const struct machine_class machine_shape_mrv = {
    .open = open_shape, .step = step_mrv, .board = write_board, .close = close_shape};
