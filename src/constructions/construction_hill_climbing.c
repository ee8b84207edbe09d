/* construction_hill_climbing.c - of all boards that differ by one queen in her row, the best one is next; where none is
 * better, an equally good one, for a while; then it starts again at random. Steepest-ascent hill climbing with sideways
 * moves and random restarts, as in S. Russell, P. Norvig, Artificial Intelligence: A Modern Approach, 4.1. */
#include "constructions/construction.h"
#include "steps/listing.h"
#include "steps/pairs.h"

/* Moves in a row that make nothing better, as there. */
enum { SIDEWAYS = 100 };

struct climb {
    struct repair repair;
    uint32_t sideways;
};

/* Squares to which a queen of their row can go so that the fewest pairs are left. */
struct best {
    int64_t energy;
    uint32_t count;
    uint16_t squares[PAIRS_MAX_N * PAIRS_MAX_N];
};

static void look_at_row(struct pairs *pairs, uint32_t row, struct best *best)
{
    const uint32_t own = pairs->column[row];
    pairs_take(pairs, row);
    for (uint32_t column = 0; column < pairs->n; column++) {
        const int64_t energy = pairs->energy + pairs_on_lines(pairs, row, column);
        if (column == own || energy > best->energy)
            continue;
        if (energy < best->energy)
            best->count = 0;
        best->energy = energy;
        best->squares[best->count++] = (uint16_t)(row * pairs->n + column);
    }
    pairs_put(pairs, row, own);
}

/* The best move; false: all make it worse, or too many have made nothing better. */
static bool climb_move(struct climb *climb, struct step *step)
{
    struct pairs *pairs = &climb->repair.pairs;
    const uint32_t n = pairs->n;
    struct best best = {.energy = pairs->energy};
    for (uint32_t row = 0; row < n; row++)
        look_at_row(pairs, row, &best);
    climb->sideways = best.energy < pairs->energy ? 0 : climb->sideways + 1;
    if (!best.count || climb->sideways > SIDEWAYS)
        return false;
    const uint32_t square = best.squares[random_below(&climb->repair.random, best.count)];
    pairs_take(pairs, square / n);
    pairs_put(pairs, square / n, square % n);
    *step = pairs_step(pairs, STEP_MOVE, square / n, square % n);
    return true;
}

static enum nq_status climb_step(void *machine, struct step *step)
{
    struct climb *climb = machine;
    struct repair *repair = &climb->repair;
    if (repair->ended)
        return NQ_END;
    if (repair_solved(repair, step))
        return NQ_OK;
    const bool looked = repair->pairs.n;
    if (!looked || !climb_move(climb, step)) {
        climb->sideways = 0;
        repair_draw(repair, step);
    }
    step->tests = looked ? repair->n * (repair->n - 1) : 0;
    return NQ_OK;
}

LISTING_FILE(text_hill_climbing, "hill-climbing.py")
static const struct listing listing = {
    .language = "Python",
    .row = "r",
    .column = "c",
    .board = "x",
    LISTING_TEXT(text_hill_climbing),
    .line = {[STEP_TAKE] = 20, [STEP_MOVE] = 32, [STEP_SOLUTION] = 33},
};

static const struct machine_class machine_hill_climbing = {
    .size = sizeof(struct climb),
    .begin = repair_begin,
    .step = climb_step,
    .board = repair_board,
    .close = free,
    .listing = &listing,
};

const struct construction construction_hill_climbing = {
    .name = "hill-climbing",
    .title = "Russell, Norvig, hill climbing",
    .summary = "the best of all moves of one queen, up to 100 that make nothing better, then a new start at random",
    .complexity = "O(n^2) a move, with no bound on the number of moves; O(n) memory",
    .source = "S. Russell, P. Norvig, Artificial Intelligence: A Modern Approach, fourth edition, 4.1 (2020)",
    .year = 2020,
    .max_n = PAIRS_MAX_N,
    .takes = TAKES_SEED,
    .machine = &machine_hill_climbing,
    .tests = "moves looked at: n (n - 1) for each",
    .machine_max_n = PAIRS_MAX_N,
};
