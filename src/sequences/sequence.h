/* sequence.h - the sequences that can be computed, under the numbers that the OEIS gives them, as rows of a table: what
 * they count on which boards, and by which class of terms. A row without code of its own is a question about all
 * squares of a board. */
#ifndef SEQUENCES_SEQUENCE_H
#define SEQUENCES_SEQUENCE_H

#include "base/wide.h"
#include "board/query.h"
#include "kernels/rows/rows.h"

struct term_class;

/* Whether a board has one term, or a row of a triangle: one follows the other from that of n = 0 on, whose first number
 * has index 0. */
enum sequence_row {
    ROW_NONE,
    ROW_FROM_0, /* n + 1 numbers */
    ROW_FROM_1, /* n numbers; one for n = 0 */
};

struct sequence {
    const char *id;
    const char *what;    /* a line: a(n) in words */
    const char *attacks; /* a line: who attacks whom */
    const struct rule *rule;
    uint32_t first;      /* index of the first term */
    uint32_t step, base; /* the board of index i has step * i + base columns; not of a triangle, */
    enum sequence_row row;
    bool per_column; /* the term is that of the board divided by its columns */

    /* How it is computed. Terms are stored under the name: sequences of one name have all below in common. */
    const struct term_class *class;
    const char *name;
    const char *summary; /* a line: how */
    uint32_t max_n;      /* the largest board */

    /* What is asked; 0 or NULL where it does not matter. */
    enum query_distinct distinct;
    enum query_symmetry symmetry, without; /* without those of another symmetry */
    const char *statistic;                 /* by the value of this one; not in a row: classes, whose sizes it is */
    uint32_t queens;                       /* so many on the board; 0: any number */
    bool maximal;                          /* to which none can be added */
    uint32_t divisor;                      /* of what was counted; on boards of one column a remainder is left out, */
    bool single;                           /* or counted as one class */
};

/* Ascending by id. */
extern const struct sequence sequences[];
extern const size_t sequences_count;

/* NULL: there is none of that id. */
const struct sequence *sequence_find(const char *id);

/* The numbers of a board's term. */
static inline uint32_t sequence_numbers(const struct sequence *sequence, uint32_t n)
{
    return sequence->row == ROW_FROM_0 ? n + 1 : sequence->row == ROW_FROM_1 && n ? n : 1;
}

/* The board that a term belongs to, and which of the numbers of its row it is. */
static inline uint32_t sequence_place(const struct sequence *sequence, uint32_t index, uint32_t *number)
{
    uint32_t n = 0;
    *number = 0;
    if (!sequence->row)
        return sequence->step * index + sequence->base;
    for (*number = index; *number >= sequence_numbers(sequence, n); n++)
        *number -= sequence_numbers(sequence, n);
    return n;
}

/* The largest index whose board can be computed. */
static inline uint32_t sequence_last(const struct sequence *sequence)
{
    uint32_t numbers = 0;
    if (!sequence->row)
        return (sequence->max_n - sequence->base) / sequence->step;
    for (uint32_t n = 0; n <= sequence->max_n; n++)
        numbers += sequence_numbers(sequence, n);
    return numbers - 1;
}

/* ---- Terms ---- */

/* The interface of a class of terms: it prepares a board, lists units of work and counts one; what all units add up to
 * makes the term. It knows neither threads nor storage nor which sequences have its numbers. */

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
