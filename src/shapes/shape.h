/* shape.h - a board of any shape: rows by columns, walls that hold no queen and end lines of attack, squares that must
 * or must not hold a queen, and how many queens. Its symmetries. It knows squares, not how placements are found. A
 * placement is a set of squares, none of which attacks another. */
#ifndef SHAPES_SHAPE_H
#define SHAPES_SHAPE_H

#include <nqueens.h>

#include "base/param.h"
#include "base/stop.h"
#include "base/wide.h"
#include "rules/rule.h"

enum { SHAPE_MAX_SIDE = 64, SHAPE_MAX_SQUARES = SHAPE_MAX_SIDE * SHAPE_MAX_SIDE };

/* Larger boards are only searched for some placements: see shape_find_open(). */
enum { SHAPE_FIND_MAX_SIDE = 200 };

/* Squares in reading order, none twice, counted from `base`; borrowed. */
struct shape_squares {
    const struct param_square *list;
    uint32_t count, base;
};

/* Squares by row: bit c for column c. Bits and rows beyond the board are 0. */
struct shape {
    uint32_t rows, columns; /* each 1 to SHAPE_MAX_SIDE; of a large board, see shape_large(), to SHAPE_FIND_MAX_SIDE */
    const struct rule *rule;
    uint64_t walls[SHAPE_MAX_SIDE];
    uint64_t allow[SHAPE_MAX_SIDE];  /* squares that may hold a queen; no wall is among them */
    uint64_t placed[SHAPE_MAX_SIDE]; /* squares that must hold one */
    uint32_t least, most;            /* how many queens, those placed included */
    /* Of a large board, whose squares above are not used, instead. Else none. */
    struct shape_squares wall_list, exclude_list, place_list;
    bool maximal; /* only placements to which no queen can be added on any square without a wall, allowed or not */
};

/* A board of queens without walls, every square allowed, for any number of queens. */
void shape_begin(struct shape *shape, uint32_t rows, uint32_t columns);

/* Makes an allowed square a wall. */
void shape_wall(struct shape *shape, uint32_t row, uint32_t column);

/* Asserts what is said at the fields. */
void shape_check(const struct shape *shape);

/* Why its rule has no meaning on this board: half a sentence, static. NULL: it has one. A torus is square; lines that
 * wrap or reflect need a board without walls. Leaps pass over walls. */
const char *shape_refusal(const struct shape *shape);

static inline uint64_t shape_row(const struct shape *shape)
{
    return ~UINT64_C(0) >> (64 - shape->columns);
}

static inline bool shape_large(const struct shape *shape)
{
    return shape->rows > SHAPE_MAX_SIDE || shape->columns > SHAPE_MAX_SIDE;
}

bool shape_squares_have(const struct shape_squares *squares, uint32_t row, uint32_t column);

/* What a square is, of large boards, too. A wall may be excluded as well. */
static inline bool shape_is_wall(const struct shape *shape, uint32_t row, uint32_t column)
{
    return shape_large(shape) ? shape_squares_have(&shape->wall_list, row, column) : shape->walls[row] >> column & 1;
}

/* Whether there is any wall. */
bool shape_walled(const struct shape *shape);

static inline bool shape_is_excluded(const struct shape *shape, uint32_t row, uint32_t column)
{
    return shape_large(shape) ? shape_squares_have(&shape->exclude_list, row, column)
                              : !(shape->allow[row] >> column & 1);
}

static inline bool shape_is_placed(const struct shape *shape, uint32_t row, uint32_t column)
{
    return shape_large(shape) ? shape_squares_have(&shape->place_list, row, column) : shape->placed[row] >> column & 1;
}

/* The square of the image of a board of rows x columns under a symmetry, by its number of nq_transform, in place. Odd
 * ones turn the board, too. */
static inline void shape_transform(unsigned symmetry, uint32_t rows, uint32_t columns, uint32_t *row, uint32_t *column)
{
    if (symmetry & 4)
        *column = columns - 1 - *column;
    for (unsigned turns = symmetry & 3; turns; turns--) {
        const uint32_t turned = rows - 1 - *row;
        *row = *column;
        *column = turned;
        const uint32_t sides = rows;
        rows = columns;
        columns = sides;
    }
}

/* Whether the main diagonal is a mirror of a rule's attacks; the board of such a rule, turned over it. */
bool shape_turns(const struct rule *rule);
void shape_transpose(const struct shape *shape, struct shape *turned);

/* The symmetries, as bits by number of nq_transform, that carry the board, its walls, its allowed and its placed
 * squares into themselves and placements into placements. They form a group. Of boards that are not square at most 0,
 * 2, 4 and 6: identity, half turn, both reflections. */
unsigned shape_symmetries(const struct shape *shape);

/* Whether a set of squares is a placement of it: so many queens, those placed among them, on squares that are allowed,
 * none of which attacks another; and, if it is to be maximal, to which none can be added. Some tenths of a millisecond
 * at most. */
bool shape_has(const struct shape *shape, const uint64_t *queens);

/* Whether a placement, as a set of squares, is the lexicographically least of its images under a group of symmetries,
 * each read as the sequence of its squares in reading order. */
bool shape_representative(const struct shape *shape, unsigned group, const uint64_t *queens);

/* ---- Counts ---- */

/* How many placements a shape has, by number of queens: a plan lists units of work, which anyone may count, on any
 * number of threads; their sum is the result. It knows neither threads nor storage. */

struct shape_plan;

/* Makes a plan for a shape that shape_refusal() does not refuse. group: some of shape_symmetries() that form a group,
 * as bits; 1, the identity: all placements are counted, and with others one of each class. A unit of about more than
 * split_weight placements is split, 0: of some tenths of a second; but if all together weigh more than `most`, none is.
 * With most = 0 that is so of every shape, and the sum of the weights is a quick estimate of the cost, right within a
 * factor of three or so. NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms of *stop (may be NULL). The same shape has the
 * same units on every machine, if they are split. The caller closes it. */
enum nq_status shape_plan_open(const struct shape *shape, unsigned group, double split_weight, double most,
                               const atomic_bool *stop, struct shape_plan **plan);
void shape_plan_close(struct shape_plan *plan);

/* The largest number of queens of a profile, at most the shape's `most`: it has one entry more. */
uint32_t shape_plan_top(const struct shape_plan *plan);

/* How many units there are, at least one; what their sum is to be divided by, the size of the group (Burnside 1897);
 * and about how many placements a unit tries, more than 0. */
size_t shape_plan_units(const struct shape_plan *plan);
unsigned shape_plan_divisor(const struct shape_plan *plan);
double shape_plan_weight(const struct shape_plan *plan, size_t unit);

/* An estimate of the number of placements, not of classes, by one random descent (Knuth 1975): its mean over many walks
 * is the number, and their spread gives the error. A pure function of its arguments, equal to the last bit on every
 * machine; some microseconds. */
double shape_plan_sample(const struct shape_plan *plan, uint64_t seed, uint64_t walk);

/* Adds a unit's placements of k queens to profile[k], for k from the shape's least on, to 0 .. top; and the number of
 * placements tried to *nodes. NQ_OK, or NQ_CANCELLED within 100 ms of *stop (may be NULL): then the sums mean nothing.
 * Safe on any number of threads at once. */
enum nq_status shape_plan_count(const struct shape_plan *plan, size_t unit, const atomic_bool *stop, nq_wide *profile,
                                uint64_t *nodes);

/* ---- Lists ---- */

/* The placements of a shape one by one, in lexicographic order of their squares in reading order; one that begins
 * others comes before them. It can go on after any placement. It knows neither pages nor texts. */

struct shape_list;

/* Opens a list before its first placement, of a shape that shape_refusal() does not refuse; the caller closes it.
 * group: some of shape_symmetries() that form a group, as bits; 1, the identity: all placements are listed, with others
 * the first of each class. NQ_OK or NQ_NOMEM. */
enum nq_status shape_list_open(const struct shape *shape, unsigned group, struct shape_list **list);
void shape_list_close(struct shape_list *list);

/* The largest number of queens of a placement. */
uint32_t shape_list_top(const struct shape_list *list);

/* Writes the next placement to squares[0..*count), which has room for shape_list_top(). *budget is how many placements,
 * listed or not, may be tried; those that were are subtracted. Every call makes progress. NQ_OK, NQ_END, or NQ_AGAIN:
 * the budget ran out first. */
enum nq_status shape_list_next(struct shape_list *list, uint64_t *budget, struct nq_square *squares, uint32_t *count);

/* Moves to just after squares[0..count), in reading order; it need not be one that is listed. NQ_OK, or NQ_INVALID:
 * they are not in order, two of them attack each other or a placed queen, or one is not allowed or passes over a placed
 * queen; then the list is at its end. */
enum nq_status shape_list_seek(struct shape_list *list, const struct nq_square *squares, uint32_t count);

/* Writes the last placement that was tried, after which shape_list_seek() goes on. False: none was yet. */
bool shape_list_position(const struct shape_list *list, struct nq_square *squares, uint32_t *count);

/* ---- One placement after another, also of large boards ---- */

/* Placements of so many queens on a board of any shape, also a large one, one by one in an order in which the first is
 * mostly found at once. It knows neither pages nor texts.
 *
 * The search fills the part of a row or column that has the fewest free squares (L. V. Kalé, Information Processing
 * Letters 34 (1990), 173-178), squares of a part in a random order. Where that leads nowhere for long, it begins anew
 * in another order (C. P. Gomes, B. Selman, H. Kautz, Boosting combinatorial search through randomization, AAAI 1998),
 * and the list has the order in which the first placement was found. After the last beginning it goes on to the end,
 * which proves that there is none. Each order is the same on every machine. */

struct shape_find;

/* Opens a list before its first placement: shape->least == shape->most, not maximal, and on a large board queens only.
 * The shape must outlive it. Each salt has orders of its own, and but for 0 perhaps parts that are to stay empty: a
 * random one draws the first placement. The caller closes it. NQ_OK or NQ_NOMEM. Less than 1 MB, and a millisecond or
 * two; by other rules than queens 2 MB more. */
enum nq_status shape_find_open(const struct shape *shape, uint32_t salt, struct shape_find **find);
/* Opens it anew after other squares of the shape were placed or allowed; some tenths of a millisecond at most. */
void shape_find_renew(struct shape_find *find, uint32_t salt);

/* Whether all placements are listed: no part is to stay empty. */
bool shape_find_whole(const struct shape_find *find);
void shape_find_close(struct shape_find *find);

/* Writes the next placement to squares[0..*count), in reading order; there is room for shape->most. *budget is what may
 * be tried, as placements of a plain search; what was is subtracted. Every call makes progress. NQ_OK, NQ_END, or
 * NQ_AGAIN: the budget ran out first. */
enum nq_status shape_find_next(struct shape_find *find, uint64_t *budget, struct nq_square *squares, uint32_t *count);

/* Writes where the list is to place[0..length), which has room for NQ_LIST_MAX_N numbers, each at most
 * shape_find_bound(). Returns the length; 0: that would be longer. */
uint32_t shape_find_position(const struct shape_find *find, uint32_t *place);
uint32_t shape_find_bound(const struct shape *shape);

/* Goes on from there. NQ_OK, or NQ_INVALID: it is no place of this list; then the list is at its end. */
enum nq_status shape_find_seek(struct shape_find *find, const uint32_t *place, uint32_t length);

#endif
