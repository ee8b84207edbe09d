/* counted_query.h - a query counted unit by unit, with what its figures are made from. */
#ifndef TESTS_UNIT_SUPPORT_COUNTED_QUERY_H
#define TESTS_UNIT_SUPPORT_COUNTED_QUERY_H

#include "count/counting.h"
#include "support/tests.h"

OWNER(counting_close, struct counting *)

struct counted {
    struct counting *counting;
    nq_wide *thirds;
    uint64_t total;
    double weight;
    uint64_t nodes;
};

/* Counts every unit, once on each kernel there is if `all`; units must be in order, and all kernels of one mind. */
struct counted count_query(const struct query *query, bool all);
void counted_end(struct counted *figures);

/* The number of solutions, or of classes. */
uint64_t count_total(const struct query *query);

#endif
