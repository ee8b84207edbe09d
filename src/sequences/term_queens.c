/* term_queens.c - placements of n queens, their classes, and those with a symmetry, by the methods that the service
 * counts with. */
#include <stdlib.h>

#include "count/counting.h"
#include "sequences/term.h"

static void release(void *plan)
{
    counting_close(plan);
}

static enum nq_status prepare(struct query *query, uint32_t n, const atomic_bool *stop, void **plan)
{
    struct counting *counting = NULL;
    filter_begin(&query->filter, n);
    enum nq_status status = counting_open(query, stop, &counting);
    if (status != NQ_OK)
        return status;
    status = counting_prepare(counting, NULL, NULL, stop);
    if (status != NQ_OK)
        counting_close(counting);
    *plan = counting;
    return status;
}

static enum nq_status prepare_all(uint32_t n, const atomic_bool *stop, void **plan)
{
    return prepare(&(struct query){.distinct = DISTINCT_ALL}, n, stop, plan);
}

static enum nq_status prepare_classes(uint32_t n, const atomic_bool *stop, void **plan)
{
    return prepare(&(struct query){.distinct = DISTINCT_FUNDAMENTAL}, n, stop, plan);
}

static enum nq_status prepare_half(uint32_t n, const atomic_bool *stop, void **plan)
{
    return prepare(&(struct query){.symmetry = SYMMETRY_POINT}, n, stop, plan);
}

static enum nq_status prepare_quarter(uint32_t n, const atomic_bool *stop, void **plan)
{
    return prepare(&(struct query){.symmetry = SYMMETRY_QUARTER}, n, stop, plan);
}

static void describe(const void *plan, struct bytes *text)
{
    for (size_t term = 0; term < counting_terms(plan); term++) {
        bytes_char(text, ' ');
        counting_name(plan, term, text);
    }
}

static size_t units(const void *plan)
{
    return counting_units(plan);
}

static enum nq_status count(const void *plan, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    struct unit_result figures = {0};
    const enum nq_status status = counting_count(plan, unit, kernel_find("auto"), stop, &figures);
    *result = figures.thirds;
    return status;
}

/* A whole board has no more terms: one for each symmetry that leaves placements unchanged. */
enum { TERMS_MAX = NQ_SYMMETRIES };

static bool value(const void *plan, const nq_wide *results, nq_wide *value)
{
    nq_wide thirds[TERMS_MAX] = {0};
    bool whole = counting_terms(plan) <= TERMS_MAX;
    for (size_t unit = 0; whole && unit < counting_units(plan); unit++)
        thirds[counting_term(plan, unit)] += results[unit];
    for (size_t term = 0; whole && term < counting_terms(plan); term++)
        whole = thirds[term] % METHOD_THIRDS == 0;
    *value = whole ? counting_total(plan, thirds) : 0;
    return whole;
}

/* Beyond the first nobody has counted; the second is the largest board of the methods for a symmetry. */
enum { ALL_MAX_N = 27, SYMMETRIC_MAX_N = 32 };

#define TERM(kind, says, most, begin) \
    { \
        .name = (kind), .summary = (says), .revision = 1, .max_n = (most), .prepare = (begin), .describe = describe, \
        .units = units, .count = count, .value = value, .release = release, \
    }

#define UNCHANGED "search of the orbits of squares under that turn"

extern const struct term_method term_queens, term_queen_classes, term_queens_half, term_queens_quarter;
const struct term_method term_queens =
    TERM("queens", "search of classes of first rows; from n = 15 on by joining quadrants", ALL_MAX_N, prepare_all);
const struct term_method term_queen_classes =
    TERM("queen-classes", "Burnside's lemma: placements, and those that a turn leaves unchanged", ALL_MAX_N,
         prepare_classes);
const struct term_method term_queens_half = TERM("queens-half", UNCHANGED, SYMMETRIC_MAX_N, prepare_half);
const struct term_method term_queens_quarter = TERM("queens-quarter", UNCHANGED, SYMMETRIC_MAX_N, prepare_quarter);
