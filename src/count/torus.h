/* torus.h - the motions of the torus that carry solutions by a rule into solutions, as Burnside's lemma takes them. It
 * knows motions, not what they leave unchanged. */
#ifndef COUNT_TORUS_H
#define COUNT_TORUS_H

#include "board/query.h"

/* Motions that leave equally many solutions unchanged, for each is carried into the others by a motion. */
struct torus_class {
    struct motion motion; /* one of them */
    uint32_t motions;     /* how many */
};

/* Lists the classes of all motions by a rule that shifts keep, n from 1 to FILTER_MAX_N: the symmetries of the rule
 * with all n * n shifts. The caller frees *classes, which is NULL if not NQ_OK but NQ_NOMEM. Takes milliseconds. */
enum nq_status torus_classes(const struct rule *rule, uint32_t n, struct torus_class **classes, size_t *count);

#endif
