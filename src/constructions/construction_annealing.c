/* construction_annealing.c - any move of one queen in her row that makes nothing worse is done, and a worse one with a
 * probability that falls with the temperature, which falls from move to move: S. Kirkpatrick, C. D. Gelatt, M. P.
 * Vecchi, Optimization by simulated annealing, Science 220 (1983), 671-680, as in S. Russell, P. Norvig, Artificial
 * Intelligence: A Modern Approach, 4.1. When it is cold, it starts again at random.
 *
 * The numbers are integers, so that a seed has the same moves on every machine: temperatures and
 * probabilities have 32 bits after the point. */
#include "constructions/construction.h"
#include "steps/listing.h"
#include "steps/pairs.h"

/* From a temperature of one pair down to an eighth; each move that is tried takes one part of PARTS n^2 of it. Means of
 * 20 seeds, in moves until a solution of n = 8, 12, 20 and 40:
 * - PARTS = 16: 1370, 5054, 17513, 138184
 * - PARTS = 4: 904, 6527, 23787, 252812
 * - PARTS = 16, down to a fifth: 1479, 6854, 43918, 2218973. */
enum { BITS = 32, PARTS = 16 };
#define HOT (UINT64_C(1) << BITS)
#define COLD (HOT / 8)

/* e^-x is about (1 - x / 2^12)^(2^12). */
enum { SQUARINGS = 12 };

struct anneal {
    struct repair repair;
    uint64_t temperature;
};

/* e^(-rise / temperature). */
static uint64_t probability(uint64_t rise, uint64_t temperature)
{
    const uint64_t part = (rise << (2 * BITS - SQUARINGS)) / temperature;
    uint64_t result = part < HOT ? HOT - part : 0;
    for (int i = 0; i < SQUARINGS && result < HOT; i++)
        result = result * result >> BITS;
    return result;
}

/* Tries a move: to any other square of any row, each as likely. */
static void anneal_move(struct anneal *anneal, struct step *step)
{
    struct pairs *pairs = &anneal->repair.pairs;
    struct random *random = &anneal->repair.random;
    const uint32_t n = pairs->n, row = random_below(random, n), own = pairs->column[row];
    const uint32_t other = random_below(random, n - 1), column = other + (other >= own);
    const int64_t before = pairs->energy;
    pairs_take(pairs, row);
    pairs_put(pairs, row, column);
    const bool worse = pairs->energy > before;
    const bool done =
        !worse || random_word(random) < probability((uint64_t)(pairs->energy - before), anneal->temperature);
    if (!done) {
        pairs_take(pairs, row);
        pairs_put(pairs, row, own);
    }
    anneal->temperature -= anneal->temperature / ((size_t)PARTS * n * n);
    *step = pairs_step(pairs, done ? STEP_MOVE : STEP_REJECT, row, column);
    step->tests = 1;
}

static enum nq_status anneal_step(void *machine, struct step *step)
{
    struct anneal *anneal = machine;
    if (anneal->repair.ended)
        return NQ_END;
    if (repair_solved(&anneal->repair, step))
        return NQ_OK;
    if (anneal->repair.pairs.n && anneal->temperature > COLD) {
        anneal_move(anneal, step);
    } else {
        anneal->temperature = HOT;
        repair_draw(&anneal->repair, step);
    }
    return NQ_OK;
}

LISTING_FILE(text_annealing, "annealing.py")
static const struct listing listing = {
    .language = "Python",
    .row = "r",
    .column = "c",
    .board = "x",
    LISTING_TEXT(text_annealing),
    .line = {[STEP_TAKE] = 23, [STEP_REJECT] = 33, [STEP_MOVE] = 34, [STEP_SOLUTION] = 36},
};

static const struct machine_class machine_annealing = {
    .size = sizeof(struct anneal),
    .begin = repair_begin,
    .step = anneal_step,
    .board = repair_board,
    .close = free,
    .listing = &listing,
};

const struct construction construction_annealing = {
    .name = "annealing",
    .title = "Kirkpatrick 1983, simulated annealing",
    .summary = "random moves, of which those that make it worse are done the more seldom the colder it gets",
    .complexity = "O(1) a move, with no bound on the number of moves; O(n) memory",
    .source = "S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, Optimization by simulated annealing, Science 220, 671-680 "
              "(1983)",
    .year = 1983,
    .max_n = PAIRS_MAX_N,
    .takes = TAKES_SEED,
    .machine = &machine_annealing,
    .tests = "moves tried",
    .machine_max_n = PAIRS_MAX_N,
};
