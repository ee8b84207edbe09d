/* solver.h - the shape of an enumerator: it walks the solutions a query asks for in its own order. It knows neither
 * pages nor formats nor time: budgets are placements. nqueens.h says what its calls mean. */
#ifndef SOLVERS_SOLVER_H
#define SOLVERS_SOLVER_H

#include <nqueens.h>

#include "board/query.h"

struct solver {
    const char *name;
    const char *summary;
    const char *order; /* in which solutions come */
    const char *complexity;
    const char *source;
    int year;
    uint32_t max_n;
    bool filters; /* lists what any query asks for; if not, whole boards only */
    enum nq_status (*open)(const struct query *query, void **search);
    enum nq_status (*next)(void *search, uint64_t *budget, uint32_t *columns);
    enum nq_status (*seek)(void *search, const uint32_t *prefix, uint32_t length);
    uint32_t (*position)(const void *search, uint32_t *prefix);
    void (*close)(void *search);
};

/* The first is the default; ends with NULL. */
extern const struct solver *const solvers[];

/* As nq_cursor_open(), before the first solution that a query asks for; by_square means nothing here. algorithm: NULL
 * for the default. NQ_OK, NQ_INVALID (no such algorithm, or it lists whole boards only and the query asks for less),
 * NQ_LIMIT (n above the algorithm's), NQ_NOMEM. */
enum nq_status cursor_open(const char *algorithm, const struct query *query, struct nq_cursor **cursor);

#endif
