/* branch.h - one node of a search that fills lines of a board: which line it fills, and in which order it tries the
 * free squares of that line. It knows neither what was tried before nor what comes next. */
#ifndef SOLVERS_BRANCH_H
#define SOLVERS_BRANCH_H

#include "solvers/vacancies.h"

struct branch {
    bool by_column;   /* it fills a column, not a row */
    bool begun;       /* a square was taken */
    bool fresh;       /* of the caller */
    uint16_t line;    /* the row or column */
    uint16_t left;    /* rows without a queen when it was chosen */
    uint16_t squares; /* free ones of the line then: at least one */
    uint16_t at;      /* the square taken last, by its column or row */
    uint16_t tried;   /* squares up to that one */
    uint16_t choices; /* of the caller */
    uint32_t key;     /* of that square: squares are tried by increasing keys, equal ones by place */
};

/* Chooses the row or column with the fewest free squares; of equals the one nearest to the middle, a row before a
 * column. False: one has none. Sets `line`, `by_column`, `left` and `squares`, and no square. */
bool branch_choose(const struct vacancies *vacancies, struct branch *branch);

/* Writes the key of every free square of the line to keys[at]. */
void branch_keys(const struct vacancies *vacancies, const struct branch *branch, uint32_t *keys);

/* Takes the next free square; false: there is none. The board must be as it was when the line was chosen. */
bool branch_next(const struct vacancies *vacancies, struct branch *branch);

/* Takes any square of the line, free or not, as if all before it had been tried. */
void branch_pass(const struct vacancies *vacancies, struct branch *branch, uint32_t at);

static inline uint32_t branch_row(const struct branch *branch)
{
    return branch->by_column ? branch->at : branch->line;
}

static inline uint32_t branch_column(const struct branch *branch)
{
    return branch->by_column ? branch->line : branch->at;
}

#endif
