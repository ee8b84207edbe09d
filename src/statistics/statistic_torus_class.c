/* statistic_torus_class.c - how many solutions a solution becomes by shifts on the torus, turns and reflections: the
 * size of its class. Shifting may make queens attack each other; only images that are solutions again count.
 *
 * A shift cuts the torus before a row x and before a column y, instead of before row 0 and column 0. Two queens on one
 * line of the torus, but not of the board, attack each other after it if and only if exactly one of the two cuts passes
 * between them. So every cut has a signature, one bit for each such pair, and a shift makes a solution if and only if
 * the signatures of x and y are equal. Turns and reflections carry solutions into solutions, and shifts into shifts:
 * with s such shifts, 8 s elements of the group make a solution. Every solution of the class is made by as many of them
 * as leave the first one unchanged. */
#include <string.h>

#include <nqueens.h>

#include "statistics/statistic.h"

/* The board before and after its symmetries. */
struct images {
    uint32_t n;
    const uint8_t *columns;
    uint8_t rows[STATISTICS_MAX_N]; /* by column: the inverse */
};

/* The column in a row of the image under a symmetry: a transposition, if bit 2 is set, after reflections of rows, bit
 * 0, and of columns, bit 1. */
static uint32_t image(const struct images *images, unsigned symmetry, uint32_t row)
{
    const uint32_t last = images->n - 1, from = symmetry & 1 ? last - row : row;
    const uint32_t column = symmetry & 4 ? images->rows[from] : images->columns[from];
    return symmetry & 2 ? last - column : column;
}

/* The same for a shift. */
static uint32_t shifted(const struct images *images, uint32_t x, uint32_t y, uint32_t row)
{
    const uint32_t n = images->n, from = x + row < n ? x + row : x + row - n, column = images->columns[from];
    return column < y ? column + n - y : column - y;
}

/* How many symmetries do the same as a shift. The first two rows of symmetries stand in `tops`: they decide for most.
 */
static uint32_t equals(const struct images *images, const uint16_t tops[NQ_SYMMETRIES], uint32_t x, uint32_t y)
{
    const uint32_t top = shifted(images, x, y, 0) << 8 | shifted(images, x, y, 1);
    uint32_t count = 0;
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
        uint32_t row = 2;
        if (tops[symmetry] != top)
            continue;
        while (row < images->n && image(images, symmetry, row) == shifted(images, x, y, row))
            row++;
        count += row == images->n;
    }
    return count;
}

/* Signatures of the cuts before every row and column. */
static void sign(uint32_t n, const uint8_t *columns, uint32_t by_row[STATISTICS_MAX_N + 1],
                 uint32_t by_column[STATISTICS_MAX_N + 1])
{
    struct torus_pair pairs[TORUS_PAIRS_MAX];
    const uint32_t count = torus_pairs(n, columns, pairs);
    memset(by_row, 0, (n + 1) * sizeof *by_row);
    memset(by_column, 0, (n + 1) * sizeof *by_column);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bit = UINT32_C(1) << i, a = pairs[i].a, b = pairs[i].b;
        by_row[a + 1] ^= bit;
        by_row[b + 1] ^= bit;
        by_column[columns[a] + 1] ^= bit;
        by_column[columns[b] + 1] ^= bit;
    }
    for (uint32_t i = 1; i < n; i++) {
        by_row[i] ^= by_row[i - 1];
        by_column[i] ^= by_column[i - 1];
    }
}

static uint32_t value(uint32_t n, const uint8_t *columns)
{
    uint32_t by_row[STATISTICS_MAX_N + 1], by_column[STATISTICS_MAX_N + 1], shifts = 0, unchanged = 0;
    uint16_t tops[NQ_SYMMETRIES];
    struct images images = {.n = n, .columns = columns};
    if (n < 2)
        return 1;
    for (uint32_t row = 0; row < n; row++)
        images.rows[columns[row]] = (uint8_t)row;
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++)
        tops[symmetry] = (uint16_t)(image(&images, symmetry, 0) << 8 | image(&images, symmetry, 1));
    sign(n, columns, by_row, by_column);
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t y = 0; y < n; y++)
            if (by_row[x] == by_column[y]) {
                shifts++;
                unchanged += equals(&images, tops, x, y);
            }
    return NQ_SYMMETRIES * shifts / unchanged; /* at least the identity leaves it unchanged */
}

static uint32_t values(uint32_t n)
{
    return NQ_SYMMETRIES * n * n + 1 + (n == 0);
}

extern const struct statistic statistic_torus_class;
const struct statistic statistic_torus_class = {
    .name = "torus-class",
    .summary = "the number of solutions that shifts on the torus, turns and reflections make of it",
    .oeis = "A062164",
    .revision = 1,
    .mirrored = true,
    .sizes = true,
    .queens_only = true,
    .seconds = 230e-9,
    .values = values,
    .value = value,
};
