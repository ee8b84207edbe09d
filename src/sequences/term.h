/* term.h - the interface of a method that computes terms of sequences: it prepares a board, lists units of work and
 * counts one. It knows neither threads nor storage nor which sequences have its numbers. A term is one number, or a row
 * of several. */
#ifndef SEQUENCES_TERM_H
#define SEQUENCES_TERM_H

#include <nqueens.h>

#include "base/bytes.h"
#include "base/stop.h"
#include "base/wide.h"

struct term_method {
    const char *name;
    const char *summary; /* how it computes, in one line */
    unsigned revision;   /* of its units: stored results of another revision are not used */
    uint32_t max_n;      /* of the board */
    /* Makes a plan for a board of n columns. NQ_OK, NQ_NOMEM, or NQ_CANCELLED soon after *stop (may be NULL). The same
     * board has the same units on every machine. */
    enum nq_status (*prepare)(uint32_t n, const atomic_bool *stop, void **plan);
    /* Appends what units depend on beside name, revision and board; NULL: nothing. */
    void (*describe)(const void *plan, struct bytes *text);
    size_t (*units)(const void *plan);
    /* The numbers of a unit's result, and of a term; NULL: one. */
    uint32_t (*result_numbers)(uint32_t n);
    uint32_t (*value_numbers)(uint32_t n);
    /* Sets the numbers of a result, which are 0. NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms of *stop (may be NULL).
     * Safe on any number of threads at once. */
    enum nq_status (*count)(const void *plan, size_t unit, const atomic_bool *stop, nq_wide *result);
    /* Sets the numbers that the results of all units make; false if they cannot be right. */
    bool (*value)(const void *plan, const nq_wide *results, nq_wide *value);
    void (*release)(void *plan);
};

static inline uint32_t term_result_numbers(const struct term_method *method, uint32_t n)
{
    return method->result_numbers ? method->result_numbers(n) : 1;
}

static inline uint32_t term_value_numbers(const struct term_method *method, uint32_t n)
{
    return method->value_numbers ? method->value_numbers(n) : 1;
}

#endif
