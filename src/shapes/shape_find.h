/* shape_find.h - placements of so many queens on a board of any shape, also a large one, one by one in an order in
 * which the first is mostly found at once. It knows neither pages nor texts.
 *
 * The search fills the part of a row or column that has the fewest free squares (L. V. Kalé, Information Processing
 * Letters 34 (1990), 173-178), squares of a part in a random order. Where that leads nowhere for long, it begins anew
 * in another order (C. P. Gomes, B. Selman, H. Kautz, Boosting combinatorial search through randomization, AAAI 1998),
 * and the list has the order in which the first placement was found. After the last beginning it goes on to the end,
 * which proves that there is none. Each order is the same on every machine. */
#ifndef SHAPES_SHAPE_FIND_H
#define SHAPES_SHAPE_FIND_H

#include "shapes/shape.h"

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
