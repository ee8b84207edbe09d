/* term.h - the interface of a class of terms: it prepares a board, lists units of work and counts one; what all units
 * add up to makes the term. It knows neither threads nor storage nor which sequences have its numbers. */
#ifndef SEQUENCES_TERM_H
#define SEQUENCES_TERM_H

#include "base/wide.h"
#include "kernels/rows/rows.h"
#include "sequences/sequence.h"

struct counting;
struct shape_plan;
struct survey;

/* A term of a board of n columns; the rest is its class's own. */
struct term {
    const struct sequence *sequence;
    uint32_t n;
    struct counting *count[2]; /* NULL: nothing is subtracted */
    struct survey *survey;
    struct shape_plan *shape; /* NULL: the board has no squares */
    struct rows_board board;
};

struct term_class {
    unsigned revision; /* of its units: stored results of another revision are not used */
    /* NQ_OK, NQ_NOMEM, or NQ_CANCELLED soon after *stop (may be NULL). The same board has the same units on every
     * machine. NULL: there is nothing to do; so below. */
    enum nq_status (*prepare)(struct term *term, const atomic_bool *stop);
    /* Appends what units depend on beside the name, revision and board. */
    void (*describe)(const struct term *term, struct bytes *text);
    size_t (*units)(const struct term *term);
    /* The numbers that units add up to, modulo 2^128; NULL: one. A unit has each of them, unless `sum` is there: then
     * it has one number, and adds it to that sum. */
    size_t (*sums)(const struct term *term);
    size_t (*sum)(const struct term *term, size_t unit);
    /* Sets the numbers of a unit, which are 0. NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms of *stop (may be NULL).
     * Safe on any number of threads at once. */
    enum nq_status (*count)(const struct term *term, size_t unit, const atomic_bool *stop, nq_wide *result);
    /* Sets the numbers of the term, which are 0; false if the sums, which it may change, cannot be right. */
    bool (*value)(const struct term *term, nq_wide *sums, nq_wide *value);
    void (*release)(struct term *term); /* prepared or not */
};

static inline size_t term_sums(const struct term *term)
{
    return term->sequence->class->sums ? term->sequence->class->sums(term) : 1;
}

/* The numbers of a unit's result. */
static inline size_t term_numbers(const struct term *term)
{
    return term->sequence->class->sum ? 1 : term_sums(term);
}

static inline void term_add(const struct term *term, size_t unit, const nq_wide *result, nq_wide *sums)
{
    const struct term_class *class = term->sequence->class;
    const size_t first = class->sum ? class->sum(term, unit) : 0;
    for (size_t i = 0; i < term_numbers(term); i++)
        sums[first + i] += result[i];
}

static inline enum nq_status term_prepare(struct term *term, const atomic_bool *stop)
{
    return term->sequence->class->prepare ? term->sequence->class->prepare(term, stop) : NQ_OK;
}

static inline void term_release(struct term *term)
{
    if (term->sequence->class->release)
        term->sequence->class->release(term);
}

#endif
