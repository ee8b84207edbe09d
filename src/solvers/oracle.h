/* oracle.h - whether some rows can be filled at all: one queen each, on squares that are free, none attacking another.
 * The rows are not filled in order, so the answer comes much sooner than from a search that lists. It knows neither
 * cursors nor formats nor what the other rows hold. */
#ifndef SOLVERS_ORACLE_H
#define SOLVERS_ORACLE_H

#include "board/query.h"

enum { ORACLE_MAX_N = 64 };

/* What some queens leave: rows and columns without one, and in which of them all the squares are tried in turn. */
struct oracle_level {
    uint64_t columns; /* left */
    uint64_t untried; /* columns of the row, or rows (by index) of the column, that is filled next */
    uint32_t count;   /* rows left */
    uint32_t line;    /* the row (by index) or column that is filled next */
    bool by_column;
    uint8_t row[ORACLE_MAX_N];   /* by index, increasing */
    uint64_t free[ORACLE_MAX_N]; /* by index: the squares free in that row */
};

/* All its state: about 40 KB. */
struct oracle {
    uint32_t n, depth;
    unsigned turn;
    uint8_t column[ORACLE_MAX_N]; /* by row, when the answer is yes */
    struct oracle_level levels[ORACLE_MAX_N + 1];
};

struct oracle_question {
    uint32_t n;
    unsigned turn;        /* queens come with all their images under this symmetry, see nq_transform; 0: singly */
    uint64_t rows;        /* to be filled: bit r for row r; at least one */
    uint64_t columns;     /* without a queen: as many */
    const uint64_t *free; /* by row, of those: the squares free in it */
};

/* Forgets what was asked before. */
void oracle_ask(struct oracle *oracle, const struct oracle_question *question);

/* Goes on with the search. *budget is how many placements may still be tried, and is decreased by those that were.
 * NQ_OK: it can be done, see oracle->column; NQ_NONE: it cannot; NQ_AGAIN: the budget ran out first. To be asked no
 * more after an answer. */
enum nq_status oracle_answer(struct oracle *oracle, uint64_t *budget);

#endif
