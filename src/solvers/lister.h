/* lister.h - every solution below a prefix, in lexicographic order, many at a time. It is what a cursor is, for whoever
 * wants thousands: it knows neither formats nor threads nor time.
 *
 * Rows from above are searched one placement at a time, with lookahead, down to a depth where what is left below has
 * some thousand solutions; there a finder (kernels/find.h) finds all of them at once, and they are sorted. */
#ifndef SOLVERS_LISTER_H
#define SOLVERS_LISTER_H

#include "kernels/find.h"

enum { LISTER_MAX_N = KERNEL_MAX_N };

/* Solutions a lister holds at once unless told otherwise, and the least it can do with. What is told to hold fewer goes
 * deeper before it lets find. */
enum { LISTER_ROOM = 1 << 13, LISTER_LEAST_ROOM = 4 * FIND_SLACK };

struct lister;

/* So many rows a lister of n goes down one placement at a time before it lets find: prefixes of that length are fit to
 * be listed apart from each other. */
uint32_t lister_rows(uint32_t n);

/* A lister of the solutions of n that stand on allowed squares only: bit c of allow[row] for column c; NULL for all. It
 * takes 16 bytes for each solution of `room` (0: LISTER_ROOM) and 100 KB besides. The finder must be supported; NULL is
 * the best one. It begins before the first solution. NQ_OK, NQ_LIMIT (n above LISTER_MAX_N), NQ_NOMEM. */
enum nq_status lister_open(uint32_t n, const uint64_t *allow, const struct finder *finder, size_t room,
                           struct lister **lister);

/* From now on, lists those solutions only that begin with a prefix; length 0 for all. Goes to before the first.
 * NQ_OK, or NQ_INVALID (too long, off the allowed squares, or queens that attack each other), which changes nothing. */
enum nq_status lister_begin(struct lister *lister, const uint8_t *prefix, uint32_t length);

/* Goes to just after a position: all solutions up to and including every one that begins so are finished. It must begin
 * with the prefix; of length 0 it is the very beginning. NQ_OK, or NQ_INVALID as above. Takes about a millisecond when
 * it lies within what is found at once.
 */
enum nq_status lister_seek(struct lister *lister, const uint8_t *position, uint32_t length);

/* Writes the next solutions, n bytes each, the column of row r in the r-th, one after the other to
 * columns[0..n * *count); at most `room` of them. *budget is how many placements may still be tried, and is decreased
 * by those that were; it is looked at only where something has just been finished, between one find and the next, so
 * that every call gains ground. NQ_OK: there was no room for more; NQ_END: these were the last; NQ_AGAIN: the budget
 * ran out. Every finder tries the same placements: budgets cut lists at the same place everywhere. */
enum nq_status lister_next(struct lister *lister, uint64_t *budget, uint8_t *columns, size_t room, size_t *count);

/* Writes the position to position[0..n) and returns its length; 0 before the first step. */
uint32_t lister_position(const struct lister *lister, uint8_t *position);

void lister_close(struct lister *lister);

#endif
