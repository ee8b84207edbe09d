/* squares.c - the reference of ratios for boards of any shape: square by square, each compared with the queens that
 * stand. It must not be made faster. */
#include "bench/bench.h"

struct queens {
    uint32_t n, count;
    uint32_t row[32], column[32];
};

static uint64_t place(struct queens *queens, uint32_t from)
{
    const uint32_t n = queens->n;
    uint64_t placements = 1;
    for (uint32_t square = from; square < n * n; square++) {
        const uint32_t row = square / n, column = square % n;
        uint32_t i = 0;
        while (i < queens->count && row != queens->row[i] && column != queens->column[i] &&
               row + queens->column[i] != column + queens->row[i] && row + column != queens->row[i] + queens->column[i])
            i++;
        if (i < queens->count)
            continue;
        queens->row[queens->count] = row;
        queens->column[queens->count++] = column;
        placements += place(queens, square + 1);
        queens->count--;
    }
    return placements;
}

uint64_t squares_count(uint32_t n)
{
    struct queens queens = {.n = n};
    return place(&queens, 0);
}
