/* query.h - what is to be counted or listed: the solutions of one board that keep to a filter - all of them, those with
 * a symmetry, or one of each class. It knows squares, not how anything is counted or searched. */
#ifndef BOARD_QUERY_H
#define BOARD_QUERY_H

#include <nqueens.h>

#include "base/bytes.h"

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

/* Whether every square is allowed. */
bool filter_whole(const struct filter *filter);

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
enum { SYMMETRY_IDENTITY = 0, SYMMETRY_REFLECTION = 4, SYMMETRIES_ALL = 0xff }; /* two numbers, and the whole group */

/* The filter's image under a symmetry. */
void filter_transform(unsigned symmetry, const struct filter *filter, struct filter *image);

/* Appends the size of the board, and which squares are allowed unless all are: equal names, equal filters. */
void filter_name(const struct filter *filter, struct bytes *name);

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

/* The symmetries, as bits, under which a query takes solutions for the same: with fewer than two rows, the identity
 * alone. */
unsigned query_group(const struct query *query);

/* Whether a permutation stands for its class under a group of symmetries: none of its images is lexicographically less.
 * n <= FILTER_MAX_N. Most that do not are found out within a row or two. */
bool query_representative(unsigned group, uint32_t n, const uint8_t *columns);

/* Whether the query asks for every solution of its board, and for nothing else. */
bool query_whole(const struct query *query);

#endif
