/* plain_shapes.h - boards of any shape the slow way: a recursion over squares, which looks at pairs of queens and at
 * the walls between them. */
#ifndef TESTS_UNIT_SUPPORT_PLAIN_SHAPES_H
#define TESTS_UNIT_SUPPORT_PLAIN_SHAPES_H

#include "shapes/shape.h"
#include "support/facts.h"

/* Placements on at most 64 squares, as sets: bit row * columns + column. In lexicographic order of their squares, what
 * begins others before them. */
struct plain_shapes {
    struct shape shape;
    uint64_t attacks[64];
    size_t count, room;
    uint64_t *placements;
};

void plain_shapes_begin(struct plain_shapes *plain, const struct shape *shape);
void plain_shapes_end(struct plain_shapes *plain);

/* The image of a placement, by a map of its own. */
uint64_t plain_shapes_image(const struct plain_shapes *plain, unsigned symmetry, uint64_t placement);

/* Whether the board and all that is asked of it are the same after a symmetry. */
bool plain_shapes_symmetric(const struct plain_shapes *plain, unsigned symmetry);

/* Whether no image of a placement under a group comes before it. */
bool plain_shapes_first(const struct plain_shapes *plain, unsigned group, uint64_t placement);

/* A random board of at most so many rows and columns: any rule, and perhaps walls, placed and excluded squares, a range
 * of queens; maximal or not. Half of them have a symmetry. */
void plain_shapes_random(uint64_t *dice, uint32_t side, struct shape *shape);

/* The boards of tests/data/shapes.json; the i-th, or false behind the last. */
bool plain_shapes_published(size_t i, struct shape *shape, const json_t **by_queens);

#endif
