/* solver.h - the shape of an enumerator: it walks the solutions a query asks for in its own order. It knows neither
 * pages nor formats nor time: budgets are placements. nqueens.h says what its calls mean. */
#ifndef SOLVERS_SOLVER_H
#define SOLVERS_SOLVER_H

#include <nqueens.h>

#include "board/query.h"
#include "steps/machine.h"
#include "steps/stats.h"

/* Which of the solutions an algorithm lists. */
enum solver_lists {
    LISTS_ALL,
    LISTS_MIRROR,      /* those that distinct=mirror asks for */
    LISTS_FUNDAMENTAL, /* those that distinct=fundamental asks for */
    LISTS_COLUMN,      /* those whose first queen stands in a column that is given */
    LISTS_SOME,        /* what it comes upon: of those in LISTS_COLUMN, if it heeds a column */
};

/* An enumerator that lists what any query asks for. */
struct search_class {
    enum nq_status (*open)(const struct query *query, void **search);
    enum nq_status (*next)(void *search, uint64_t *budget, uint32_t *columns);
    enum nq_status (*seek)(void *search, const uint32_t *prefix, uint32_t length);
    uint32_t (*position)(const void *search, uint32_t *prefix);
    void (*close)(void *search);
};

struct solver {
    const char *name;
    const char *summary;
    const char *order; /* in which solutions come */
    const char *complexity;
    const char *source;
    int year;
    const char *tests;  /* what it counts as a test */
    const char *errata; /* where its source errs, and what is right; NULL: nowhere that we know of */
    uint32_t max_n;
    enum solver_lists lists;
    unsigned heeds;
    uint32_t splits;                     /* HEEDS_SPLIT: how many it takes */
    const struct search_class *search;   /* NULL: lists are made by the machine, of whole boards only */
    const struct machine_class *machine; /* in steps, of whole boards only; NULL, with a search: cannot be watched */
};

/* The first is the default; ends with NULL. */
extern const struct solver *const solvers[];

/* The solver of a name, or the default for NULL; NULL: there is none. */
const struct solver *solver_find(const char *name);

/* What it lists of a board, as a query; the settings' n does not matter. False: what it comes upon. */
bool solver_query(const struct solver *solver, const struct machine_settings *settings, uint32_t n,
                  struct query *query);

/* Whether a list can be gone on with from a position; if not, all that comes before has to be found again. */
bool solver_resumes(const struct solver *solver);

/* How a cursor is to work, beyond what it is to list. All zero: as the default does. */
struct cursor_settings {
    const char *algorithm;           /* NULL: the default */
    bool watched;                    /* by the machine, even if there is a faster way; see cursor_stats() */
    struct machine_settings machine; /* but for n */
};

/* As nq_cursor_open(), before the first solution that a query asks for; by_square means nothing here. NQ_OK, NQ_INVALID
 * (no such algorithm, or its machine is to be used and there is none, or the query asks for anything else than the
 * whole board or what solver_query() says, or a setting is off the board), NQ_LIMIT (n above the algorithm's),
 * NQ_NOMEM. Those of machines can come to NQ_BUSY and NQ_LIMIT later, see machine.h. */
enum nq_status cursor_open(const struct cursor_settings *settings, const struct query *query,
                           struct nq_cursor **cursor);

/* What a machine has done since the cursor was opened or put somewhere; NULL: it has none. */
const struct stats *cursor_stats(const struct nq_cursor *cursor);

#endif
