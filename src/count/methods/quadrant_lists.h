/* quadrant_lists.h - the placements of all quadrants of a board, listed or only counted, by several threads. */
#ifndef COUNT_METHODS_QUADRANT_LISTS_H
#define COUNT_METHODS_QUADRANT_LISTS_H

#include "count/methods/quadrants.h"

/* Makes the sets and counts the placements, without lists. NQ_OK, NQ_NOMEM, or NQ_CANCELLED soon after *stop (may be
 * NULL); close it in any case. n from 4 on. Takes 10 core-seconds for n = 26, and about ten times as long for each two
 * sizes more. */
enum nq_status quadrants_open(struct quadrants *quadrants, uint32_t n, unsigned threads, const atomic_bool *stop);
void quadrants_close(struct quadrants *quadrants);

/* Lists the placements of every quadrant; to be called once. NQ_OK, NQ_NOMEM, NQ_CANCELLED. */
enum nq_status quadrants_list(struct quadrants *quadrants, unsigned threads, const atomic_bool *stop);

/* The bytes of the lists of all quadrants, known without making them. n from 8 to 32; for 27 and from 29 on an
 * estimate, else from counts. */
double quadrants_memory(uint32_t n);

/* The most placements with one set of rows, from the same counts: of a quadrant without middle lines, and of all
 * quadrants that a pair (x, u) needs (see method_join.c). */
double quadrants_most(uint32_t n);
double quadrants_most_of_pair(uint32_t n);

/* No more than this of one quadrant. */
double quadrants_most_at_once(uint32_t n);

#endif
