/* solver_romani_4.c - three stages, each taking up one after the other what the one before has found. F. Romani, Ancora
 * le Regine, MCmicrocomputer (1993), algorithm 4. */
#include "solvers/levels.h"
#include "solvers/solver.h"

/* The article has n = 13 only, with 4 and 8 rows. */
static enum nq_status romani_4_open(const struct machine_settings *settings, void **machine)
{
    struct machine_settings staged = *settings;
    if (!staged.splits) {
        staged.splits = 2;
        staged.split[0] = staged.n < 3 ? 1 : staged.n / 3;
        staged.split[1] = staged.n < 3 ? 1 : 2 * staged.n / 3;
    }
    return levels_open(&staged, machine);
}

static const struct machine_class machine_romani_4 = {
    .open = romani_4_open,
    .step = levels_step,
    .board = levels_board,
    .close = levels_close,
};

const struct solver solver_romani_4 = {
    .name = "romani-4",
    .summary =
        "as romani-3 in three stages: a third of the rows, two thirds of them, then one after the other completed",
    .order = "lexicographic",
    .complexity =
        "at most n - 1 tests a partial placement; all two thirds in memory: up to n=14, with earlier splits to n=20",
    .source = "F. Romani, Ancora le Regine, MCmicrocomputer, algorithm 4",
    .year = 1993,
    .tests = "squares of the next row tried below a partial placement",
    .errata = "What it calls k steps of QS1[n, k] and QS2[s, n, k] are k rows, those of s included.",
    .max_n = 20,
    .lists = LISTS_SOME,
    .heeds = HEEDS_COLUMN | HEEDS_SPLIT,
    .splits = 2,
    .machine = &machine_romani_4,
};
