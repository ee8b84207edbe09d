/* solver.h - the interface of an algorithm that lists the solutions of a query, in its own order. It knows neither
 * pages nor formats nor time: budgets are placements. include/nqueens.h documents the calls of the same names. */
#ifndef SOLVERS_SOLVER_H
#define SOLVERS_SOLVER_H

#include "base/lock.h"
#include "base/status.h"
#include "board/query.h"
#include "steps/machine.h"

/* Which of the solutions an algorithm lists. */
enum solver_lists {
    LISTS_ALL,
    LISTS_MIRROR,      /* those of distinct=mirror */
    LISTS_FUNDAMENTAL, /* those of distinct=fundamental */
    LISTS_COLUMN,      /* those whose first queen is in a given column */
    LISTS_SOME,        /* those it happens to find; of LISTS_COLUMN, if it uses the setting `column` */
};

/* A search that lists the solutions of any query. */
struct search_class {
    enum nq_status (*open)(const struct query *query, void **search);
    enum nq_status (*next)(void *search, uint64_t *budget, uint32_t *columns);
    /* What seek returns for a position of the list of this query, without a search; NULL: seek tells. */
    enum nq_status (*check)(const struct query *query, const uint32_t *prefix, uint32_t length);
    enum nq_status (*seek)(void *search, const uint32_t *prefix, uint32_t length);
    uint32_t (*position)(const void *search, uint32_t *prefix);
    const struct stats *(*stats)(const void *search); /* as cursor_stats(); NULL: it has none */
    void (*close)(void *search);
};

struct solver {
    const char *name;
    const char *title; /* for readers: who, when, and a word; the same in every language */
    const char *summary;
    const char *order; /* of its solutions */
    const char *complexity;
    const char *source;
    int year;
    const char *tests;  /* the unit of its tests */
    const char *errata; /* known errors of its source, corrected; NULL: none */
    uint32_t max_n;
    enum solver_lists lists;
    unsigned heeds;
    bool by_rule;                      /* it asks the rule which squares a queen attacks; else lines only */
    bool by_regions;                   /* it lists boards with regions */
    bool by_shape;                     /* its machine knows boards of any shape, by every rule that it knows on n x n */
    uint32_t splits;                   /* HEEDS_SPLIT: the number of splits */
    const struct search_class *search; /* NULL: the machine makes its lists, of whole boards only */
    const struct machine_class *machine; /* for whole boards only, or by_shape; NULL: it has no steps */
};

/* The first is the default; ends with NULL. */
extern const struct solver *const solvers[];

/* The solver of a name, or the default for NULL; NULL: there is none. */
const struct solver *solver_find(const char *name);

/* The first that lists boards with regions. */
const struct solver *solver_by_regions(void);

/* The query whose solutions it lists, with settings whose n is not used. False: it lists some solutions only. */
bool solver_query(const struct solver *solver, const struct machine_settings *settings, uint32_t n,
                  struct query *query);

/* Whether a list can continue from a position; else everything before it must be searched again. */
bool solver_resumes(const struct solver *solver);

/* How a cursor works. All zero: the default. */
struct cursor_settings {
    const char *algorithm;           /* NULL: the default */
    bool watched;                    /* with statistics: use the machine, unless the search has some */
    struct machine_settings machine; /* n is not used */
};

/* Opens a cursor before the first solution of a query, whose by_square is not used; as nq_cursor_open(). NQ_OK,
 * NQ_INVALID (there is no such algorithm; it has no machine, but is to be watched; the machine lists neither whole
 * boards nor this query, see solver_query(); a setting is off the board; it knows queens only, and the query has
 * another rule, or regions that it does not list), NQ_LIMIT (n is above the algorithm's largest)
 * or NQ_NOMEM. With a machine, nq_cursor_next() can also return NQ_BUSY and NQ_LIMIT, see machine.h. */
enum nq_status cursor_open(const struct cursor_settings *settings, const struct query *query,
                           struct nq_cursor **cursor);

/* The work since the cursor was opened or moved; NULL: it is not counted. */
const struct stats *cursor_stats(const struct nq_cursor *cursor);

#ifdef CHECKS
/* Asserts that its position is on the board, and that either a search or a machine makes it. */
void cursor_check(const struct nq_cursor *cursor);
#endif

#endif
