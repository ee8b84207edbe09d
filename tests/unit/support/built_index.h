/* built_index.h - indexes of queries, built from units as the engine does it, and what they are built from. */
#ifndef TESTS_UNIT_SUPPORT_BUILT_INDEX_H
#define TESTS_UNIT_SUPPORT_BUILT_INDEX_H

#include "count/index_state.h"
#include "support/facts.h"

OWNER(index_close, struct index *)

/* What a query lists. */
struct list {
    uint32_t n;
    size_t count;
    uint8_t *columns; /* n for each solution */
};

static inline const uint8_t *solution(const struct list *list, size_t rank)
{
    return list->columns + rank * list->n;
}

/* Whether the first `length` columns come before, or are, the others: < 0, 0, > 0. */
static inline int index_compare(const uint8_t *a, const uint8_t *b, uint32_t length)
{
    return length ? memcmp(a, b, length) : 0;
}

struct index *index_opened(const struct query *query);

/* A unit's result; of a listed index by the list, which else may be NULL. */
struct bytes index_result(const struct index *index, size_t unit, const struct kernel *kernel, const struct list *list);

/* Carries out every unit, the last one first, and finishes; all kernels must be of one mind, on large boards about some
 * of the units. */
struct index *index_built(const struct query *query, const struct list *list);

/* Makes a filter with few squares in every row, as long as prefixes get; perhaps it is its own reflection. */
void index_thin_out(uint64_t *dice, uint32_t n, bool symmetric, struct filter *filter);

#endif
