/* necklaces.h - rows of n signs around a circle, up to what does not change the sums of method_correlations.c. It knows
 * words, not what is summed. */
#ifndef COUNT_METHODS_NECKLACES_H
#define COUNT_METHODS_NECKLACES_H

#include <nqueens.h>

#include "base/stop.h"

/* Necklaces that multiplication by the units of Z_n carries into each other. They stand together, and turning one
 * `period` times gives it again. */
struct necklace_class {
    uint32_t first, members, period;
};

struct necklaces {
    uint32_t n;
    uint32_t count;
    uint32_t *words; /* one of each necklace: the least of its turns; bit j for the j-th sign, set for -1 */
    uint32_t classes;
    struct necklace_class *class; /* of ascending period */
};

/* How many necklaces and classes necklaces_list() lists, by Burnside's lemma: takes some ten microseconds. */
struct necklaces_size {
    uint32_t count, classes;
};
struct necklaces_size necklaces_size(uint32_t n);

/* Lists the necklaces of n signs, n odd and below 32, with an even number of -1: the negatives of these are the others.
 * NQ_OK, NQ_NOMEM, or NQ_CANCELLED soon after *stop (may be NULL). */
enum nq_status necklaces_list(uint32_t n, const atomic_bool *stop, struct necklaces *necklaces);

void necklaces_free(struct necklaces *necklaces);

#endif
