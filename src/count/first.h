/* first.h - the lexicographically first solutions of boards on which a search takes long to come to it. */
#ifndef COUNT_FIRST_H
#define COUNT_FIRST_H

#include <stdbool.h>
#include <stdint.h>

/* The table's least and largest n; larger boards are not known here. */
enum { FIRST_LEAST_N = 29, FIRST_MOST_N = 41 };

/* The OEIS sequence that has them as its rows. */
extern const char first_oeis[];

/* Writes the columns, 0-based, of the lexicographically first solution of an n x n board. False: it is not in the
 * table, and nothing is written. */
bool first_find(uint32_t n, uint32_t *columns);

#endif
