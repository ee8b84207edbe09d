/* machine_shape.h - three searches in steps on boards of any shape: one queen in each row, on squares that are allowed,
 * and lines of attack that end at walls. On n x n without walls they do what the machines of the same names do, which
 * know nothing of shapes and are faster for it. They have no positions. */
#ifndef SOLVERS_MACHINE_SHAPE_H
#define SOLVERS_MACHINE_SHAPE_H

#include "steps/machine.h"

/* With settings->shape. The squares of a row that no queen attacks, from the left: solver_bitboard.c. All of them,
 * those under attack too: solver_recursion.c. The row with the fewest free squares first: solver_mrv.c. */
extern const struct machine_class machine_shape_bitboard, machine_shape_recursion, machine_shape_mrv;

#endif
