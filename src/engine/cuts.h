/* cuts.h - units that are cut into pieces, while they are under way: which pieces have been taken, which are known, and
 * what these came to. It does not know what a piece is. One thread at a time. */
#ifndef ENGINE_CUTS_H
#define ENGINE_CUTS_H

#include "engine/units.h"

/* A piece of a unit, or UNIT_WHOLE, as one number. */

static inline size_t task_of(size_t unit, size_t piece)
{
    return unit * UNIT_PIECES + piece;
}
static inline size_t task_unit(size_t task)
{
    return task / UNIT_PIECES;
}
static inline size_t task_piece(size_t task)
{
    return task % UNIT_PIECES;
}

struct cut {
    struct cut *next;
    size_t unit, pieces;
    size_t left;    /* pieces that are not known */
    size_t untaken; /* the first one that nobody has taken */
    bool begun;
    nq_wide parts; /* of those that are known */
    uint64_t nodes;
    bool known[];
};

/* All zero at first. */
struct cuts {
    struct cut *list;
};
void cuts_close(struct cuts *cuts);

/* The unit, if it is under way. */
struct cut *cuts_find(const struct cuts *cuts, size_t unit);

/* Puts a unit under way; it is not. NULL: out of memory. */
struct cut *cuts_add(struct cuts *cuts, size_t unit, size_t pieces);

/* From now on its pieces may be taken. */
void cuts_begin(struct cut *cut);

/* The next piece of any unit that is not known. False: none is left. */
bool cuts_take(struct cuts *cuts, size_t *task);

/* What a piece came to. False: that is known already. */
bool cuts_settle(struct cut *cut, size_t piece, nq_wide parts, uint64_t nodes);

/* A unit is not under way any more. */
void cuts_remove(struct cuts *cuts, struct cut *cut);

#endif
