/* statistic_first_column.c - the column of the queen in the first row. */
#include "statistics/statistic.h"

static uint32_t values(uint32_t n)
{
    return n;
}

static uint32_t value(uint32_t n, const uint8_t *columns)
{
    (void)n;
    return columns[0];
}

extern const struct statistic statistic_first_column;
const struct statistic statistic_first_column = {
    .name = "first-column",
    .summary = "the column of the queen in the first row",
    .revision = 1,
    .columns = true,
    .seconds = 1e-9,
    .values = values,
    .value = value,
};
