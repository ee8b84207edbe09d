/* statistic_torus_conflicts.c - how far a solution is from one of the torus: the queens that attack each other once the
 * opposite sides of the board are joined, as the edges of a graph. Matthias Engelhardt: Conflicts in the n-queens
 * problem, nqueens.de. */
#include "statistics/statistic.h"

/* ---- Conflicts ---- */

/* Of queens there is at most one pair on a line; by other rules all may stand on one line. */
static uint32_t most_conflicts(uint32_t n)
{
    return n ? n * (n - 1) / 2 + 1 : 1;
}

/* Pairs on both diagonals, n / 2 rows and columns apart. Of queens there are none: they share a diagonal of the board.
 */
static uint32_t doubles(uint32_t n, const uint8_t *columns)
{
    const uint32_t half = n / 2;
    uint32_t count = 0;
    for (uint32_t row = 0; n % 2 == 0 && row < half; row++) {
        const uint32_t a = columns[row], b = columns[row + half];
        count += a + half == b || b + half == a;
    }
    return count;
}

static uint32_t conflicts(uint32_t n, const uint8_t *columns)
{
    uint8_t sums[STATISTICS_MAX_N] = {0}, differences[STATISTICS_MAX_N] = {0};
    uint32_t count = 0;
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t column = columns[row], both = column + row;
        count += sums[both < n ? both : both - n]++;
        count += differences[column < row ? column + n - row : column - row]++;
    }
    return count - doubles(n, columns);
}

/* ---- Queens ---- */

static uint32_t up_to_n(uint32_t n)
{
    return n + 1;
}

static uint32_t engaged(uint32_t n, const uint8_t *columns)
{
    struct torus_pair pairs[TORUS_PAIRS_MAX];
    const uint32_t count = torus_pairs(n, columns, pairs);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < count; i++)
        rows |= UINT32_C(1) << pairs[i].a | UINT32_C(1) << pairs[i].b;
    return (uint32_t)__builtin_popcount(rows);
}

/* ---- Components ---- */

/* Sets of queens, by rows, that are connected. A queen without conflicts is none of its own: its set is 0. */
struct components {
    uint32_t of[STATISTICS_MAX_N]; /* by row */
};

static void connect(uint32_t n, const uint8_t *columns, struct components *components)
{
    struct torus_pair pairs[TORUS_PAIRS_MAX];
    const uint32_t count = torus_pairs(n, columns, pairs);
    *components = (struct components){0};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t a = pairs[i].a, b = pairs[i].b;
        const uint32_t both = components->of[a] | components->of[b] | UINT32_C(1) << a | UINT32_C(1) << b;
        for (uint32_t rest = both; rest; rest &= rest - 1)
            components->of[__builtin_ctz(rest)] = both;
    }
}

static uint32_t number_of(uint32_t n, const uint8_t *columns)
{
    struct components components;
    uint32_t count = 0;
    connect(n, columns, &components);
    for (uint32_t row = 0; row < n; row++)
        count += components.of[row] && (uint32_t)__builtin_ctz(components.of[row]) == row;
    return count;
}

/* A181502 counts a queen without conflicts as a component of one. */
static uint32_t largest(uint32_t n, const uint8_t *columns)
{
    struct components components;
    uint32_t most = n > 0;
    connect(n, columns, &components);
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t size = (uint32_t)__builtin_popcount(components.of[row]);
        most = size > most ? size : most;
    }
    return most;
}

extern const struct statistic statistic_torus_conflicts, statistic_torus_engaged, statistic_torus_components,
    statistic_torus_largest;

const struct statistic statistic_torus_conflicts = {
    .name = "torus-conflicts",
    .summary = "the number of pairs of queens that attack each other on the torus",
    .oeis = "A181499",
    .revision = 2,
    .mirrored = true,
    .seconds = 30e-9,
    .values = most_conflicts,
    .value = conflicts,
};

const struct statistic statistic_torus_engaged = {
    .name = "torus-engaged",
    .summary = "the number of queens that another one attacks on the torus",
    .oeis = "A181500",
    .revision = 1,
    .mirrored = true,
    .seconds = 65e-9,
    .values = up_to_n,
    .value = engaged,
};

const struct statistic statistic_torus_components = {
    .name = "torus-components",
    .summary = "the number of connected groups, of two queens or more, that attack each other on the torus",
    .oeis = "A181501",
    .revision = 1,
    .mirrored = true,
    .seconds = 150e-9,
    .values = up_to_n,
    .value = number_of,
};

const struct statistic statistic_torus_largest = {
    .name = "torus-largest",
    .summary = "the number of queens in the largest of these groups, 1 if there is none",
    .oeis = "A181502",
    .revision = 1,
    .mirrored = true,
    .seconds = 150e-9,
    .values = up_to_n,
    .value = largest,
};
