/* solver_min_conflicts.c - a queen in every row, and then repairs: one that is attacked goes to a square of its row
 * where the fewest attack it, until none is attacked. It lists one solution, and can never find
 * that there is none. After S. Minton and others, Minimizing conflicts (1992). */
#include <stdlib.h>

#include "base/random.h"
#include "solvers/solver.h"
#include "steps/listing.h"

/* Moves until it starts anew, by rows. Repairs get stuck now and then: a queen goes to and fro. */
enum { MOVES_A_ROW = 8 };

enum next { NEXT_START, NEXT_MOVE, NEXT_END };

struct repair {
    uint32_t n;
    enum next next;
    uint32_t moves;  /* since the start */
    uint32_t placed; /* rows with a queen, from the first on */
    uint32_t tests;  /* of the last step: squares, and how many queens attack each */
    int64_t pairs;   /* of queens that attack each other */
    struct random random;
    uint32_t column[MACHINE_MAX_N]; /* by row */
    /* Queens in each line: column, row + column, column - row + n - 1. */
    uint8_t columns[MACHINE_MAX_N], sums[2 * MACHINE_MAX_N - 1], differences[2 * MACHINE_MAX_N - 1];
};

static void repair_begin(const struct machine_settings *settings, void *machine)
{
    struct repair *repair = machine;
    repair->n = settings->n;
    repair->next = repair->n == 2 || repair->n == 3 ? NEXT_END : NEXT_START;
    repair->random = random_begin(settings->seed, 0);
}

/* Queens that attack a square whose row has none. */
static uint32_t attackers(const struct repair *repair, uint32_t row, uint32_t column)
{
    return (uint32_t)repair->columns[column] + repair->sums[row + column] +
           repair->differences[column + repair->n - 1 - row];
}

static void put(struct repair *repair, uint32_t row, uint32_t column)
{
    repair->pairs += attackers(repair, row, column);
    repair->column[row] = column;
    repair->columns[column]++;
    repair->sums[row + column]++;
    repair->differences[column + repair->n - 1 - row]++;
}

static void take_off(struct repair *repair, uint32_t row)
{
    const uint32_t column = repair->column[row];
    repair->columns[column]--;
    repair->sums[row + column]--;
    repair->differences[column + repair->n - 1 - row]--;
    repair->pairs -= attackers(repair, row, column);
}

/* One of the squares of a row without a queen that the fewest attack, but for one of them: each as likely. */
static uint32_t best_column(struct repair *repair, uint32_t row, uint32_t but)
{
    uint32_t best[MACHINE_MAX_N], count = 0, fewest = UINT32_MAX;
    for (uint32_t column = 0; column < repair->n; column++) {
        if (column == but)
            continue;
        const uint32_t attacked = attackers(repair, row, column);
        repair->tests++;
        if (attacked < fewest) {
            fewest = attacked;
            count = 0;
        }
        if (attacked == fewest)
            best[count++] = column;
    }
    return best[random_below(&repair->random, count)];
}

/* Row by row from above, each queen to where the fewest of those that stand attack it. */
static void start(struct repair *repair)
{
    *repair = (struct repair){.n = repair->n, .next = NEXT_MOVE, .random = repair->random};
    for (; repair->placed < repair->n; repair->placed++)
        put(repair, repair->placed, best_column(repair, repair->placed, NOWHERE));
}

/* One of the queens that are attacked, each as likely. There is one. */
static uint32_t attacked_row(struct repair *repair)
{
    uint32_t rows[MACHINE_MAX_N], count = 0;
    repair->tests += repair->n;
    for (uint32_t row = 0; row < repair->n; row++)
        if (attackers(repair, row, repair->column[row]) > 3) /* itself, in each of its lines */
            rows[count++] = row;
    return rows[random_below(&repair->random, count)];
}

/* The queen always goes somewhere else: staying would be no step. */
static void move(struct repair *repair, struct step *step)
{
    const uint32_t row = attacked_row(repair), from = repair->column[row];
    take_off(repair, row);
    put(repair, row, best_column(repair, row, from));
    repair->moves++;
    step->row = row;
    step->column = repair->column[row];
}

static enum nq_status repair_step(void *machine, struct step *step)
{
    struct repair *repair = machine;
    if (repair->next == NEXT_END)
        return NQ_END;
    *step = (struct step){.row = NOWHERE, .column = NOWHERE, .by = NOWHERE, .states = 1, .has_energy = true};
    repair->tests = 0;
    if (repair->next == NEXT_MOVE && repair->pairs == 0) {
        step->kind = STEP_SOLUTION;
        repair->next = NEXT_END;
    } else if (repair->next == NEXT_MOVE && repair->moves < MOVES_A_ROW * repair->n) {
        step->kind = STEP_MOVE;
        move(repair, step);
    } else {
        step->kind = STEP_TAKE;
        start(repair);
    }
    step->depth = repair->placed;
    step->tests = repair->tests;
    step->energy = repair->pairs;
    return NQ_OK;
}

static void repair_board(const void *machine, uint32_t *columns)
{
    const struct repair *repair = machine;
    for (uint32_t row = 0; row < repair->n; row++)
        columns[row] = row < repair->placed ? repair->column[row] : NOWHERE;
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
    .size = sizeof(struct repair),
    .begin = repair_begin,
    .step = repair_step,
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
