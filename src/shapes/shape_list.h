/* shape_list.h - the placements of a shape one by one, in lexicographic order of their squares in reading order; one
 * that begins others comes before them. It can go on after any placement. It knows neither pages nor texts. */
#ifndef SHAPES_SHAPE_LIST_H
#define SHAPES_SHAPE_LIST_H

#include "shapes/shape.h"

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

#endif
