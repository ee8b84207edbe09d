/* oracle.h - decides whether some rows can be filled: one queen each, on free squares, none attacking another. It does
 * not fill the rows in order, and so decides much sooner than a search that lists. It knows nothing of the other rows.
 */
#ifndef SOLVERS_ORACLE_H
#define SOLVERS_ORACLE_H

#include "board/query.h"

enum { ORACLE_MAX_N = 64 };

/* The rows and columns without a queen, and the one of them whose squares are tried next. */
struct oracle_level {
    uint64_t columns; /* left */
    uint64_t untried; /* columns of the row, or rows (by index) of the column, that is filled next */
    uint32_t count;   /* rows left */
    uint32_t line;    /* the row (by index) or column that is filled next */
    bool by_column;
    uint8_t row[ORACLE_MAX_N];   /* by index, increasing */
    uint64_t free[ORACLE_MAX_N]; /* by index: the squares free in that row */
};

/* The whole state, about 40 KB. */
struct oracle {
    uint32_t n, depth;
    unsigned turn;
    uint8_t column[ORACLE_MAX_N]; /* by row, if the answer is NQ_OK */
    struct oracle_level levels[ORACLE_MAX_N + 1];
};

struct oracle_question {
    uint32_t n;
    unsigned turn;    /* each queen is placed with all its images under this symmetry, see nq_transform(); 0: alone */
    uint64_t rows;    /* to be filled: bit r for row r; at least one */
    uint64_t columns; /* without a queen: as many */
    const uint64_t *free; /* by row, of those: the squares free in it */
};

/* Begins a question; the one before is forgotten. */
void oracle_ask(struct oracle *oracle, const struct oracle_question *question);

/* Continues the search. *budget is the number of placements that may be tried; those tried are subtracted. NQ_OK: the
 * rows can be filled, see oracle->column; NQ_NONE: they cannot; NQ_AGAIN: the budget ran out first. Must not be called
 * again after NQ_OK or NQ_NONE. */
enum nq_status oracle_answer(struct oracle *oracle, uint64_t *budget);

#endif
