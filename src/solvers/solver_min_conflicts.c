/* solver_min_conflicts.c - a queen in every row, and then repairs: one that is attacked goes to a square of its row
 * where the fewest attack it, until none is attacked. It lists one solution, and can never find
 * that there is none. After S. Minton and others, Minimizing conflicts (1992). */
#include <stdlib.h>

#include "solvers/solver.h"
#include "steps/listing.h"
#include "steps/pairs.h"

/* Moves until it starts anew, by rows. Repairs get stuck now and then: a queen goes to and fro. */
enum { MOVES_A_ROW = 8 };

struct min_conflicts {
    struct repair repair;
    uint32_t moves; /* since the start */
    uint32_t tests; /* of the last step: squares, and how many queens attack each */
};

/* One of the squares of a row without a queen that the fewest attack, but for one of them: each as likely. */
static uint32_t best_column(struct min_conflicts *conflicts, uint32_t row, uint32_t but)
{
    const struct pairs *pairs = &conflicts->repair.pairs;
    uint32_t best[PAIRS_MAX_N], count = 0;
    int64_t fewest = INT64_MAX;
    for (uint32_t column = 0; column < pairs->n; column++) {
        if (column == but)
            continue;
        const int64_t attacked = pairs_on_lines(pairs, row, column);
        conflicts->tests++;
        if (attacked < fewest) {
            fewest = attacked;
            count = 0;
        }
        if (attacked == fewest)
            best[count++] = column;
    }
    return best[random_below(&conflicts->repair.random, count)];
}

/* Row by row from above, each queen to where the fewest of those that stand attack it. */
static void start(struct min_conflicts *conflicts, struct step *step)
{
    struct pairs *pairs = &conflicts->repair.pairs;
    *pairs = (struct pairs){.n = conflicts->repair.n};
    conflicts->moves = 0;
    for (uint32_t row = 0; row < pairs->n; row++)
        pairs_put(pairs, row, best_column(conflicts, row, NOWHERE));
    *step = pairs_step(pairs, STEP_TAKE, NOWHERE, NOWHERE);
}

/* One of the queens that are attacked, each as likely. There is one. */
static uint32_t attacked_row(struct min_conflicts *conflicts)
{
    const struct pairs *pairs = &conflicts->repair.pairs;
    uint32_t rows[PAIRS_MAX_N], count = 0;
    conflicts->tests += pairs->n;
    for (uint32_t row = 0; row < pairs->n; row++)
        if (pairs_on_lines(pairs, row, pairs->column[row]) > 3) /* itself, in each of its lines */
            rows[count++] = row;
    return rows[random_below(&conflicts->repair.random, count)];
}

/* The queen always goes somewhere else: staying would be no step. */
static void move(struct min_conflicts *conflicts, struct step *step)
{
    struct pairs *pairs = &conflicts->repair.pairs;
    const uint32_t row = attacked_row(conflicts), from = pairs->column[row];
    pairs_take(pairs, row);
    pairs_put(pairs, row, best_column(conflicts, row, from));
    conflicts->moves++;
    *step = pairs_step(pairs, STEP_MOVE, row, pairs->column[row]);
}

static enum nq_status conflicts_step(void *machine, struct step *step)
{
    struct min_conflicts *conflicts = machine;
    struct repair *repair = &conflicts->repair;
    if (repair->ended)
        return NQ_END;
    if (repair_solved(repair, step))
        return NQ_OK;
    conflicts->tests = 0;
    if (repair->pairs.n && conflicts->moves < MOVES_A_ROW * repair->n)
        move(conflicts, step);
    else
        start(conflicts, step);
    step->tests = conflicts->tests;
    return NQ_OK;
}

LISTING_FILE(text_min_conflicts, "min-conflicts.py")
static const struct listing listing = {
    .language = "Python",
    .row = "r",
    .column = "c",
    .board = "x",
    LISTING_TEXT(text_min_conflicts),
    .line = {[STEP_TAKE] = 22, [STEP_MOVE] = 27, [STEP_SOLUTION] = 30},
};

static const struct machine_class machine_min_conflicts = {
    .size = sizeof(struct min_conflicts),
    .begin = repair_begin,
    .step = conflicts_step,
    .board = repair_board,
    .close = free,
    .listing = &listing,
};

const struct solver solver_min_conflicts = {
    .name = "min-conflicts",
    .title = "Minton 1992, min-conflicts",
    .summary = "local search: an attacked queen moves to the square of its row with the fewest attackers; it restarts "
               "when it is stuck; one solution, by seed",
    .order = "the first solution found",
    .complexity = "O(n) a move, O(n^2) a start; O(n) memory; may take any number of moves",
    .source = "S. Minton, M. D. Johnston, A. B. Philips, P. Laird, Minimizing conflicts: a heuristic repair method for "
              "constraint satisfaction and scheduling problems, Artificial Intelligence 58 (1992), 161-205",
    .year = 1992,
    .tests =
        "squares whose attackers are counted: n to find an attacked queen, n - 1 to choose her square, n * n for a "
        "start",
    .max_n = MACHINE_MAX_N,
    .lists = LISTS_SOME,
    .heeds = HEEDS_SEED,
    .machine = &machine_min_conflicts,
};
