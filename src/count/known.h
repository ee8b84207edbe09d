/* known.h - counts of whole boards, and first solutions, as published. */
#ifndef COUNT_KNOWN_H
#define COUNT_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "board/query.h"

struct known {
    uint64_t count;
    const char *oeis;   /* the sequence it stands in */
    const char *source; /* who published it */
    const char *note;   /* how it follows from the sequence; NULL: it is a term of it */
};

/* Finds the published count of a board without placed or excluded squares, by a rule. False: there is none. */
bool known_find(const struct rule *rule, uint32_t n, enum query_distinct distinct, enum query_symmetry symmetry,
                struct known *known);

/* The largest n of such a table. -1: there is no table. */
int known_most(const struct rule *rule, enum query_distinct distinct, enum query_symmetry symmetry);

/* ---- The lexicographically first solutions of boards on which a search takes long to come to it ---- */

/* The table's least and largest n; larger boards are not known here. */
enum { FIRST_LEAST_N = 29, FIRST_MOST_N = 41 };

/* The OEIS sequence that has them as its rows. */
extern const char first_oeis[];

/* Writes the columns, 0-based, of the lexicographically first solution of an n x n board. False: it is not in the
 * table, and nothing is written. */
bool first_find(uint32_t n, uint32_t *columns);

#endif
