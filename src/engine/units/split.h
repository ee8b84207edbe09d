/* split.h - units that are split into pieces, while they are under way: which pieces have been taken, which are known,
 * and what these came to. It does not know what a piece is. One thread at a time. */
#ifndef ENGINE_UNITS_SPLIT_H
#define ENGINE_UNITS_SPLIT_H

#include "engine/units/units.h"

/* An item of work is a piece of a unit, or with UNIT_WHOLE the unit: both as one number. */

static inline size_t item_of(size_t unit, size_t piece)
{
    return unit * UNIT_PIECES + piece;
}
static inline size_t item_unit(size_t item)
{
    return item / UNIT_PIECES;
}
static inline size_t item_piece(size_t item)
{
    return item % UNIT_PIECES;
}

struct split_unit {
    struct split_unit *next;
    size_t unit, pieces;
    size_t left;    /* pieces that are not known */
    size_t untaken; /* the first one that nobody has taken */
    bool begun;     /* its pieces may be taken */
    nq_wide parts;  /* of the pieces that are known */
    uint64_t nodes;
    bool known[];
};

/* All zero at first. */
struct splits {
    struct split_unit *list;
};
void splits_close(struct splits *splits);

/* NULL: the unit is not under way. */
struct split_unit *splits_find(const struct splits *splits, size_t unit);

/* Puts a unit under way that is not. NULL: out of memory. */
struct split_unit *splits_add(struct splits *splits, size_t unit, size_t pieces);

/* Takes the next piece that is not known, of any unit. False: none is left. */
bool splits_take(struct splits *splits, size_t *item);

/* All pieces that are not known may be taken once more. */
void splits_rewind(struct splits *splits);

/* Adds what a piece came to. False: it is known already. */
bool splits_settle(struct split_unit *split, size_t piece, nq_wide parts, uint64_t nodes);

/* The unit is no longer under way. */
void splits_remove(struct splits *splits, struct split_unit *split);

#endif
