/* squares.h - the squares that a row-by-row search for the solutions of a query must try: those of its filter that
 * remain possible, given a symmetry of the solutions, or that each must represent its class. It knows no search. */
#ifndef SOLVERS_SQUARES_H
#define SOLVERS_SQUARES_H

#include "board/query.h"

struct squares {
    struct filter filter; /* settled; no squares if it contradicts itself */
    unsigned group;       /* see query_group(): only representatives, as by query_representative(), are listed */
    unsigned turn;        /* the solutions are invariant under this symmetry; 0: all solutions */
};

/* For a query of at most FILTER_MAX_N rows. With a turn, a square is allowed only if its whole orbit is, and no two
 * squares of that attack each other by the filter's rule. In the first row, no square is allowed from which a symmetry
 * of the group leads to one further left in that row. */
void squares_begin(struct squares *squares, const struct query *query);

/* Writes the squares allowed in row 1 and below, given a queen on an allowed square of the first row. It leaves out
 * squares that a symmetry of the group maps to the left of that queen: that image of the solution would come first. */
void squares_below(const struct squares *squares, uint32_t first_column, uint64_t allow[static FILTER_MAX_N]);

#endif
