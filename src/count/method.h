/* method.h - the shape of a counting method: it prepares what is shared, lists units of work and counts one. It knows
 * neither threads nor storage: a unit is a pure function of the plan and its index, so anyone may count it, once. */
#ifndef COUNT_METHOD_H
#define COUNT_METHOD_H

#include <nqueens.h>

#include "kernels/kernel.h"

/* Unit results are in parts of a solution, so that the weights 8/k of the symmetry (k = 1..4, see method_search.c) and
 * their halves stay whole: 24/k thirds. The parts of all units add up to METHOD_PARTS * Q(n). */
enum { METHOD_PARTS = 3 };

struct unit_result {
    uint64_t parts;
    uint64_t nodes; /* placements tried */
};

struct method {
    const char *name;
    const char *summary;
    const char *source;
    uint32_t max_n;
    enum nq_status (*prepare)(uint32_t n, void **plan); /* NQ_OK or NQ_NOMEM */
    size_t (*units)(const void *plan);
    /* NQ_OK, or NQ_CANCELLED within 100 ms of *stop (may be NULL). Safe on any number of threads at once. */
    enum nq_status (*count)(const void *plan, size_t unit, const struct kernel *kernel, const atomic_bool *stop,
                            struct unit_result *result);
    void (*release)(void *plan);
};

/* The first is the one for plain counts; ends with NULL. */
extern const struct method *const methods[];

#endif
