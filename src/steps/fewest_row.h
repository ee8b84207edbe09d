/* fewest_row.h - the next row of a search by minimum remaining values. */
#ifndef STEPS_FEWEST_ROW_H
#define STEPS_FEWEST_ROW_H

#include <stdint.h>

/* Finds the uppermost of some rows, a bit each, with the fewest free squares: sets *row and its *squares. Rows are
 * looked at until one has none; returns how many that were. */
static inline uint32_t fewest_row(uint64_t rows, uint64_t (*free_squares)(const void *of, uint32_t row), const void *of,
                                  uint32_t *row, uint64_t *squares)
{
    int fewest = 64 + 1; /* more than a row has */
    uint32_t looked = 0;
    for (; rows && fewest; rows &= rows - 1, looked++) {
        const uint32_t at = (uint32_t)__builtin_ctzll(rows);
        const uint64_t open = free_squares(of, at);
        const int count = __builtin_popcountll(open);
        if (count < fewest) {
            fewest = count;
            *row = at;
            *squares = open;
        }
    }
    return looked;
}

#endif
