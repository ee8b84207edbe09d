/* query.h - what is to be counted or listed: the solutions of one board that keep to a filter - all of them, those with
 * a symmetry, or one of each class. It knows squares, not how anything is counted or searched. */
#ifndef BOARD_QUERY_H
#define BOARD_QUERY_H

#include <nqueens.h>

enum { FILTER_MAX_N = 64 };

/* Where queens may stand. */
struct filter {
    uint32_t n;
    uint64_t allow[FILTER_MAX_N]; /* by row: bit c for column c; 0 in one row: there are no solutions */
};

/* Every square of an n x n board, n <= FILTER_MAX_N. */
void filter_begin(struct filter *filter, uint32_t n);

/* No queen on a square; one on it. Squares lie on the board. What a placed queen attacks is excluded, so that placing
 * two queens that attack each other, or one on an excluded square, leaves no solution. */
void filter_exclude(struct filter *filter, uint32_t row, uint32_t column);
void filter_place(struct filter *filter, uint32_t row, uint32_t column);

static inline bool filter_allows(const struct filter *filter, uint32_t row, uint32_t column)
{
    return filter->allow[row] >> column & 1;
}

/* Whether two filters allow the same squares. */
bool filter_equal(const struct filter *a, const struct filter *b);

/* Places the queen of every row that has one square left, until nothing follows any more. */
void filter_settle(struct filter *filter);

/* Some row has no square left: there are no solutions. Never so for n = 0. */
bool filter_contradictory(const struct filter *filter);

/* Rows with more than one square left. */
uint32_t filter_free_rows(const struct filter *filter);

/* The symmetries of the square that carry the filter into itself: bit s for number s of nq_transform. They form a
 * group; bit 0 is always set. */
unsigned filter_symmetries(const struct filter *filter);
enum { SYMMETRIES_ALL = 0xff };

/* The filter's image under a symmetry. */
void filter_transform(unsigned symmetry, const struct filter *filter, struct filter *image);

/* The image of a square under a symmetry, in place. */
void square_transform(unsigned symmetry, uint32_t n, uint32_t *row, uint32_t *column);

enum query_distinct {
    DISTINCT_ALL,
    DISTINCT_FUNDAMENTAL, /* one of each class under the symmetries that carry the filter into itself */
    DISTINCT_MIRROR,      /* likewise under left-right reflection alone, if it is one of those */
};

enum query_symmetry {
    SYMMETRY_ANY,
    SYMMETRY_POINT,   /* unchanged by a half turn; those unchanged by a quarter turn included */
    SYMMETRY_QUARTER, /* unchanged by a quarter turn */
};

struct query {
    struct filter filter;
    enum query_distinct distinct;
    enum query_symmetry symmetry;
    bool by_square; /* for every square, the solutions with a queen on it; with DISTINCT_ALL only */
};

#endif
