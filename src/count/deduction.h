/* deduction.h - the completions of a board found as a person finds them: a row or column with one square left gets its
 * queen; where there is none, the one with fewest squares left is gone through. It knows neither who asks nor what is
 * to be shown of it. Every answer is exact; how much of it was trying says how hard the board is. */
#ifndef COUNT_DEDUCTION_H
#define COUNT_DEDUCTION_H

#include "base/random.h"
#include "board/query.h"

/* What some queens leave. */
struct deduction_level {
    struct filter rows, columns;      /* the same squares, by row and by column */
    uint64_t open_rows, open_columns; /* without a queen */
    uint64_t untried;                 /* columns of the row, or rows of the column, that is gone through */
    uint32_t line;                    /* that row or column */
    bool by_column;
};

/* All its state: about 70 KB. */
struct deduction {
    struct random *random; /* squares are tried in such an order; NULL: from the left, or from above */
    uint32_t depth;
    bool entered;                   /* what follows from the last queen has been seen to */
    uint64_t guesses;               /* squares that were tried where there was a choice */
    uint32_t forced;                /* queens that followed from the board before anything was tried */
    uint32_t columns[FILTER_MAX_N]; /* by row: the last completion */
    struct deduction_level levels[FILTER_MAX_N + 1];
};

/* An empty board of n <= FILTER_MAX_N rows; then what stands there, on squares that no queen there attacks, and where
 * no queen may stand. */
void deduction_begin(struct deduction *deduction, uint32_t n);
void deduction_place(struct deduction *deduction, uint32_t row, uint32_t column);
void deduction_exclude(struct deduction *deduction, uint32_t row, uint32_t column);

/* Finds the next completion, in no order to rely on; each comes once. *budget is how many placements may still be tried
 * and is decreased by those that were, up to n beyond it. NQ_OK: it is in deduction->columns; NQ_END: there are no
 * more; NQ_AGAIN: the budget ran out first. */
enum nq_status deduction_next(struct deduction *deduction, uint64_t *budget);

#endif
