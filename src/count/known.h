/* known.h - counts of whole boards as published. */
#ifndef COUNT_KNOWN_H
#define COUNT_KNOWN_H

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

#endif
