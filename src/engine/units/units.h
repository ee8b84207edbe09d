/* units.h - the units of a work, handed out one by one to its tasks, and its progress. It does not know what a unit is.
 */
#ifndef ENGINE_UNITS_UNITS_H
#define ENGINE_UNITS_UNITS_H

#include "base/wide.h"
#include "engine/journal/journal.h"
#include "engine/run/work.h"

struct units {
    size_t count, restored;
    uint64_t weight, weight_restored;
    atomic_bool *known; /* by unit: its result is known */
    atomic_bool laid;   /* all above is set */
    atomic_size_t next, done;
    atomic_ullong weight_done, nodes;
};

/* Allocates so many units; *units is all zero before. False: out of memory. Close in any case. */
bool units_lay(struct units *units, size_t count);
void units_close(struct units *units);

/* Marks a unit as known. False: it was known already. */
bool units_settle(struct units *units, size_t unit);

static inline bool units_known(const struct units *units, size_t unit)
{
    return atomic_load(&units->known[unit]);
}

/* Whether all units are done. */
static inline bool units_complete(const struct units *units)
{
    return atomic_load(&units->done) == units->count;
}

/* From now on tasks may take units. */
void units_begin(struct units *units);

/* Takes the next unit that is not known. False: none is left. */
bool units_take(struct units *units, size_t *unit);

/* All units that are not known may be taken once more. */
void units_rewind(struct units *units);

/* Adds a unit that is done, or the rest of one, to the progress. */
void units_finish(struct units *units, uint64_t weight, uint64_t nodes);

/* Adds a part of a unit to the progress. */
void units_finish_some(struct units *units, uint64_t weight, uint64_t nodes);

/* The same for what the store had, before tasks run. */
void units_restore(struct units *units, uint64_t weight);
void units_restore_some(struct units *units, uint64_t weight);

/* As of struct work_class. */
void units_progress(const struct units *units, struct progress *progress);

/* Sets how many core-seconds a work takes, and whether it is lengthy. False: it exceeds the limit. */
bool units_afford(struct work *work, const struct question *question, const struct tools *tools, double seconds);

/* Sets the fault of a work that takes longer than the limit, and returns NQ_LIMIT. instead: how the sentence goes on;
 * "": it does not. */
enum nq_status units_too_costly(const struct tools *tools, double seconds, const char *instead, struct fault *fault);

/* ---- Units in the journal ---- */

/* UNIT_WHOLE stands in place of a piece for the whole unit, split or not. */
enum { UNIT_PIECES = 1 << 20, UNIT_WHOLE = UNIT_PIECES - 1 };

/* The key of a unit or of a piece, "NAME #12" or "NAME #12#3": a store that has subjects for keys can have one for all
 * that go on after a '#'. The prefix of all keys of a name; the prefix of the pieces of a unit; the key of the list of
 * a name's units, a result. The caller frees them. NULL: out of memory. */
char *units_key(const char *name, size_t unit, size_t piece);
char *units_prefix(const char *name);
char *units_pieces_prefix(const char *name, size_t unit);
char *units_list_key(const char *name);

/* Reads the unit and the piece from a key. False: it is not the key of one of the first `count` units. */
bool units_number(const char *key, size_t count, size_t *unit, size_t *piece);

/* The result of a unit, "parts nodes", or of a whole term, "thirds nodes", in decimal digits. Reading returns false if
 * the text is something else, or for more parts than `most`. */
enum { UNIT_FACT_MAX = WIDE_TEXT_MAX + 24 };
void units_fact(nq_wide parts, uint64_t nodes, char value[static UNIT_FACT_MAX]);
bool units_read_fact(const char *text, size_t size, nq_wide most, nq_wide *parts, uint64_t *nodes);

/* No term has more thirds, so that no total overflows: the boards counted have less than 2^70 solutions. */
#define UNITS_THIRDS_MOST ((nq_wide)1 << 100)

/* How long a work waits for the store: longer if it is lengthy, because it would count again what the store has. */
struct deadline units_deadline(const struct work *work, const atomic_bool *stop);

#endif
