/* question_shape.c - places in lists of placements of a shape. A place has a number for each square, in reading order,
 * behind one that no square has: so that the placement without queens is a place, too. */
#include <stdlib.h>

#include "engine/ask/question.h"
#include "shapes/shape_list.h"

static uint32_t board_squares(const struct shape *shape)
{
    return shape->rows * shape->columns;
}

unsigned question_shape_group(const struct question *question)
{
    const unsigned mirror = 1U << SYMMETRY_IDENTITY | 1U << SYMMETRY_REFLECTION;
    switch (question->query.distinct) {
    case DISTINCT_FUNDAMENTAL: return shape_symmetries(&question->shape);
    case DISTINCT_MIRROR: return shape_symmetries(&question->shape) & mirror;
    case DISTINCT_ALL:
    case DISTINCT_TORUS: break;
    }
    return 1U << SYMMETRY_IDENTITY;
}

bool question_shape_place(const struct question *question, const struct nq_square *squares, uint32_t count,
                          struct token *place)
{
    if (count >= NQ_LIST_MAX_N)
        return false;
    place->prefix[0] = board_squares(&question->shape);
    for (uint32_t i = 0; i < count; i++)
        place->prefix[i + 1] = squares[i].row * question->shape.columns + squares[i].column;
    place->length = count + 1;
    return true;
}

enum nq_status question_shape_seek(const struct question *question, const struct list_start *from,
                                   struct shape_list *list)
{
    const struct shape *shape = &question->shape;
    struct nq_square squares[NQ_LIST_MAX_N];
    if (!from->length)
        return NQ_OK;
    if (from->length > NQ_LIST_MAX_N || from->prefix[0] != board_squares(shape))
        return NQ_INVALID;
    for (uint32_t i = 1; i < from->length; i++) {
        const uint32_t square = from->prefix[i];
        if (square >= board_squares(shape))
            return NQ_INVALID;
        squares[i - 1] = (struct nq_square){square / shape->columns, square % shape->columns};
    }
    return shape_list_seek(list, squares, from->length - 1);
}

enum nq_status question_shape_look(const struct question *question, const struct list_start *from)
{
    struct shape_list *list;
    enum nq_status status = shape_list_open(&question->shape, question_shape_group(question), &list);
    if (status != NQ_OK)
        return status;
    status = question_shape_seek(question, from, list);
    shape_list_close(list);
    return status;
}
