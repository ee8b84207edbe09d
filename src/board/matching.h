/* matching.h - whether every row of a board can get a column of its own: what queens need, whatever their diagonals. */
#ifndef BOARD_MATCHING_H
#define BOARD_MATCHING_H

#include <stdbool.h>
#include <stdint.h>

enum { MATCHING_MAX_N = 1000, MATCHING_WORDS = (MATCHING_MAX_N + 63) / 64 };

/* The squares of n rows, n <= MATCHING_MAX_N: bit c % 64 of allow[r * words + c / 64] for row r and column c, where
 * words <= MATCHING_WORDS. False: some rows have fewer columns together than they are, so that no placement of n queens
 * in different rows and columns exists. O(n * sqrt(n)) looks at the words of a row and, with them, at its squares.
 * Source: J. E. Hopcroft, R. M. Karp, An n^(5/2) algorithm for maximum matchings in bipartite graphs, SIAM Journal on
 * Computing 2, 225-231, 1973. */
bool matching_perfect(uint32_t n, uint32_t words, const uint64_t *allow);

#endif
