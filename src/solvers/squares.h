/* squares.h - the squares worth trying when the solutions of a query are looked for row by row, from above: its filter
 * with what follows from it, from a symmetry of the solutions, and from their standing for their classes. It knows no
 * search. */
#ifndef SOLVERS_SQUARES_H
#define SOLVERS_SQUARES_H

#include "board/query.h"

struct squares {
    struct filter filter; /* settled; no square at all when it contradicts itself */
    unsigned group;       /* see query_group(): only what query_representative() says is to be listed */
    unsigned turn;        /* solutions are unchanged by this symmetry; 0: any solution will do */
};

/* For a query of at most FILTER_MAX_N rows. With a turn, a square is allowed only if its whole orbit is, and no two
 * squares of that attack each other. In the first row, no square is allowed from which a symmetry of the group leads to
 * one further left in that row. */
void squares_begin(struct squares *squares, const struct query *query);

/* Writes what is allowed in row 1 and below, with a queen on an allowed square of the first row: not what a symmetry of
 * the group takes to the left of that queen, to where solutions are less. */
void squares_below(const struct squares *squares, uint32_t first_column, uint64_t allow[static FILTER_MAX_N]);

#endif
