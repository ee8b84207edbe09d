/* lister.h - lists all solutions with a prefix, in lexicographic order, thousands in one call. It knows neither formats
 * nor threads nor time.
 *
 * The upper rows are searched one placement at a time, with lookahead, down to a depth below which there are some
 * thousand solutions; there a finder (kernels/find.h) finds all of them at once, and they are sorted. */
#ifndef SOLVERS_LISTER_H
#define SOLVERS_LISTER_H

#include "kernels/find.h"

enum { LISTER_MAX_N = KERNEL_MAX_N };

/* The solutions that a lister holds at once: by default, and at least. One that holds fewer searches more rows itself.
 */
enum { LISTER_ROOM = 1 << 13, LISTER_LEAST_ROOM = 4 * FIND_SLACK };

struct lister;

/* The rows that a lister of n searches one placement at a time: prefixes of that length can be listed separately. */
uint32_t lister_rows(uint32_t n);

/* Opens a lister of the solutions of n on allowed squares, before the first: bit c of allow[row] allows column c; NULL
 * allows all. It takes 16 bytes for each solution of `room` (0: LISTER_ROOM), and 100 KB. The finder must be supported;
 * NULL is the best one. NQ_OK, NQ_LIMIT (n is above LISTER_MAX_N) or NQ_NOMEM. */
enum nq_status lister_open(uint32_t n, const uint64_t *allow, const struct finder *finder, size_t room,
                           struct lister **lister);

/* Lists only the solutions with a prefix, from the first on; length 0: all solutions. NQ_OK, or NQ_INVALID (too long,
 * off the allowed squares, or queens that attack each other), which changes nothing. */
enum nq_status lister_begin(struct lister *lister, const uint8_t *prefix, uint32_t length);

/* Moves to just after a position, which must begin with the prefix: all solutions up to the last one with the position
 * as its prefix are finished; length 0 is the beginning. NQ_OK, or NQ_INVALID as above. Takes about a millisecond for a
 * position among solutions that are found at once. */
enum nq_status lister_seek(struct lister *lister, const uint8_t *position, uint32_t length);

/* Writes the next solutions, at most `room` of them, to columns[0..n * *count): n bytes each, byte r is the column of
 * row r. *budget is the number of placements that may be tried; those tried are subtracted. It is checked only between
 * two finds, so that every call makes progress. NQ_OK: there was no room for more; NQ_END: these were the last;
 * NQ_AGAIN: the budget ran out. All finders try the same placements, so a budget ends a list at the same place on every
 * machine. */
enum nq_status lister_next(struct lister *lister, uint64_t *budget, uint8_t *columns, size_t room, size_t *count);

/* Instead of rows, what they are written from: the next solutions that were found together, at most `room` > 0 of them,
 * as a run that is valid until the next call. The budget and the status are as above, but that NQ_OK means that there
 * may be more; a run can be empty if the status is not NQ_OK. */
enum nq_status lister_take(struct lister *lister, uint64_t *budget, size_t room, struct run *run);

/* Writes the solutions of a run of a board of n as rows, as above. */
void lister_rows_of(const struct run *run, uint32_t n, uint8_t *columns);

/* How much of the position will do to move to it: all solutions with that prefix have been handed out, so that nothing
 * is found again. 0: all of it is needed. */
uint32_t lister_done_length(const struct lister *lister);

/* Writes the position to position[0..n) and returns its length: 0 before the first step. */
uint32_t lister_position(const struct lister *lister, uint8_t *position);

void lister_close(struct lister *lister);

/* Sorts numbers[0..count), as paths are; spare[0..count) is work space. Returns the array that holds the result: one of
 * the two. O(count) if few numbers agree in their leading significant bits. */
uint64_t *lister_sort(uint64_t *numbers, uint64_t *spare, size_t count);

#endif
