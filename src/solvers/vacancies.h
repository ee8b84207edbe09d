/* vacancies.h - the free squares of a board with some queens on it, and how many of them each row, column and diagonal
 * has. Boards up to VACANCIES_MAX_N: a queen is placed and removed in time linear in the rows without one. It knows
 * nothing of orders and searches. */
#ifndef SOLVERS_VACANCIES_H
#define SOLVERS_VACANCIES_H

#include "board/query.h"

enum { VACANCIES_MAX_N = NQ_LIST_MAX_N, VACANT = UINT16_MAX };

/* Rows, or columns, without a queen, as a ring in increasing order: `n` stands before the first and after the last. */
struct ring {
    uint16_t *next, *previous;
};

struct vacancies {
    uint32_t n, left; /* rows without a queen: as many as columns */
    unsigned turn;    /* a queen is placed with all its images under this symmetry, see nq_transform(); 0: alone */
    struct ring rows, columns;
    /* Free squares by row, by column, by row + column, and by column - row + n - 1. */
    uint16_t *in_row, *in_column, *in_sum, *in_difference;
    uint16_t *queen_in_row, *queen_in_column; /* its column, its row; VACANT: there is none */
    uint8_t *bars; /* by row * n + column: how many reasons there are why no queen can be placed there */
};

/* An empty board with the squares that a query of at most VACANCIES_MAX_N rows allows; its distinct is not used. NQ_OK
 * or NQ_NOMEM. About n * n bytes. */
enum nq_status vacancies_open(const struct query *query, struct vacancies **vacancies);
void vacancies_close(struct vacancies *vacancies);

/* Places a queen on a free square, or removes the one that was placed last, in both cases with its images. */
void vacancies_place(struct vacancies *vacancies, uint32_t row, uint32_t column);
void vacancies_remove(struct vacancies *vacancies, uint32_t row, uint32_t column);

/* Whether rows and columns with one square left force queens after which the rows cannot get a column each: then there
 * is no solution. False: not known. Leaves the board as it is. Without memory it is not known. About n * n steps. */
bool vacancies_hopeless(struct vacancies *vacancies);

static inline bool vacancies_free(const struct vacancies *vacancies, uint32_t row, uint32_t column)
{
    return vacancies->bars[row * vacancies->n + column] == 0;
}

/* How many free squares are on the four lines of a square: about as many as a queen there would take. */
static inline uint32_t vacancies_cost(const struct vacancies *vacancies, uint32_t row, uint32_t column)
{
    return (uint32_t)vacancies->in_row[row] + vacancies->in_column[column] + vacancies->in_sum[row + column] +
           vacancies->in_difference[column + vacancies->n - 1 - row];
}

#endif
