/* painted_boards.h - boards of n regions and their solutions, by ways that the library does not use: every painting of
 * small boards, random ones, and placements tried row by row. */
#ifndef TESTS_UNIT_SUPPORT_PAINTED_BOARDS_H
#define TESTS_UNIT_SUPPORT_PAINTED_BOARDS_H

#include "support/facts.h"

enum { PAINTED_MAX_N = 20, PAINTED_SQUARES = PAINTED_MAX_N * PAINTED_MAX_N };

/* The placements of one queen in each row, column and region, none touching, in lexicographic order, but no more than
 * `limit`: how many. The first `kept` of them are written to columns, n each. of: the region by row * n + column; NULL:
 * no regions. */
size_t painted_solutions(uint32_t n, const uint8_t *of, size_t limit, size_t kept, uint8_t *columns);

/* Calls each() with every step-th painting in n connected regions, n <= 5, from the first on: how many were painted in
 * all. */
uint64_t painted_each(uint32_t n, uint64_t step, void (*each)(void *context, const uint8_t *of), void *context);

/* A random painting in n connected regions; perhaps it has no solution. */
void painted_random(uint64_t *dice, uint32_t n, uint8_t *of);

/* Whether the squares of every region are connected by sides. */
bool painted_connected(uint32_t n, const uint8_t *of);

#endif
