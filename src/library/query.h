/* query.h - the public query, as the squares that were given. It knows neither counts nor cursors. */
#ifndef LIBRARY_QUERY_H
#define LIBRARY_QUERY_H

#include <nqueens.h>

#include "base/stop.h"
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

/* What a caller regards as equal, as the rooms know it. NQ_OK or NQ_INVALID. */
enum nq_status library_distinct(enum nq_distinct distinct, enum query_distinct *out);

/* The queens as the rooms know them; the caller frees them. NULL: out of memory. */
struct queen *library_queens(const struct nq_square *squares, uint32_t count);

/* Carries out a search for conflicts, closes it, and lists what it found as callers get it; list may be NULL. */
void library_conflicts(struct conflicts *conflicts, struct nq_conflict *list);

/* The query as the rooms know it. */
void library_query(const struct nq_query *query, struct query *out);

/* ---- Progress ---- */

/* A caller that is told how far a call has come, and may cancel it: while its thread works, through the places where
 * work can be set aside. It knows nothing of the work. */

struct progress {
    struct stop_aside aside;   /* the first member */
    struct stop_aside *before; /* the thread's own */
    nq_progress report;        /* NULL: the caller is not told */
    void *context;             /* of report */
    uint64_t next;             /* no earlier than at this moment of clock_now() */
    unsigned looks;            /* since the clock was read */
    atomic_bool stop;          /* the work is to end */
    double whole;              /* the weight of all units; 0: how far it has come is not known */
    pthread_mutex_t lock;      /* for what units add up to, and: */
    double made;               /* the weight of those that are made */
};

/* Reports from the calling thread's work from now on, whenever that looks at `stop`. */
void progress_begin(struct progress *progress, nq_progress report, void *context);
void progress_end(struct progress *progress);

/* Reports if it is time to. False: the work is to end. */
bool progress_look(struct progress *progress);

/* A unit of such a weight is made, on any thread, which does not hold the lock; or it failed: then the others are to
 * end, too. Returns the status. */
enum nq_status progress_unit(struct progress *progress, double weight, enum nq_status status);

#endif
