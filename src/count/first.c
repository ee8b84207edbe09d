/* first.c - the lexicographically first solutions, as published. It searches nothing; tests search for them. */
#include "count/first.h"

#include <stddef.h>

const char first_oeis[] = "A141843";

/* OEIS A141843, C. S. Pearson 2008. Its data has the rows up to n = 35 and n = 37 here; those of n = 36, 38, 39 and 41,
 * which its list has, too, are what the algorithm bitboard found by an exhaustive search, as it did all others. Columns
 * are counted from 1. */
/* clang-format off */
static const uint8_t solutions[][FIRST_MOST_N] = {
    [29 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 20, 24, 26, 21, 29, 27, 25, 28, 8, 12, 7, 16, 10, 17, 22,
        14, 18, 23, 19},
    [30 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 7, 23, 26, 28, 25, 22, 24, 30, 27, 29, 16, 12, 10, 8, 6, 18,
        20, 17, 14, 21, 19},
    [31 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 18, 23, 26, 28, 31, 25, 27, 30, 7, 17, 29, 14, 10, 8, 20,
        12, 16, 19, 22, 24, 21},
    [32 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 18, 24, 26, 30, 25, 31, 28, 32, 27, 29, 16, 19, 10, 8,
        17, 12, 21, 7, 14, 23, 20, 22},
    [33 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 25, 27, 33, 31, 23, 28, 26, 29, 32, 30, 16, 18, 12,
        10, 17, 7, 14, 21, 19, 24, 22, 20},
    [34 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 18, 20, 26, 28, 31, 33, 27, 29, 34, 32, 30, 12, 10, 7,
        16, 19, 8, 22, 14, 25, 17, 24, 21, 23},
    [35 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 19, 24, 26, 31, 29, 32, 35, 33, 28, 30, 17, 7, 34, 10,
        18, 16, 14, 12, 20, 25, 23, 21, 27, 22},
    [36 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 22, 27, 32, 30, 33, 24, 29, 35, 28, 34, 31, 14, 36,
        17, 12, 16, 7, 10, 20, 25, 19, 26, 18, 23, 21},
    [37 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 19, 21, 23, 30, 34, 29, 35, 33, 31, 37, 32, 36, 16, 7,
        10, 20, 14, 12, 18, 26, 17, 22, 28, 25, 27, 24},
    [38 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 19, 21, 29, 31, 33, 36, 30, 28, 38, 34, 32, 37, 35,
        20, 18, 12, 14, 23, 7, 10, 25, 17, 22, 16, 26, 24, 27},
    [39 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 19, 7, 25, 30, 37, 33, 28, 32, 38, 35, 39, 31, 36, 34,
        21, 17, 20, 14, 12, 10, 23, 16, 18, 22, 29, 26, 24, 27},
    [41 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 19, 7, 22, 25, 30, 32, 37, 39, 33, 38, 40, 34, 36, 41,
        35, 18, 23, 10, 12, 16, 20, 17, 14, 21, 28, 26, 31, 29, 27, 24},
};
/* clang-format on */
_Static_assert(sizeof solutions / sizeof solutions[0] == FIRST_MOST_N - FIRST_LEAST_N + 1, "a row for each n");

bool first_find(uint32_t n, uint32_t *columns)
{
    if (n < FIRST_LEAST_N || n > FIRST_MOST_N)
        return false;
    const uint8_t *solution = solutions[n - FIRST_LEAST_N];
    for (uint32_t row = 0; solution[0] && row < n; row++)
        columns[row] = solution[row] - 1U;
    return solution[0]; /* a row of zeros is not known */
}
