/* compute.h - computes terms of a sequence on several threads, and keeps the results of units in a store, so that a
 * term can be interrupted and continued. It knows neither the command nor what a unit is. */
#ifndef SEQUENCES_COMPUTE_H
#define SEQUENCES_COMPUTE_H

#include "sequences/sequence.h"
#include "stores/store.h"

struct compute {
    unsigned threads;
    struct store *store;
    const atomic_bool *stop; /* may be NULL */
    /* Called before the first unit of a term and after each that is stored: so many of all. Never twice at once. May be
     * NULL. */
    void (*progress)(void *context, uint32_t index, size_t done, size_t units);
    void *context;
};

/* A term that is stored is not computed again; nor are its units. An index from the sequence's first to its last.
 * NQ_OK; NQ_CANCELLED soon after *stop; NQ_NOMEM; NQ_BROKEN, NQ_LIMIT: as store_put; NQ_INVALID: the units do not make
 * a number that can be right, and are deleted from the store. */
enum nq_status compute_term(const struct compute *compute, const struct sequence *sequence, uint32_t index,
                            nq_wide *value);

#endif
