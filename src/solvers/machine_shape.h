/* machine_shape.h - three searches in steps on boards of any shape: one queen in each row, on squares that are allowed,
 * and lines of attack that end at walls. On n x n without walls they do what the machines of the same names do, which
 * know nothing of shapes and are faster for it. They have no positions. */
#ifndef SOLVERS_MACHINE_SHAPE_H
#define SOLVERS_MACHINE_SHAPE_H

#include <stdint.h>

#include "steps/machine.h"

/* With settings->shape. The squares of a row that no queen attacks, from the left: solver_bitboard.c. All of them,
 * those under attack too: solver_recursion.c. The row with the fewest free squares first: solver_mrv.c. */
extern const struct machine_class machine_shape_bitboard, machine_shape_recursion, machine_shape_mrv;

/* ---- The next row of a search by minimum remaining values ---- */

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
