/* solver_recursion.c - eight lines of Python: a function that puts a queen on each square of its row that no queen
 * attacks, calls itself for the next row, and takes the queen off again. It is the search that a lesson begins with;
 * listings/recursion.py is it. The numbering is from 1, as there. */
#include <stdlib.h>

#include "solvers/machine_shape.h"
#include "solvers/solver.h"
#include "steps/listing.h"

struct recursion {
    uint32_t n;
    uint32_t row, col; /* of the call in work, and the square that it tried last; row 0: all returned */
    bool returns;      /* to the call in work, from the one below it or from print(): pop() comes next */
    bool full;         /* the last row has just got its queen: print() comes next */
    uint32_t col_of[MACHINE_MAX_N + 1]; /* by row above the call in work */
};

static void recursion_begin(const struct machine_settings *settings, void *machine)
{
    struct recursion *recursion = machine;
    recursion->n = settings->n;
    recursion->row = 1;
}

/* The first queen that attacks the square; 0: there is none. */
static uint32_t attacker(const struct recursion *recursion, uint32_t row, uint32_t col)
{
    for (uint32_t r = 1; r < row; r++)
        if (nq_attack(r, recursion->col_of[r], row, col))
            return r;
    return 0;
}

static void test_square(struct recursion *recursion, struct step *step)
{
    const uint32_t row = recursion->row, col = ++recursion->col, by = attacker(recursion, row, col);
    *step = step_on_square(by ? STEP_REJECT : STEP_PLACE, row - 1, col - 1, by ? row - 1 : row);
    step->tests = 1;
    if (by) {
        step->by = by - 1;
        return;
    }
    recursion->col_of[row] = col;
    recursion->full = row == recursion->n;
    if (!recursion->full) {
        recursion->row++;
        recursion->col = 0;
    }
}

static void print(struct recursion *recursion, struct step *step)
{
    *step = step_on_board(STEP_SOLUTION, recursion->n);
    step->settled = true;
    recursion->full = false;
    recursion->returns = true;
}

/* After print() that finishes nothing that was not finished. */
static void pop(struct recursion *recursion, struct step *step)
{
    const uint32_t row = recursion->returns ? recursion->row : recursion->row - 1;
    *step = step_on_square(STEP_REMOVE, row - 1, recursion->col_of[row] - 1, row - 1);
    step->settled = !recursion->returns;
    recursion->row = row;
    recursion->col = recursion->col_of[row];
    recursion->returns = false;
}

static enum nq_status recursion_step(void *machine, struct step *step)
{
    struct recursion *recursion = machine;
    const bool tries = recursion->col < recursion->n && !recursion->returns;
    if (recursion->full)
        print(recursion, step);
    else if (tries)
        test_square(recursion, step);
    else if (recursion->row == 1 && !recursion->returns)
        return NQ_END;
    else
        pop(recursion, step);
    return NQ_OK;
}

static void recursion_board(const void *machine, uint32_t *columns)
{
    const struct recursion *recursion = machine;
    const uint32_t queens = recursion->row - !(recursion->full || recursion->returns);
    for (uint32_t row = 1; row <= recursion->n; row++)
        columns[row - 1] = row <= queens ? recursion->col_of[row] - 1 : NOWHERE;
}

/* The queens above the call in work, and the square that it tried last. */
static uint32_t recursion_position(const void *machine, uint32_t *prefix)
{
    const struct recursion *recursion = machine;
    for (uint32_t row = 1; row < recursion->row; row++)
        prefix[row - 1] = recursion->col_of[row] - 1;
    prefix[recursion->row - 1] = recursion->col - 1;
    return recursion->row;
}

static enum nq_status recursion_seek(void *machine, const uint32_t *prefix, uint32_t length)
{
    struct recursion *recursion = machine, moved = {.n = recursion->n, .row = 1};
    if (length > moved.n)
        return NQ_INVALID;
    for (uint32_t row = 1; row <= length; row++) {
        moved.row = row;
        moved.col = prefix[row - 1] + 1;
        if (prefix[row - 1] >= moved.n || attacker(&moved, row, moved.col))
            return NQ_INVALID;
        moved.col_of[row] = moved.col;
    }
    *recursion = moved;
    return NQ_OK;
}

LISTING_FILE(text_recursion, "recursion.py")
static const struct listing listing = {
    .language = "Python",
    .row = "r",
    .column = "c",
    .board = "x",
    LISTING_TEXT(text_recursion),
    .line = {[STEP_REJECT] = 3, [STEP_PLACE] = 4, [STEP_SOLUTION] = 5, [STEP_REMOVE] = 7},
};

static const struct machine_class machine_recursion = {
    .size = sizeof(struct recursion),
    .begin = recursion_begin,
    .step = recursion_step,
    .board = recursion_board,
    .position = recursion_position,
    .seek = recursion_seek,
    .close = free,
    .listing = &listing,
};

const struct solver solver_recursion = {
    .name = "recursion",
    .title = "Recursion",
    .summary =
        "backtracking by recursion in eight lines of Python: each call tries the squares of one row, and compares "
        "them with the queens above",
    .order = "lexicographic",
    .complexity = "one test a square, of up to n queens; O(n) memory",
    .source = "written for this service, after try() in N. Wirth, Algorithms + Data Structures = Programs, 1976",
    .year = 2026,
    .tests = "squares tested",
    .max_n = MACHINE_MAX_N,
    .lists = LISTS_ALL,
    .machine = &machine_recursion,
    .shaped = &machine_shape_recursion,
};
