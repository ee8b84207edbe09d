/* join_pairs.h - counting a range of pairs (x, u), or a part of one, of the method that joins quadrants: see
 * method_join.c. */
#ifndef COUNT_METHODS_JOIN_PAIRS_H
#define COUNT_METHODS_JOIN_PAIRS_H

#include "count/methods/join_plan.h"

/* NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms of *stop (may be NULL). Safe on any number of threads at once. */
enum nq_status join_pairs_count(const struct join_plan *plan, const struct join_piece *piece,
                                const struct kernel *kernel, const atomic_bool *stop, struct unit_result *result);

#endif
