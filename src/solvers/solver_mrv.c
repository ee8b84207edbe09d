/* solver_mrv.c - backtracking that fills the row with the fewest free squares next, wherever it lies: minimum remaining
 * values, or fail first. A row without a free square turns it back at once. It knows nothing of columns that cannot be
 * filled any more. */
#include <stdlib.h>

#include "base/wide.h"
#include "solvers/machine_shape.h"
#include "solvers/solver.h"
#include "steps/listing.h"

struct mrv_level {
    uint32_t row, column; /* of its queen */
    uint64_t untried;     /* columns of that row */
};

struct mrv {
    uint32_t n;
    uint32_t depth; /* queens that stand: those of the levels above */
    bool chosen;    /* the row of the level at depth */
    bool listed;    /* the whole board, if that is what stands */
    uint64_t rows;  /* without a queen */
    /* Taken by queens: bit column, row + column, column - row + n - 1. */
    uint64_t columns;
    nq_wide sums, differences;
    struct mrv_level level[MACHINE_MAX_N];
    bool by_rule;                          /* not the lines decide which squares are free, */
    struct filter left[MACHINE_MAX_N + 1]; /* but what queens leave: */
};

static void mrv_begin(const struct machine_settings *settings, void *machine)
{
    struct mrv *mrv = machine;
    mrv->n = settings->n;
    mrv->rows = ~UINT64_C(0) >> (64 - mrv->n);
    mrv->by_rule = !rule_by_lines(settings->rule);
    filter_begin(&mrv->left[0], mrv->n);
    mrv->left[0].rule = settings->rule;
}

static uint64_t free_squares(const void *of, uint32_t row)
{
    const struct mrv *mrv = of;
    const uint64_t all = ~UINT64_C(0) >> (64 - mrv->n);
    if (mrv->by_rule)
        return mrv->left[mrv->depth].allow[row];
    return all & ~(mrv->columns | (uint64_t)(mrv->sums >> row) | (uint64_t)(mrv->differences >> (mrv->n - 1 - row)));
}

/* Returns how many rows were looked at. */
static uint32_t choose(struct mrv *mrv)
{
    struct mrv_level *level = &mrv->level[mrv->depth];
    mrv->chosen = true;
    return fewest_row(mrv->rows, free_squares, mrv, &level->row, &level->untried);
}

/* Puts a queen on an empty row, or takes it off again. */
static void flip(struct mrv *mrv, uint32_t row, uint32_t column)
{
    mrv->rows ^= UINT64_C(1) << row;
    mrv->columns ^= UINT64_C(1) << column;
    mrv->sums ^= (nq_wide)1 << (row + column);
    mrv->differences ^= (nq_wide)1 << (column + mrv->n - 1 - row);
}

static enum nq_status mrv_step(void *machine, struct step *step)
{
    struct mrv *mrv = machine;
    const bool whole = mrv->depth == mrv->n;
    if (whole && !mrv->listed) {
        mrv->listed = true;
        *step = step_on_board(STEP_SOLUTION, mrv->n);
        return NQ_OK;
    }
    const uint32_t looked = whole || mrv->chosen ? 0 : choose(mrv);
    struct mrv_level *level = mrv->level + mrv->depth;
    const bool place = !whole && level->untried;
    if (place) {
        level->column = (uint32_t)__builtin_ctzll(level->untried);
        level->untried &= level->untried - 1;
        mrv->depth++;
        mrv->chosen = mrv->listed = false;
    } else if (mrv->depth == 0) {
        return NQ_END;
    } else {
        mrv->depth--;
        mrv->chosen = true;
        level--;
    }
    flip(mrv, level->row, level->column);
    if (place && mrv->by_rule) {
        mrv->left[mrv->depth] = mrv->left[mrv->depth - 1];
        filter_place(&mrv->left[mrv->depth], level->row, level->column);
    }
    *step = step_on_square(place ? STEP_PLACE : STEP_REMOVE, level->row, level->column, mrv->depth);
    step->tests = looked;
    return NQ_OK;
}

static void mrv_board(const void *machine, uint32_t *columns)
{
    const struct mrv *mrv = machine;
    for (uint32_t row = 0; row < mrv->n; row++)
        columns[row] = NOWHERE;
    for (uint32_t i = 0; i < mrv->depth; i++)
        columns[mrv->level[i].row] = mrv->level[i].column;
}

LISTING_FILE(text_mrv, "mrv.py")
static const struct listing listing = {
    .language = "Python",
    .row = "r",
    .column = "c",
    .board = "x",
    LISTING_TEXT(text_mrv),
    .line = {[STEP_PLACE] = 16, [STEP_SOLUTION] = 17, [STEP_REMOVE] = 19},
};

static const struct machine_class machine_mrv = {
    .size = sizeof(struct mrv),
    .begin = mrv_begin,
    .step = mrv_step,
    .board = mrv_board,
    .close = free,
    .listing = &listing,
};

const struct solver solver_mrv = {
    .name = "mrv",
    .title = "Golomb, Baumert 1965, MRV",
    .by_rule = true,
    .summary = "backtracking that fills the row with the fewest free squares next (minimum remaining values)",
    .order = "by the row with the fewest free squares, from above; squares from the left",
    .complexity = "O(n) a placement; O(n) memory",
    .source = "S. W. Golomb, L. D. Baumert, Backtrack Programming, Journal of the ACM 12 (1965), 516-524",
    .year = 1965,
    .tests = "rows whose free squares are counted",
    .max_n = MACHINE_MAX_N,
    .lists = LISTS_ALL,
    .machine = &machine_mrv,
    .shaped = &machine_shape_mrv,
};
