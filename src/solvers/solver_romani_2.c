/* solver_romani_2.c - all placements of two rows, of three and so on, the first queen where it is told to be: one list
 * after another, as Increase and Sel make them. F. Romani, Ancora le Regine, MCmicrocomputer (1993), algorithm 2. */
#include "solvers/levels.h"
#include "solvers/solver.h"

/* Solutions are told while the last list is made, in its order; the article has them all at the end. */
static enum nq_status romani_2_open(const struct machine_settings *settings, void **machine)
{
    struct machine_settings staged = *settings;
    staged.splits = 0;
    return levels_open(&staged, machine);
}

static const struct machine_class machine_romani_2 = {
    .open = romani_2_open,
    .step = levels_step,
    .board = levels_board,
    .close = levels_close,
};

const struct solver solver_romani_2 = {
    .name = "romani-2",
    .summary = "level by level: from all placements of the first rows all those of one row more, the first queen given",
    .order = "lexicographic",
    .complexity = "n - 1 tests a partial placement; whole levels in memory, up to 537119 partial placements at n=14",
    .source = "F. Romani, Ancora le Regine, MCmicrocomputer, algorithm 2",
    .year = 1993,
    .tests = "squares of the next row tried below a partial placement",
    .errata = "Its table has 18 solutions for n=9: there are 44. That a queen in the 4th column can always be "
              "completed is not so for n=4.",
    .max_n = 14,
    .lists = LISTS_COLUMN,
    .heeds = HEEDS_COLUMN,
    .machine = &machine_romani_2,
};
