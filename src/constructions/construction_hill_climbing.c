/* construction_hill_climbing.c - of all boards that differ by one queen in her row, the best one is next; where none is
 * better, an equally good one, for a while; then it starts again at random. Steepest-ascent hill climbing with sideways
 * moves and random restarts, as in S. Russell, P. Norvig, Artificial Intelligence: A Modern Approach, 4.1. */
#include "constructions/pairs.h"
#include "steps/listing.h"

/* Moves in a row that make nothing better, as there. */
enum { SIDEWAYS = 100 };

struct climb {
    struct random random;
    struct pairs pairs;
    uint32_t n, sideways;
    bool ended;
};

static void climb_begin(const struct machine_settings *settings, void *machine)
{
    assert(settings->n >= 1 && settings->n <= PAIRS_MAX_N);
    struct climb *climb = machine;
    climb->n = settings->n;
    climb->random = random_begin(settings->seed, 0);
    climb->ended = settings->n == 2 || settings->n == 3;
}

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
    struct pairs *pairs = &climb->pairs;
    struct best best = {.energy = pairs->energy};
    for (uint32_t row = 0; row < climb->n; row++)
        look_at_row(pairs, row, &best);
    climb->sideways = best.energy < pairs->energy ? 0 : climb->sideways + 1;
    if (!best.count || climb->sideways > SIDEWAYS)
        return false;
    const uint32_t square = best.squares[random_below(&climb->random, best.count)];
    pairs_take(pairs, square / climb->n);
    pairs_put(pairs, square / climb->n, square % climb->n);
    *step = pairs_step(pairs, STEP_MOVE, square / climb->n, square % climb->n);
    return true;
}

static enum nq_status climb_step(void *machine, struct step *step)
{
    struct climb *climb = machine;
    if (climb->ended)
        return NQ_END;
    if (climb->pairs.n && !climb->pairs.energy) {
        climb->ended = true;
        *step = pairs_step(&climb->pairs, STEP_SOLUTION, NOWHERE, NOWHERE);
        return NQ_OK;
    }
    const bool looked = climb->pairs.n;
    if (!looked || !climb_move(climb, step)) {
        climb->sideways = 0;
        pairs_draw(&climb->pairs, climb->n, &climb->random);
        *step = pairs_step(&climb->pairs, STEP_TAKE, NOWHERE, NOWHERE);
    }
    step->tests = looked ? climb->n * (climb->n - 1) : 0;
    return NQ_OK;
}

static void climb_board(const void *machine, uint32_t *columns)
{
    const struct climb *climb = machine;
    pairs_write(&climb->pairs, climb->n, columns);
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
    .begin = climb_begin,
    .step = climb_step,
    .board = climb_board,
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
