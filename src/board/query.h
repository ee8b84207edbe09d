/* query.h - what is counted or listed: the solutions of one board that satisfy a filter: all of them, those with a
 * symmetry, or one of each class. It knows squares, not how solutions are counted or searched. */
#ifndef BOARD_QUERY_H
#define BOARD_QUERY_H

#include <nqueens.h>

#include "base/bytes.h"
#include "base/param.h"
#include "board/regions.h"
#include "rules/rule.h"

enum { FILTER_MAX_N = 64 };

/* A motion of the torus: a symmetry of the square, by its number of nq_transform, and then a shift by so many rows down
 * and columns to the right. All 0: the identity. */
struct motion {
    uint8_t symmetry, down, right;
};

/* Where queens may stand. */
enum { FILTER_MOTIONS = 2 };
struct filter {
    uint32_t n;
    const struct rule *rule;             /* how queens attack each other; never NULL */
    struct motion fixed[FILTER_MOTIONS]; /* only solutions that both leave unchanged */
    uint64_t allow[FILTER_MAX_N];        /* by row: bit c for column c; 0 in one row: there are no solutions */
};

/* The same for larger boards, as it was asked for: squares that have queens, and squares that have none. Their rows and
 * columns are counted from `base` on. */
struct marks {
    uint32_t base, placed, excluded;
    const struct param_square *place, *exclude; /* borrowed: both outlive the query */
};

/* Every square of an n x n board, n <= FILTER_MAX_N, by the preset rule. */
void filter_begin(struct filter *filter, uint32_t n);

/* Excludes a square; places a queen on one, which excludes all squares that it attacks: two placed queens that attack
 * each other, or one on an excluded square, leave no solution. Squares must be on the board. */
void filter_exclude(struct filter *filter, uint32_t row, uint32_t column);
void filter_place(struct filter *filter, uint32_t row, uint32_t column);

static inline bool filter_allows(const struct filter *filter, uint32_t row, uint32_t column)
{
    return filter->allow[row] >> column & 1;
}

/* Whether every square is allowed. */
bool filter_whole(const struct filter *filter);

/* Whether some motion is to leave the solutions unchanged. */
bool filter_fixed(const struct filter *filter);

/* Whether two filters allow the same squares, by the same rule, unchanged by the same motions. */
bool filter_equal(const struct filter *a, const struct filter *b);

/* Places the queen of every row that has one square left, until there is no such row. Then, if the rows cannot get a
 * column each, it leaves no square in the first row. */
void filter_settle(struct filter *filter);

/* Whether some row has no square left: there are no solutions. False for n = 0. */
bool filter_contradictory(const struct filter *filter);

/* Whether a theorem says that its rule has no solutions for its n: see rule_note(). */
bool filter_impossible(const struct filter *filter);

/* Rows with more than one square left. */
uint32_t filter_free_rows(const struct filter *filter);

/* The symmetries that carry the filter into itself, and solutions by its rule into solutions: bit s for number s of
 * nq_transform. They form a group; bit 0 is always set. */
unsigned filter_symmetries(const struct filter *filter);
enum { SYMMETRY_IDENTITY = 0, SYMMETRY_REFLECTION = 4, SYMMETRIES_ALL = 0xff }; /* two numbers, and the whole group */

/* The image of a filter's squares under a symmetry. */
void filter_transform(unsigned symmetry, const struct filter *filter, struct filter *image);

/* Appends the size of the board, its rule, what leaves solutions unchanged, and which squares are allowed unless all
 * are: equal names mean equal filters. */
void filter_name(const struct filter *filter, struct bytes *name);

/* The image of a square under a symmetry, in place. */
static inline void square_transform(unsigned symmetry, uint32_t n, uint32_t *row, uint32_t *column)
{
    if (symmetry & 4)
        *column = n - 1 - *column;
    for (unsigned turns = symmetry & 3; turns; turns--) { /* a quarter turn: (row, column) -> (column, n - 1 - row) */
        const uint32_t turned = n - 1 - *row;
        *row = *column;
        *column = turned;
    }
}

/* The image of a painted board under a symmetry, numbered. */
void regions_transform(unsigned symmetry, const struct regions *regions, struct regions *image);

/* The image of a square under a motion. */
static inline void motion_apply(const struct motion *motion, uint32_t n, uint32_t *row, uint32_t *column)
{
    square_transform(motion->symmetry, n, row, column);
    *row = (*row + motion->down) % n;
    *column = (*column + motion->right) % n;
}

enum query_distinct {
    DISTINCT_ALL,
    DISTINCT_FUNDAMENTAL, /* one of each class under the symmetries that fix the filter, see query_group() */
    DISTINCT_MIRROR,      /* one of each class under left-right reflection alone, if it fixes the filter */
    DISTINCT_TORUS, /* one of each class under the shifts of the torus and the symmetries of its rule; counted only,
                     * by rules that shifts keep, on whole boards */
};

enum query_symmetry {
    SYMMETRY_ANY,
    SYMMETRY_POINT,   /* unchanged by a half turn; those unchanged by a quarter turn included */
    SYMMETRY_QUARTER, /* unchanged by a quarter turn */
};

struct query {
    struct filter filter;   /* of a board above FILTER_MAX_N, its n alone */
    struct marks marks;     /* of such a board; else none */
    struct regions regions; /* each with one queen; n is 0: there are none */
    unsigned broken;        /* symmetries of the filter, as bits, that the placed and excluded squares do not have */
    enum query_distinct distinct;
    enum query_symmetry symmetry;
    bool by_square; /* for every square, the solutions with a queen on it; with DISTINCT_ALL only */
};

/* Of some symmetries, as bits, those under which solutions are regarded as equal. */
unsigned distinct_group(enum query_distinct distinct, unsigned symmetries);

/* The symmetries, as bits, under which a query regards solutions as equal: of those that `distinct` names, the ones
 * that carry the placed squares of the request into placed squares, and the excluded ones into excluded squares.
 * Squares excluded by inference do not count: how much is inferred must not matter. With fewer than two rows, the
 * identity alone. */
unsigned query_group(const struct query *query);

/* Whether a permutation represents its class under a group of symmetries: no image is lexicographically less. n <=
 * FILTER_MAX_N. For most others a row or two decide. */
bool query_representative(unsigned group, uint32_t n, const uint8_t *columns);

/* Whether no square is excluded, be it by a queen that is placed, and there are no regions. */
bool query_all_squares(const struct query *query);

/* Whether the queens of a permutation stand on allowed squares. */
bool query_permits(const struct query *query, const uint32_t *columns);

/* Whether the query is for all solutions of its board, without any restriction. */
bool query_whole(const struct query *query);

#endif
