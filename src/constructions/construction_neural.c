/* construction_neural.c - n x n binary neurons, one a square, that inhibit each other along columns and diagonals until
 * those that fire are a solution. It knows nothing of formats, nor who watches.
 *
 * A network is set up so that its energy has minima at solutions, and is left to settle; construction_freeman.c has one
 * of real numbers. This one is binary. Its neurons are maximum neurons, a model of Y. Takefuji and others, which N.
 * Funabiki, Y. Takenaka, S. Nishikawa, A maximum neural network approach for N-queens problems, Biological Cybernetics
 * 76 (1997), 251-255, take to boards of up to 500: in each row the neuron with the largest input fires, so there is
 * always one queen a row. We know that paper by its abstract; what follows is ours.
 *
 * With V = 1 for a neuron that fires and 0 for one that does not, the energy E is the number of pairs that fire on one
 * column or diagonal: k (k - 1) / 2 for each line with k of them. The input of a neuron is -dE/dV: minus the number of
 * those that fire on its three lines. Rows are updated one after the other, so an update never makes the energy rise;
 * only a new start can. When several inputs are the largest, one of those that did not fire does now, drawn at random:
 * so the network moves on where the energy is level. It does until the energy is 0; or until in each row the one that
 * fires is better than any other, a stable state; or it wanders on a level that nothing leads down from. In the last
 * two cases it starts again, at random. All in all it is what others call min-conflicts, visiting the rows in turn.
 *
 * What was tried besides, in sweeps of n row updates until a solution, means over seeds, for n = 9 .. 30 and 31 .. 100:
 * as here 9.8 and 10.1. Ties go to any of the largest, the one that fires among them: 13.1 and 10.5. To the one that
 * fires: 114 and 1518, since nearly every start ends in a stable state. Inputs that add up from update to update, as
 * potentials between bounds: whatever the bounds, the median was above 2000 at n = 50 and above 5000 at n = 200. */
#include <assert.h>
#include <stdlib.h>

#include "base/random.h"
#include "constructions/construction.h"
#include "steps/listing.h"

/* As large as the boards of the paper above. */
enum { NEURAL_MAX_N = 500 };

/* It starts again after so many sweeps without a new lowest energy. Swept over 5, 10, 20, 30, 40, 60, 100, means over
 * 100 to 3000 seeds, in sweeps until a solution:
 * - n = 6: 11.5, 10.9, 10.7, 10.8, 11.1, 11.7, 13.0
 * - n = 9 .. 30: 12.0, 10.4, 9.8, 9.8, 9.7, 9.8, 9.8
 * - n = 31 .. 100: 13.7, 11.0, 10.3, 10.1, 10.1, 10.1, 10.1
 * - n = 500: 15.8, 13.0, 11.8, 11.5, 11.5, 11.5, 11.5; the most of 300 seeds 71, 48, 63, 45, 36, 36, 36.
 * With 30, every n = 4 .. 500 came to a solution with each of 40 seeds, after two starts beyond the first at most. */
enum { PATIENCE = 30 };

enum { DIAGONALS = 2 * NEURAL_MAX_N - 1 };

struct neural {
    uint32_t n;
    uint64_t seed, starts; /* each start has a stream of random numbers of its own */
    struct random random;
    bool ended;
    int64_t energy, lowest;        /* the lowest since the start */
    uint32_t row;                  /* the one to be updated next */
    uint32_t still, vain;          /* rows updated since a neuron changed, since the energy had a new lowest */
    uint16_t firing[NEURAL_MAX_N]; /* of each row the column */
    /* How many fire on each column, and on the diagonals, by column + row and column + (n - 1 - row); how many on the
     * lines of each neuron of the row that is being updated. Of 16 bits, with a sign, and all with the column
     * ascending: so the compiler makes vectors of them on any machine. */
    int16_t columns[NEURAL_MAX_N], up[DIAGONALS], down[DIAGONALS], inhibited[NEURAL_MAX_N];
};

static void neural_begin(const struct machine_settings *settings, void *machine)
{
    assert(settings->n >= 1 && settings->n <= NEURAL_MAX_N);
    struct neural *neural = machine;
    neural->n = settings->n;
    neural->seed = settings->seed;
    neural->ended = settings->n == 2 || settings->n == 3;
}

/* How many fire on the lines of a square. */
static int64_t inhibition(const struct neural *neural, uint32_t row, uint32_t column)
{
    return (int64_t)neural->columns[column] + neural->up[column + row] + neural->down[column + (neural->n - 1 - row)];
}

/* The neuron fires from now on, or no longer: the energy goes with the pairs that it makes. */
static void fire(struct neural *neural, uint32_t row, uint32_t column)
{
    neural->energy += inhibition(neural, row, column);
    neural->columns[column]++;
    neural->up[column + row]++;
    neural->down[column + (neural->n - 1 - row)]++;
    neural->firing[row] = (uint16_t)column;
}

static void quench(struct neural *neural, uint32_t row)
{
    const uint32_t column = neural->firing[row];
    neural->columns[column]--;
    neural->up[column + row]--;
    neural->down[column + (neural->n - 1 - row)]--;
    neural->energy -= inhibition(neural, row, column);
}

/* In every row any neuron. */
static void start(struct neural *neural)
{
    const struct neural fresh = {.n = neural->n, .seed = neural->seed, .starts = neural->starts + 1};
    const uint64_t stream = neural->starts;
    *neural = fresh;
    neural->random = random_begin(neural->seed, stream);
    for (uint32_t row = 0; row < neural->n; row++)
        fire(neural, row, random_below(&neural->random, neural->n));
    neural->lowest = neural->energy;
}

/* The neuron of a row with the largest input, so inhibited by the fewest; of several one that has not fired. The row's
 * own does not count, and has just been quenched. */
static uint32_t maximum(struct neural *neural, uint32_t row)
{
    const uint32_t n = neural->n, firing = neural->firing[row];
    const int16_t *columns = neural->columns, *up = neural->up + row, *down = neural->down + (n - 1 - row);
    int16_t *restrict inhibited = neural->inhibited, fewest = INT16_MAX, equal = 0;
    for (uint32_t column = 0; column < n; column++) {
        const int16_t by = (int16_t)(columns[column] + up[column] + down[column]);
        inhibited[column] = by;
        if (by < fewest)
            fewest = by;
    }
    for (uint32_t column = 0; column < n; column++)
        equal = (int16_t)(equal + (inhibited[column] == fewest));
    if (inhibited[firing] == fewest && --equal == 0)
        return firing;
    uint32_t skipped = equal > 1 ? random_below(&neural->random, (uint32_t)equal) : 0, column = 0;
    for (; column < n - 1; column++)
        if (inhibited[column] == fewest && column != firing && skipped-- == 0)
            break;
    return column;
}

/* Updates the neurons of the next row. Whether another fires now. */
static bool update(struct neural *neural)
{
    const uint32_t row = neural->row, before = neural->firing[row];
    quench(neural, row);
    fire(neural, row, maximum(neural, row));
    neural->row = row + 1 < neural->n ? row + 1 : 0;
    const bool changed = neural->firing[row] != before;
    neural->still = changed ? 0 : neural->still + 1;
    neural->vain++;
    if (neural->energy < neural->lowest) {
        neural->lowest = neural->energy;
        neural->vain = 0;
    }
    return changed;
}

/* A row that stays as it is had nothing to draw, so that after n of them all will for ever. */
static bool stuck(const struct neural *neural)
{
    return neural->still == neural->n || neural->vain >= PATIENCE * neural->n;
}

static enum nq_status solution(struct neural *neural)
{
    uint32_t columns[NEURAL_MAX_N];
    bool valid;
    for (uint32_t row = 0; row < neural->n; row++)
        columns[row] = neural->firing[row];
    if (nq_verify(neural->n, columns, &valid) != NQ_OK)
        return NQ_NOMEM;
    assert(valid);
    neural->ended = true;
    return NQ_OK;
}

/* Rows that stay as they are make no step of their own: at most a sweep of them is part of one. */
static enum nq_status neural_step(void *machine, struct step *step)
{
    struct neural *neural = machine;
    *step = (struct step){.row = NOWHERE, .column = NOWHERE, .by = NOWHERE, .states = 1, .has_energy = true};
    if (neural->ended)
        return NQ_END;
    step->depth = neural->n;
    if (neural->starts && !neural->energy) {
        step->kind = STEP_SOLUTION;
        return solution(neural);
    }
    while (neural->starts && !stuck(neural)) {
        const uint32_t row = neural->row;
        step->tests += neural->n;
        if (!update(neural))
            continue;
        step->kind = STEP_MOVE;
        step->row = row;
        step->column = neural->firing[row];
        step->energy = neural->energy;
        return NQ_OK;
    }
    start(neural);
    step->kind = STEP_TAKE;
    step->energy = neural->energy;
    return NQ_OK;
}

static void neural_board(const void *machine, uint32_t *columns)
{
    const struct neural *neural = machine;
    for (uint32_t row = 0; row < neural->n; row++)
        columns[row] = neural->starts ? neural->firing[row] : NOWHERE;
}

LISTING_FILE(text_neural, "neural.py")
static const struct listing listing = {
    .language = "Python",
    .row = "r",
    .column = "c",
    .board = "x",
    LISTING_TEXT(text_neural),
    .line = {[STEP_TAKE] = 22, [STEP_MOVE] = 33, [STEP_SOLUTION] = 38},
};

static const struct machine_class machine_neural = {
    .size = sizeof(struct neural),
    .begin = neural_begin,
    .step = neural_step,
    .board = neural_board,
    .close = free,
    .listing = &listing,
};

const struct construction construction_neural = {
    .name = "neural",
    .title = "Funabiki et al. 1997, maximum neurons",
    .summary = "a maximum neural network that settles on a solution",
    .complexity = "O(n) an update, with no bound on the number of updates; O(n) memory",
    .source =
        "N. Funabiki, Y. Takenaka, S. Nishikawa, A maximum neural network approach for N-queens problems, Biological "
        "Cybernetics 76, 251-255 (1997)",
    .year = 1997,
    .max_n = NEURAL_MAX_N,
    .takes = TAKES_SEED,
    .machine = &machine_neural,
    .tests = "neurons whose input is looked at",
    .machine_max_n = NEURAL_MAX_N,
};
