/* construction_freeman.c - a continuous Hopfield network: n x n neurons, one a square, whose outputs are any numbers
 * from 0 to 1, and which inhibit each other until those that are above one half are a solution, or are none for ever.
 * It knows nothing of formats, nor who watches.
 *
 * That is the network of J. Freeman, A neural network solution to the n-queens problem, The Mathematica Journal 3(3),
 * summer 1993, 52-56, as F. Romani describes it (Ancora le regine): solutions are minima of an energy, a system of
 * ordinary differential equations moves towards local minima, and these are solutions often. We know Freeman's paper by
 * that description. The equations are those of J. J. Hopfield and D. W. Tank, "Neural" computation of decisions in
 * optimization problems, Biological Cybernetics 52 (1985), 141-152. With the input u and the output v of each neuron,
 *
 *   E = A/2 (R + C) + D/2 G + N/2 (sum of v - n)^2      R, C, G: the sums of v v' over all ordered pairs of neurons of
 *   du/dt = -u - dE/dv                                  one row, of one column, of one diagonal of either direction
 *   v = (1 + tanh(u / u0)) / 2
 *
 * with A = D = 1, N = 3/5 and u0 = 3/5; time is counted in time constants of a neuron. Every neuron begins near 1 / n,
 * by so little more or less as the seed draws. Euler's method integrates in steps of 1 / 2n: the term of the number of
 * queens makes the equations stiff in proportion to n.
 *
 * The numbers are integers, a 2^20th of one; for tanh(x) stands x (27 + x^2) / (27 + 9 x^2) up to x = 3, where it is 1:
 * it rises as tanh does and is never more than 0.024 away from it. So a seed has the same steps on every machine.
 *
 * What was tried besides: without the term -u, as some write the equations, at most 51 of 300 seeds of n = 8 and 8 of n
 * = 10 ended in solutions, whatever the other constants. With it, of 100 seeds of n = 8, 10 and 12 there were 85, 40
 * and 54 for u0 = 0.6; 72, 30 and 44 for 0.5; 62, 19 and 17 for 0.4; 25, 6 and 6 for 0.3. The term keeps outputs away
 * from 0 and 1 until most of the board has been decided, and the more so, the larger u0 is. */
#include <assert.h>
#include <stdlib.h>

#include "base/random.h"
#include "constructions/construction.h"

/* Beyond, no output goes far from 1 / n: with this u0 nothing is decided. */
enum { FREEMAN_MAX_N = 16 };

/* Steps are of 1 / PARTS n time constants. */
enum { PARTS = 2 };

/* It has settled when no output changes by more than CHANGE in a time constant; or, where outputs hardly ever come to
 * rest, after so many of them. */
enum { SETTLED = 1 << 6, PATIENCE = 1000 };

enum { BITS = 20, ONE = 1 << BITS, DIAGONALS = 2 * FREEMAN_MAX_N - 1 };

/* N and u0 are both so much: */
enum { SHARE = 3, OF = 5 };

struct freeman {
    uint32_t n;
    struct random random;
    bool begun, ended, settled;
    uint64_t steps;
    int64_t total;                                                                       /* of all outputs */
    int64_t rows[FREEMAN_MAX_N], columns[FREEMAN_MAX_N], up[DIAGONALS], down[DIAGONALS]; /* sums of outputs */
    int32_t input[FREEMAN_MAX_N][FREEMAN_MAX_N], output[FREEMAN_MAX_N][FREEMAN_MAX_N];
};

static void freeman_begin(const struct machine_settings *settings, void *machine)
{
    assert(settings->n >= 1 && settings->n <= FREEMAN_MAX_N);
    struct freeman *freeman = machine;
    freeman->n = settings->n;
    freeman->random = random_begin(settings->seed, 0);
    freeman->ended = settings->n == 2 || settings->n == 3;
}

/* The output of a neuron with this input. */
static int32_t output_of(int64_t input)
{
    const int64_t x = input * OF / SHARE / (1 << 4), three = 3 << 16; /* of 16 bits */
    if (x >= three)
        return ONE;
    if (x <= -three)
        return 0;
    const int64_t square = x * x, above = x * ((INT64_C(27) << 32) + square), below = (INT64_C(27) << 32) + 9 * square;
    return (int32_t)((ONE + above / (below >> 4)) / 2);
}

/* ---- The equations ---- */

static void add_up(struct freeman *freeman)
{
    const uint32_t n = freeman->n;
    freeman->total = 0;
    for (uint32_t i = 0; i < n; i++)
        freeman->rows[i] = freeman->columns[i] = 0;
    for (uint32_t i = 0; i < 2 * n - 1; i++)
        freeman->up[i] = freeman->down[i] = 0;
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t column = 0; column < n; column++) {
            const int64_t output = freeman->output[row][column];
            freeman->rows[row] += output;
            freeman->columns[column] += output;
            freeman->up[row + column] += output;
            freeman->down[column + n - 1 - row] += output;
        }
    for (uint32_t row = 0; row < n; row++)
        freeman->total += freeman->rows[row];
}

/* In each step, all inputs follow from the outputs before it. The largest change of an output. */
static int32_t integrate(struct freeman *freeman)
{
    const uint32_t n = freeman->n;
    const int64_t missing = ((int64_t)n * ONE - freeman->total) * SHARE / OF;
    int32_t largest = 0;
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t column = 0; column < n; column++) {
            int32_t *input = &freeman->input[row][column], *output = &freeman->output[row][column];
            const int64_t inhibition = freeman->rows[row] + freeman->columns[column] + freeman->up[row + column] +
                                       freeman->down[column + n - 1 - row] - 4 * (int64_t)*output;
            *input += (int32_t)((missing - inhibition - *input) / (int64_t)(PARTS * n));
            const int32_t next = output_of(*input), change = abs(next - *output);
            largest = change > largest ? change : largest;
            *output = next;
        }
    add_up(freeman);
    return largest;
}

static int64_t square_of(int64_t sum)
{
    return sum * sum / ONE;
}

/* In thousandths. */
static int64_t energy_of(const struct freeman *freeman)
{
    const uint32_t n = freeman->n;
    int64_t twice = square_of(freeman->total - (int64_t)n * ONE) * SHARE / OF;
    for (uint32_t i = 0; i < n; i++)
        twice += square_of(freeman->rows[i]) + square_of(freeman->columns[i]);
    for (uint32_t i = 0; i < 2 * n - 1; i++)
        twice += square_of(freeman->up[i]) + square_of(freeman->down[i]);
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t column = 0; column < n; column++)
            twice -= 4 * square_of(freeman->output[row][column]);
    return twice * 500 / ONE;
}

/* Outputs of about 1 / n: inputs about u0 / 2 log(1 / (n - 1)), which a search finds, and up to an eighth of u0 more or
 * less. */
static void start(struct freeman *freeman)
{
    const uint32_t n = freeman->n;
    int32_t middle = 0;
    while (output_of(middle) > ONE / (int32_t)n)
        middle -= ONE / 1024;
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t column = 0; column < n; column++) {
            const uint32_t drawn = random_below(&freeman->random, ONE / 32);
            freeman->input[row][column] = middle + (int32_t)drawn - ONE / 64;
            freeman->output[row][column] = output_of(freeman->input[row][column]);
        }
    freeman->begun = true;
    add_up(freeman);
}

/* ---- Its board ---- */

/* The neuron of a row with the largest output, if that is above one half. */
static uint32_t queen_of(const struct freeman *freeman, uint32_t row)
{
    uint32_t best = 0;
    for (uint32_t column = 1; column < freeman->n; column++)
        if (freeman->output[row][column] > freeman->output[row][best])
            best = column;
    return freeman->output[row][best] > ONE / 2 ? best : NOWHERE;
}

static uint32_t queens_of(const struct freeman *freeman, uint32_t *columns)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < freeman->n; row++) {
        columns[row] = freeman->begun ? queen_of(freeman, row) : NOWHERE;
        count += columns[row] != NOWHERE;
    }
    return count;
}

static void freeman_board(const void *machine, uint32_t *columns)
{
    (void)queens_of(machine, columns);
}

/* ---- Its steps ---- */

static void settle(struct freeman *freeman)
{
    const int32_t change = integrate(freeman);
    const uint64_t rate = PARTS * (uint64_t)freeman->n;
    freeman->steps++;
    freeman->settled = (uint64_t)change * rate <= SETTLED || freeman->steps >= PATIENCE * rate;
}

static enum nq_status freeman_step(void *machine, struct step *step)
{
    struct freeman *freeman = machine;
    uint32_t columns[FREEMAN_MAX_N];
    bool valid;
    if (freeman->ended)
        return NQ_END;
    const bool read = freeman->settled;
    if (!freeman->begun)
        start(freeman);
    else if (!read)
        settle(freeman);
    const uint32_t queens = queens_of(freeman, columns);
    freeman->ended = read;
    if (read && nq_verify(freeman->n, columns, &valid) != NQ_OK)
        return NQ_NOMEM;
    if (read && !(queens == freeman->n && valid))
        return NQ_END;
    *step = step_on_board(read ? STEP_SOLUTION : STEP_TAKE, queens);
    step->tests = read ? 0 : freeman->n * freeman->n;
    step->has_energy = step->thousandths = true;
    step->energy = energy_of(freeman);
    return NQ_OK;
}

static const struct pseudocode code = {
    .row = "i",
    .column = "j",
    .board = "v",
    .lines =
        {
            {"u[i,j] = input for 1/n, and a little by the seed", 0},
            {"repeat until v stays:", 0},
            {"  v[i,j] = (1 + tanh(u[i,j] / u0)) / 2", 0},
            {"  u[i,j] += dt (-u[i,j] - dE/dv[i,j])", DOES(TAKE)},
            {"x[i] = j where v[i,j] > 1/2", 0},
            {"if x is a solution: print x", DOES(SOLUTION)},
        },
};

static const struct machine_class machine_freeman = {
    .size = sizeof(struct freeman),
    .begin = freeman_begin,
    .step = freeman_step,
    .board = freeman_board,
    .close = free,
    .code = &code,
};

const struct construction construction_freeman = {
    .name = "freeman",
    .title = "Freeman 1993, Hopfield network",
    .summary = "a continuous Hopfield network, integrated until it settles, which it does on a solution often",
    .complexity = "O(n^2) a step of 1/2n of a time constant, at most 1000 time constants; O(n^2) memory",
    .source = "J. Freeman, A neural network solution to the n-queens problem, The Mathematica Journal 3(3), 52-56 "
              "(1993); after J. J. Hopfield, D. W. Tank, Neural computation of decisions in optimization problems, "
              "Biological Cybernetics 52, 141-152 (1985)",
    .year = 1993,
    .max_n = FREEMAN_MAX_N,
    .takes = TAKES_SEED,
    .fails = true,
    .machine = &machine_freeman,
    .tests = "neurons whose input is integrated",
    .machine_max_n = FREEMAN_MAX_N,
};
