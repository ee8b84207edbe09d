/* statistic_fixed_points.c - the queens on the main diagonal, whose row and column are the same: the fixed points of
 * the permutation. Queens that attack along diagonals have at most one there. */
#include "statistics/statistic.h"

static uint32_t values(uint32_t n)
{
    return n + 1;
}

static uint32_t value(uint32_t n, const uint8_t *columns)
{
    uint32_t points = 0;
    for (uint32_t row = 0; row < n; row++)
        points += columns[row] == row;
    return points;
}

extern const struct statistic statistic_fixed_points;
const struct statistic statistic_fixed_points = {
    .name = "fixed-points",
    .summary = "the number of queens on the main diagonal, in row r and column r",
    .revision = 1,
    .seconds = 6e-9,
    .values = values,
    .value = value,
};
