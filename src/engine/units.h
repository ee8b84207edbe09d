/* units.h - the units of a work, handed out one by one to all its lanes, and how far it has come with them. It does not
 * know what a unit is. */
#ifndef ENGINE_UNITS_H
#define ENGINE_UNITS_H

#include "base/wide.h"
#include "engine/ledger.h"
#include "engine/work.h"

struct units {
    size_t count, restored;
    uint64_t weight, weight_restored;
    atomic_bool *known; /* by unit: what it comes to is known; not to be done again */
    atomic_bool laid;   /* what stands above is there */
    atomic_size_t next, done;
    atomic_ullong weight_done, nodes;
};

/* Lays out so many units; all is zero at first. False: out of memory. Close in any case. */
bool units_lay(struct units *units, size_t count);
void units_close(struct units *units);

/* What a unit comes to has been found out. False: by somebody else, too, who was faster. */
bool units_settle(struct units *units, size_t unit);

static inline bool units_known(const struct units *units, size_t unit)
{
    return atomic_load(&units->known[unit]);
}

/* Whether all are. */
static inline bool units_complete(const struct units *units)
{
    return atomic_load(&units->done) == units->count;
}

/* From now on lanes may take units. */
void units_begin(struct units *units);

/* The next unit that has to be done, for whoever calls. False: none is left. */
bool units_take(struct units *units, size_t *unit);

/* A unit has been done, with so many placements, or what was left of it. */
void units_finish(struct units *units, uint64_t weight, uint64_t nodes);

/* So much of a unit has been done, and there is more. */
void units_finish_some(struct units *units, uint64_t weight, uint64_t nodes);

/* Before lanes run: the same, by an earlier process. */
void units_restore(struct units *units, uint64_t weight);
void units_restore_some(struct units *units, uint64_t weight);

/* As of struct work_class. */
void units_progress(const struct units *units, struct progress *progress);

/* Core-seconds from which on a work is lengthy. Only tests set it, which would otherwise hang on the machine's speed.
 */
extern double units_lengthy;

/* Notes that a work takes so many seconds of one core, and whether that is lengthy; false when it may not be begun. */
bool units_afford(struct work *work, const struct question *question, const struct tools *tools, double seconds);

/* ---- Their facts in the ledger ---- */

/* In place of the number of a piece: the unit is not cut into any, or all of them together are meant. */
enum { UNIT_PIECES = 1 << 20, UNIT_WHOLE = UNIT_PIECES - 1 };

/* The key of a unit of something named so or of a piece of it, and what all such keys begin with, and those of one
 * unit's pieces; for the caller to free. NULL: out of memory. */
char *units_key(const char *name, size_t unit, size_t piece);
char *units_prefix(const char *name);
char *units_pieces_prefix(const char *name, size_t unit);

/* The unit and the piece whose key it is; false when it is none of the first `count` units. */
bool units_number(const char *key, size_t count, size_t *unit, size_t *piece);

/* What a unit or a whole count came to: "parts nodes", in decimal digits. */
enum { UNIT_FACT_MAX = WIDE_TEXT_MAX + 24 };
void units_fact(nq_wide parts, uint64_t nodes, char value[static UNIT_FACT_MAX]);
bool units_read_fact(const char *text, size_t size, nq_wide *parts, uint64_t *nodes);

/* How long the store may take to tell what is known: not long, but for a lengthy work, which would begin anew what may
 * have been done already. */
struct patience units_patience(const struct work *work, const atomic_bool *stop);

#endif
