/* statistic_displacement.c - how far a permutation is from the identity: the sum of |column - row| over all queens.
 * Persi Diaconis and R. L. Graham: Spearman's Footrule as a Measure of Disarray, Journal of the Royal Statistical
 * Society B 39 (1977). */
#include "statistics/statistic.h"

/* It is at most n^2 / 2, for the permutation that reverses all. */
static uint32_t values(uint32_t n)
{
    return n * n / 2 + 1;
}

static uint32_t value(uint32_t n, const uint8_t *columns)
{
    uint32_t sum = 0;
    for (uint32_t row = 0; row < n; row++)
        sum += columns[row] > row ? columns[row] - row : row - columns[row];
    return sum;
}

extern const struct statistic statistic_displacement;
const struct statistic statistic_displacement = {
    .name = "displacement",
    .summary = "the sum of |column - row| over all queens",
    .revision = 1,
    .seconds = 8e-9,
    .values = values,
    .value = value,
};
