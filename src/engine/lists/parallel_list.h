/* parallel_list.h - a list of solutions in ranges that any number of threads can make at once. Put together in order
 * they are the list that a cursor makes. It knows neither who makes them nor who reads them. */
#ifndef ENGINE_LISTS_PARALLEL_LIST_H
#define ENGINE_LISTS_PARALLEL_LIST_H

#include <stdatomic.h>

#include "engine/ask/question.h"
#include "engine/run/pool.h"
#include "kernels/find.h"

/* The solutions that begin with a prefix. It can be left at any position, and continued from there. */
struct range {
    uint32_t length, position_length; /* position_length 0: not begun */
    uint32_t done_length;             /* > 0: all with so much of the position have been written */
    uint8_t prefix[KERNEL_MAX_N];
    uint8_t position[KERNEL_MAX_N]; /* all up to here have been written */
    uint64_t index;                 /* of the next solution, in lists that are made in turn */
};

struct parallel_list;

/* Whether a list should be made so: it is long, and of a kind that listers are faster at. */
bool parallel_list_suits(const struct question *question);

/* The question must suit, and outlive the list. NQ_OK, NQ_INVALID (it begins at no placement), NQ_NOMEM. */
enum nq_status parallel_list_open(const struct question *question, const struct finder *finder,
                                  struct parallel_list **list);
void parallel_list_close(struct parallel_list *list);

/* Whether ranges must be made one after the other, because solutions are numbered. */
bool parallel_list_in_turn(const struct parallel_list *list);

/* Appends what stands before the first solution. */
void parallel_list_head(struct parallel_list *list, struct bytes *out);

/* Whether ranges are filled with packed solutions, eight bytes each: a reader has them written where it wants them.
 * Text that is made by one thread and copied by another takes more time than to write it. */
bool parallel_list_packs(const struct parallel_list *list);

/* Lays out the next range; false when there is none. One thread at a time; microseconds. */
bool parallel_list_next(struct parallel_list *list, struct range *range);

/* What to append and where. */
struct filling {
    uint64_t most; /* solutions */
    struct bytes *out;
    size_t want; /* bytes of it, or a little more */
    const struct slice *slice;
    const atomic_bool *stop;
    uint64_t solutions; /* appended; starts at 0 */
};

/* Appends some of a range's solutions, as text or packed, until there are enough of them or of bytes, the slice is over
 * or *stop is set. NQ_AGAIN: there may be more; NQ_END: these were the last, or the most; NQ_NOMEM, NQ_CANCELLED. Any
 * thread, and any number of ranges at once. */
enum nq_status parallel_list_fill(const struct parallel_list *list, struct range *range, struct filling *filling);

/* A place in packed solutions; all zero: the beginning. */
struct packed_place {
    size_t at, done; /* the run that begins there, and how many of its solutions have been written */
};

/* So many bytes have room for a line. */
enum { PACKED_LINE_MAX = 144 };

/* Writes the next packed solutions to `to`, as many as fit, and moves the place behind them. Returns the number of
 * bytes: 0 if no line fits for sure, which needs some bytes more than it has. `to` is garbage behind them. */
size_t parallel_list_write(const struct parallel_list *list, const struct bytes *packed, struct packed_place *place,
                           char *to, size_t size);

/* Appends the end of the list, after so many solutions. last: the range that was cut short there, NULL: there is no
 * more. */
void parallel_list_end(const struct parallel_list *list, uint64_t returned, const struct range *last,
                       struct bytes *out);

#endif
