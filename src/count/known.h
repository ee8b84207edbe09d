/* known.h - counts of whole boards as published. */
#ifndef COUNT_KNOWN_H
#define COUNT_KNOWN_H

#include "board/query.h"

struct known {
    uint64_t count;
    const char *oeis; /* the sequence it stands in */
    const char *note; /* how it follows from that, NULL: it is a term of it */
};

/* What is known of a board without any squares placed or excluded; false when nothing is. */
bool known_find(uint32_t n, enum query_distinct distinct, enum query_symmetry symmetry, struct known *known);

/* The largest n of such a table, for whoever has to say so. -1: there is no table. */
int known_most(enum query_distinct distinct, enum query_symmetry symmetry);

#endif
