/* choice.h - symmetry for the method that joins quadrants: which sets may go together, so that the eight images of a
 * solution count as eight. It knows sets of rows and columns, not how placements are joined.
 *
 * x, y: rows and columns of the upper west quadrant's queens; u, v: those of the lower east one's (see method_join.c).
 *
 * Symmetry, even n. The eight symmetries of the square carry each of x, y, u, v and their complements into the place of
 * x. Sets are given distinct priorities, and a solution is counted only where that of x is the greatest of the eight,
 * with weight 8/k when k of the eight are that set: so the images of any solution count as eight together. x's own
 * complement never ties; k = 1 + how many of u, y, v, or their complements, are x. Hence the two groups of west halves
 * (y ties or not) and of east halves (v does).
 *
 * Symmetry, odd n = 2m+1. Let the queen of the middle column be p below the centre and that of the middle row q to the
 * east of it. If neither stands in the centre, |p| != |q|, or they would attack each other. One of four images, the
 * other way round in the diagonal, turned, has 0 < q and |p| < q, and of this and its reflection at the middle row, one
 * whose rows in the upper west are not after those in the lower west: weight 8, or 4 if they are the same. So the west
 * half has nothing in the middle row; the east half, which has the middle column, comes in two kinds: p > 0 and p < 0.
 * If a queen stands in the centre, half turns and reflections carry the sets of rows into each other, and the least of
 * them counts, as often as there are different ones. Such east halves are group 1. */
#ifndef COUNT_METHODS_CHOICE_H
#define COUNT_METHODS_CHOICE_H

#include "count/methods/quadrants.h"

struct priorities {
    const struct quadrants *quadrants;
    /* for even n, by set: its priority, and the greater of that and its complement's */
    uint16_t *priority, *either;
};

/* What y, u and v may be for a given x. */
struct choice {
    uint32_t x;
    uint32_t count, below; /* so many sets; the first ones do not tie */
    uint32_t of_u;         /* u may be one of the first so many */
    uint16_t set[12870];   /* 16 over 8 */
};

/* False: out of memory; close it in any case. */
bool priorities_open(struct priorities *priorities, const struct quadrants *quadrants);
void priorities_close(struct priorities *priorities);

/* False: no solution is counted with this x. */
bool choice_make(const struct priorities *priorities, uint32_t x, struct choice *choice);

/* What pairs of halves count, found[group of the west half][group of the east half], in thirds of a solution.
 * Group 1: for even n, y or v ties; for odd n, in the east, there is a queen in the centre. */
uint64_t choice_thirds(const struct priorities *priorities, const struct choice *choice, uint32_t u,
                       uint64_t found[2][2]);

/* For odd n, how often a solution with a queen in the centre counts, 0 if another image of it is counted. */
unsigned choice_centre_images(const struct quadrants *quadrants, uint32_t x, uint32_t u);

#endif
