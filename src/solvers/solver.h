/* solver.h - the shape of an enumerator: it walks the solutions of one n in its own order. It knows neither pages nor
 * formats nor time: budgets are placements. nqueens.h says what its calls mean. */
#ifndef SOLVERS_SOLVER_H
#define SOLVERS_SOLVER_H

#include <nqueens.h>

struct solver {
    const char *name;
    const char *summary;
    const char *order; /* in which solutions come */
    const char *complexity;
    const char *source;
    int year;
    uint32_t max_n;
    enum nq_status (*open)(uint32_t n, void **search);
    enum nq_status (*next)(void *search, uint64_t *budget, uint32_t *columns);
    enum nq_status (*seek)(void *search, const uint32_t *prefix, uint32_t length);
    uint32_t (*position)(const void *search, uint32_t *prefix);
    void (*close)(void *search);
};

/* The first is the default; ends with NULL. */
extern const struct solver *const solvers[];

#endif
