/* torus_pairs.h - queens that attack each other once their board's opposite sides are joined to a torus. */
#ifndef STATISTICS_TORUS_PAIRS_H
#define STATISTICS_TORUS_PAIRS_H

#include <stdint.h>

#include "statistics/statistic.h"

/* Two queens on one line, by their rows, a < b. */
struct torus_pair {
    uint8_t a, b;
};

/* Lines of one direction have at least one queen less in pairs than there are queens. */
enum { TORUS_PAIRS_MAX = 2 * STATISTICS_MAX_N };

/* Pairs every queen with the first on its line, for both directions, and returns how many pairs there are. Of a
 * solution by the rule of queens no line has more than two queens. */
static inline uint32_t torus_pairs(uint32_t n, const uint8_t *columns, struct torus_pair pairs[TORUS_PAIRS_MAX])
{
    uint8_t sums[STATISTICS_MAX_N] = {0}, differences[STATISTICS_MAX_N] = {0}; /* the first row, from 1 on */
    uint32_t count = 0;
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t column = columns[row], both = column + row;
        uint8_t *sum = &sums[both < n ? both : both - n];
        uint8_t *difference = &differences[column < row ? column + n - row : column - row];
        if (*sum)
            pairs[count++] = (struct torus_pair){(uint8_t)(*sum - 1), (uint8_t)row};
        else
            *sum = (uint8_t)(row + 1);
        if (*difference)
            pairs[count++] = (struct torus_pair){(uint8_t)(*difference - 1), (uint8_t)row};
        else
            *difference = (uint8_t)(row + 1);
    }
    return count;
}

#endif
