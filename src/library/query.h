/* query.h - the public query, as the squares that were given. It knows neither counts nor cursors. */
#ifndef LIBRARY_QUERY_H
#define LIBRARY_QUERY_H

#include "board/conflicts.h"
#include "board/query.h"

struct nq_query {
    uint32_t n;
    const struct rule *rule;
    enum query_symmetry symmetry;
    enum query_distinct distinct;
    uint64_t placed[FILTER_MAX_N], excluded[FILTER_MAX_N]; /* by row: bit c for column c */
};

/* The rule of a name; NULL means queens. False: there is no such rule. */
bool library_rule(const char *name, const struct rule **rule);

/* The queens as the rooms know them; the caller frees them. NULL: out of memory. */
struct queen *library_queens(const struct nq_square *squares, uint32_t count);

/* Carries out a search for conflicts, closes it, and lists what it found as callers get it; list may be NULL. */
void library_conflicts(struct conflicts *conflicts, struct nq_conflict *list);

/* The query as the rooms know it. */
void library_query(const struct nq_query *query, struct query *out);

#endif
