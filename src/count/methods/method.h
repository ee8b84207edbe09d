/* method.h - the interface of a counting method: it prepares a plan, lists units of work and counts one. It knows
 * neither threads nor storage: the result of a unit is a pure function of plan and index, so that anyone may count it.
 */
#ifndef COUNT_METHODS_METHOD_H
#define COUNT_METHODS_METHOD_H

#include "base/wide.h"
#include "board/query.h"
#include "kernels/kernel.h"

/* Counts are made in thirds of a solution, so that the weights 8/k of the symmetry (k = 1..4, see method_search.c) and
 * their halves stay whole: 24/k thirds. */
enum { METHOD_THIRDS = 3 };

/* The parts of all units, or pieces, are added up modulo 2^128. By most methods they are thirds, less than 2^64 each,
 * and their sum is three times the count; otherwise method.value() finds it in the sum. */
struct unit_result {
    nq_wide parts;
    uint64_t nodes; /* placements tried */
};

/* A unit of more weight is split into pieces when it comes up, so that large boards need no long lists of units. A
 * minute with AVX2. */
#define METHOD_SPLIT_WEIGHT 20e9

/* A unit is split into no more pieces than this; and what stands in place of a piece for the whole unit, split or not.
 */
enum { METHOD_PIECES_MAX = 1 << 19, METHOD_WHOLE = (1 << 20) - 1 };

/* In bytes; rather more than less. */
struct method_memory {
    double shared; /* by all threads: the plan with its tables */
    double each;   /* of each thread while it counts */
};

/* What a plan may be made with. */
struct method_means {
    size_t tables;    /* bytes that tables may take, which make counting faster */
    unsigned threads; /* that may work at once, the caller included */
    double
        split_weight; /* of more than this a unit is split; the same for all who share a store. 0: the method's own */
};

/* Random descents for the cost of one filter: its share of all. Of many filters each may be estimated with a larger
 * error: that of the sum is smaller. */
static inline unsigned method_walks(unsigned all, size_t together, unsigned least)
{
    const unsigned share = together ? (unsigned)(all / together) : all;
    return share > least ? share : least;
}

/* What every plan begins with: its units. */
struct method_plan {
    size_t units, room;
    double *weights; /* by unit: about how long it takes, in placements of the search method; more than 0 */
};

static inline size_t method_units(const void *plan)
{
    return ((const struct method_plan *)plan)->units;
}

static inline double method_weight(const void *plan, size_t unit)
{
    return ((const struct method_plan *)plan)->weights[unit];
}

/* Adds a unit. list: an item of so many bytes for each unit so far. Returns where the items are now, with room for the
 * new unit's. NULL: out of memory; the list stays as it is. */
void *method_plan_add(struct method_plan *plan, double weight, void *list, size_t size);

struct method {
    const char *name;
    const char *summary;
    const char *source;
    unsigned revision; /* of its units: stored results of another revision are not used */
    uint32_t max_n;
    bool (*suits)(
        const struct filter *filter); /* whether it is better than those before it in the table; NULL: always */
    enum query_symmetry symmetry;     /* of the solutions that it counts */
    /* Makes a plan, a struct method_plan and more, for a settled filter that is not contradictory. NQ_OK, NQ_NOMEM, or
     * NQ_CANCELLED soon after *stop (may be NULL). The same filter has the same units on every machine, with every
     * kernel, and with any means. */
    enum nq_status (*prepare)(const struct filter *filter, const struct method_means *means, const atomic_bool *stop,
                              void **plan);
    /* Counts a unit, METHOD_WHOLE, or one of its pieces: those of all add up to the unit's. NQ_OK, NQ_NOMEM, or
     * NQ_CANCELLED within 100 ms of *stop (may be NULL); NQ_INVALID: there is no such piece. Safe on any number of
     * threads at once. */
    enum nq_status (*count)(const void *plan, size_t unit, size_t piece, const struct kernel *kernel,
                            const atomic_bool *stop, struct unit_result *result);
    /* How many pieces a unit is split into, the same on every machine: one, if it is not split. As count(). NULL: no
     * unit is ever split, and count() need not look at the piece. It may take a second. */
    enum nq_status (*pieces)(const void *plan, size_t unit, const atomic_bool *stop, size_t *pieces);
    /* Sets the thirds of all solutions that the sum of all parts comes to; false: no count comes to that sum, so some
     * unit is wrong. NULL: the parts are thirds. With it a unit may have any parts. */
    bool (*value)(const struct filter *filter, nq_wide sum, nq_wide *thirds);
    void (*release)(void *plan);
    /* About how many placements all units take: their weight, where that is exact enough. It does not list them; random
     * descents take some milliseconds. `together`: for how many filters the caller adds it up; each takes a share of
     * the descents. Less soon after *stop (may be NULL). */
    double (*cost)(const struct filter *filter, size_t together, const atomic_bool *stop);
    double node_seconds; /* of a placement, about, which no kernel tries; 0: as one of the search by the kernel */
    /* What a plan takes that may have so many bytes of tables, estimated without making it; NULL: next to nothing. */
    struct method_memory (*memory)(const struct filter *filter, size_t tables);
};

/* Measured for boards of 22, 24 and 32 rows: 3.3 to 4.1 ns, on a virtual Xeon with AVX-512, where a placement of the
 * search takes 0.5 ns. */
#define ORBIT_SECONDS 3.5e-9

/* Of the methods for a symmetry the last that suits is used; the first suits every filter of queens. Ends with NULL. */
extern const struct method *const methods[];

/* The largest board of the method by orbits and rules. */
enum { RULE_ORBITS_MAX_N = 48 };

/* Whether the motions of a filter can leave any solution by its rule unchanged, so far as one row tells. False: they do
 * not. */
bool rule_orbits_possible(const struct filter *filter);

#endif
