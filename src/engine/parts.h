/* parts.h - a list of solutions in parts that can be made apart from each other, on any number of threads, and put
 * together in order: the list is what a cursor would list. It knows neither who makes them nor who reads them. */
#ifndef ENGINE_PARTS_H
#define ENGINE_PARTS_H

#include <stdatomic.h>

#include "engine/pool.h"
#include "engine/question.h"
#include "kernels/find.h"

/* One part: the solutions that begin with a prefix. It can be left at any place, and gone on with from there. */
struct part {
    uint32_t length, position_length; /* position_length 0: not begun */
    uint8_t prefix[KERNEL_MAX_N];
    uint8_t position[KERNEL_MAX_N]; /* all up to here have been written */
    uint64_t index;                 /* of the next solution, in lists that are made in turn */
};

struct parts;

/* Whether a list should be made so: it is long, and of a kind that listers are good at. */
bool parts_suit(const struct question *question);

/* The question must suit and outlive them. NQ_OK, NQ_INVALID (where it begins is no placement), NQ_NOMEM. */
enum nq_status parts_open(const struct question *question, const struct finder *finder, struct parts **parts);
void parts_close(struct parts *parts);

/* Whether parts must be made one after the other, because solutions tell their rank. */
bool parts_in_turn(const struct parts *parts);

/* Appends what stands before the first solution. */
void parts_begin(const struct parts *parts, struct bytes *out);

/* Lays out the next part; false when there is none. One thread at a time; microseconds. */
bool parts_next(struct parts *parts, struct part *part);

/* Appends some of a part's solutions, at most `most`, until `out` holds `want` bytes or a little more, the slice is
 * over or *stop is set; *solutions says how many. NQ_AGAIN: there may be more; NQ_END: these were the last, or the
 * most; NQ_NOMEM, NQ_CANCELLED. Any thread, and any number of parts at once. */
enum nq_status parts_make(const struct parts *parts, struct part *part, uint64_t most, struct bytes *out, size_t want,
                          const struct slice *slice, const atomic_bool *stop, uint64_t *solutions);

/* Appends the end of the list, after so many solutions. last: the part that was cut short there, NULL: there is no
 * more. */
void parts_end(const struct parts *parts, uint64_t returned, const struct part *last, struct bytes *out);

#endif
