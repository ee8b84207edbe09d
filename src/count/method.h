/* method.h - the shape of a counting method: it prepares what is shared, lists units of work and counts one. It knows
 * neither threads nor storage: a unit is a pure function of the plan and its index, so anyone may count it, once. */
#ifndef COUNT_METHOD_H
#define COUNT_METHOD_H

#include "board/query.h"
#include "kernels/kernel.h"

/* Unit results are in parts of a solution, so that the weights 8/k of the symmetry (k = 1..4, see method_search.c) and
 * their halves stay whole: 24/k thirds. The parts of all units add up to METHOD_PARTS times the count. */
enum { METHOD_PARTS = 3 };

struct unit_result {
    uint64_t parts;
    uint64_t nodes; /* placements tried */
};

/* A unit that has more weight is cut into pieces when it comes up, so that large boards need no long lists of units.
 * All who share a store must have the same limit: only tests change it. */
extern double method_longest;

/* A unit is cut into no more pieces than this. */
enum { METHOD_PIECES_MAX = 1 << 19 };

/* In bytes; about, and rather more than less. */
struct method_memory {
    double shared; /* by all threads: the plan with its tables */
    double each;   /* of each thread while it counts */
};

/* What a plan may be made with. */
struct method_means {
    size_t tables;    /* bytes that tables may take, which make counting faster */
    unsigned threads; /* that may work at once, the calling one among them */
};

struct method {
    const char *name;
    const char *summary;
    const char *source;
    unsigned revision; /* of its units: another one, and results that were stored mean nothing any more */
    uint32_t max_n;
    bool (*suits)(const struct filter *filter); /* whether it is the best so far for this one; NULL: for every one */
    enum query_symmetry symmetry;               /* what it counts: the solutions of a filter that have this symmetry */
    /* A plan for a settled filter that is not contradictory. NQ_OK, NQ_NOMEM, or NQ_CANCELLED soon after *stop (may
     * be NULL). The same filter has the same units on every machine, with every kernel, and with any means. */
    enum nq_status (*prepare)(const struct filter *filter, const struct method_means *means, const atomic_bool *stop,
                              void **plan);
    size_t (*units)(const void *plan);
    /* How long a unit will take, about, in placements of the search method; more than 0. */
    double (*weight)(const void *plan, size_t unit);
    /* NQ_OK, or NQ_CANCELLED within 100 ms of *stop (may be NULL). Safe on any number of threads at once. */
    enum nq_status (*count)(const void *plan, size_t unit, const struct kernel *kernel, const atomic_bool *stop,
                            struct unit_result *result);
    /* Into how many pieces a unit is cut, the same on every machine, and what one of them comes to: together as much as
     * the unit. As count, or NQ_NOMEM; NQ_INVALID: there is no such piece. One that is not cut is a piece of itself.
     * NULL: none ever is. */
    enum nq_status (*pieces)(const void *plan, size_t unit, const atomic_bool *stop, size_t *pieces);
    enum nq_status (*count_piece)(const void *plan, size_t unit, size_t piece, const struct kernel *kernel,
                                  const atomic_bool *stop, struct unit_result *result);
    void (*release)(void *plan);
    /* The weight of all units together, without listing them: for saying what a count would cost. */
    double (*cost)(const struct filter *filter);
    /* What a plan will take that may have so many bytes of tables, told without making it; NULL: next to nothing. */
    struct method_memory (*memory)(const struct filter *filter, size_t tables);
};

/* Of those for one symmetry the last one that suits is in use; the first suits every filter. Ends with NULL. */
extern const struct method *const methods[];

#endif
