/* solver_romani_3.c - the upper halves first, all of them, level by level; then one after the other is completed, again
 * by levels. F. Romani, Ancora le Regine, MCmicrocomputer (1993), algorithm 3. */
#include "solvers/levels.h"
#include "solvers/solver.h"

/* [n/2] rows, and one for n = 1. */
static enum nq_status romani_3_open(const struct machine_settings *settings, void **machine)
{
    struct machine_settings staged = *settings;
    if (!staged.splits) {
        staged.splits = 1;
        staged.split[0] = staged.n < 2 ? 1 : staged.n / 2;
    }
    return levels_open(&staged, machine);
}

static const struct machine_class machine_romani_3 = {
    .open = romani_3_open,
    .step = levels_step,
    .board = levels_board,
    .close = levels_close,
};

const struct solver solver_romani_3 = {
    .name = "romani-3",
    .summary = "all upper halves level by level, then one after the other completed until one can be: all it has",
    .order = "lexicographic",
    .complexity =
        "at most n - 1 tests a partial placement; all halves in memory: up to n=15, with an earlier split to n=20",
    .source = "F. Romani, Ancora le Regine, MCmicrocomputer, algorithm 3",
    .year = 1993,
    .tests = "squares of the next row tried below a partial placement",
    .max_n = 20,
    .lists = LISTS_SOME,
    .heeds = HEEDS_COLUMN | HEEDS_SPLIT,
    .splits = 1,
    .machine = &machine_romani_3,
};
