/* shape_free.h - whether one more queen fits on a board of any shape. It knows neither who placed the others nor
 * whether they attack each other. */
#ifndef SHAPES_SHAPE_FREE_H
#define SHAPES_SHAPE_FREE_H

#include "board/conflicts.h"
#include "shapes/shape.h"

/* Sets *maximal to whether no queen can be added to some on the board, on any square that is no wall: each is attacked
 * or has one. Queens on walls attack nothing. If one can, *square is the first in reading order. NQ_OK or NQ_NOMEM. Up
 * to 2 MB meanwhile, and some milliseconds. */
enum nq_status shape_free(const struct shape *shape, const struct queen *queens, uint32_t count, bool *maximal,
                          struct queen *square);

#endif
