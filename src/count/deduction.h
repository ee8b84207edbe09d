/* deduction.h - the completions of a board, found as a person finds them: a row or column with one square left gets its
 * queen; if there is none, the squares of the row or column with fewest are tried in turn. Every completion is found;
 * the number of squares tried measures how hard the board is. It knows neither who asks nor what is shown of it. */
#ifndef COUNT_DEDUCTION_H
#define COUNT_DEDUCTION_H

#include <stdatomic.h>

#include "base/random.h"
#include "board/query.h"

/* The board below some queens. */
struct deduction_level {
    struct filter rows, columns;      /* the same squares, by row and by column */
    uint64_t open_rows, open_columns; /* without a queen */
    uint64_t untried;                 /* columns of the row, or rows of the column, whose squares are tried */
    uint32_t line;                    /* that row or column */
    bool by_column;
};

/* All its state: about 70 KB. */
struct deduction {
    struct random *random; /* draws the order of squares; NULL: from the left, or from above */
    uint32_t depth;
    bool entered;                   /* what follows from the last queen is done */
    uint64_t guesses;               /* squares tried where there was a choice */
    uint32_t forced;                /* queens placed before any square was tried */
    uint32_t columns[FILTER_MAX_N]; /* by row: the last completion */
    struct deduction_level levels[FILTER_MAX_N + 1];
};

/* Begins with an empty board of n <= FILTER_MAX_N rows, for queens that attack by a rule. Then queens may be placed,
 * on squares that no queen attacks, and squares excluded. */
void deduction_begin(struct deduction *deduction, uint32_t n, const struct rule *rule);
void deduction_place(struct deduction *deduction, uint32_t row, uint32_t column);
void deduction_exclude(struct deduction *deduction, uint32_t row, uint32_t column);

/* Finds the next completion; each comes once, in no particular order. *budget, the placements that may be tried, is
 * decreased by those that were, up to n more than it had. NQ_OK: it is in deduction->columns; NQ_END: there are no
 * more; NQ_AGAIN: the budget is spent; NQ_CANCELLED soon after *stop (may be NULL). */
enum nq_status deduction_next(struct deduction *deduction, uint64_t *budget, const atomic_bool *stop);

#endif
