/* counted.h - what terms have in common that are made from counts by the methods of the service: a difference of two
 * counts, divided by a number. It knows queries, neither sequences nor threads. */
#ifndef SEQUENCES_COUNTED_H
#define SEQUENCES_COUNTED_H

#include "count/counting.h"
#include "sequences/term.h"

/* The queries of a term, without a board. */
struct counted_terms {
    struct query query;
    struct query less; /* that of what is subtracted, if `differs` */
    bool differs;
    uint32_t divisor; /* a remainder is left out on boards of one column only, */
    bool single;      /* or counted as one class there */
};

/* As those of struct term_method. */
enum nq_status counted_prepare(const struct counted_terms *terms, uint32_t n, const atomic_bool *stop, void **plan);
void counted_describe(const void *plan, struct bytes *text);
size_t counted_units(const void *plan);
enum nq_status counted_count(const void *plan, size_t unit, const atomic_bool *stop, nq_wide *result);
bool counted_value(const void *plan, const nq_wide *results, nq_wide *value);
void counted_release(void *plan);

#define COUNTED_TERM(kind, says, most, begin) \
    { \
        .name = (kind), .summary = (says), .revision = 1, .max_n = (most), .prepare = (begin), \
        .describe = counted_describe, .units = counted_units, .count = counted_count, .value = counted_value, \
        .release = counted_release, \
    }

/* A function prepare_ID() for some queries. */
#define COUNTED_PREPARE(id, ...) \
    static enum nq_status prepare_##id(uint32_t n, const atomic_bool *stop, void **plan) \
    { \
        static const struct counted_terms terms = {__VA_ARGS__}; \
        return counted_prepare(&terms, n, stop, plan); \
    }

/* The largest boards: beyond the first nobody has counted all solutions; the others are those of the methods for a
 * symmetry, of queens and by rule. */
enum { COUNTED_ALL_MAX_N = 27, COUNTED_SYMMETRIC_MAX_N = 32, COUNTED_RULE_MAX_N = 48 };

#endif
