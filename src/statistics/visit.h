/* visit.h - hands every solution of a filter that begins with a prefix to a function, by any rule. It knows neither
 * threads nor what is done with them. */
#ifndef STATISTICS_VISIT_H
#define STATISTICS_VISIT_H

#include "board/query.h"
#include "kernels/find.h"

/* The memory of a visit is below this. */
enum { VISIT_BYTES = 1 << 19 };

/* Receives a solution, columns[0..n), for the length of the call. */
typedef void visitor(void *context, const uint8_t *columns);

struct visit {
    const struct filter *filter; /* of a board of at most KERNEL_MAX_N rows */
    const struct finder *finder; /* supported; used by lines only */
    const atomic_bool *stop;     /* may be NULL */
    visitor *visit;
    void *context;  /* of the visitor */
    uint64_t nodes; /* placements tried are added */
};

/* Visits the solutions that begin with prefix[0..length), in lexicographic order. NQ_OK; NQ_INVALID (the prefix is off
 * the allowed squares, or its queens attack each other: nothing is visited), NQ_NOMEM, or NQ_CANCELLED within some
 * milliseconds of *stop. */
enum nq_status visit_below(struct visit *visit, const uint8_t *prefix, uint32_t length);

#endif
