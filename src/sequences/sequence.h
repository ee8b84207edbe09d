/* sequence.h - the sequences that can be computed, under the numbers that the OEIS gives them: what they count on which
 * boards, and by which method. */
#ifndef SEQUENCES_SEQUENCE_H
#define SEQUENCES_SEQUENCE_H

#include "sequences/term.h"

struct sequence {
    const char *id;
    const char *what;    /* a line: a(n) in words */
    const char *rule;    /* who attacks whom */
    uint32_t first;      /* index of the first term */
    uint32_t step, base; /* the board of index i has step * i + base columns */
    bool per_column;     /* the term is the method's number divided by the columns of the board */
    const struct term_method *method;
};

/* Ascending by id. */
extern const struct sequence sequences[];
extern const size_t sequences_count;

/* NULL: there is none of that id. */
const struct sequence *sequence_find(const char *id);

/* Whether it is a triangle: the method's terms are rows, that of n has n + 1 numbers, one row follows the other, and
 * step and base are not used. */
static inline bool sequence_is_triangle(const struct sequence *sequence)
{
    return sequence->method->value_numbers;
}

/* The row of a triangle that has a term. */
static inline uint32_t sequence_row(uint32_t index)
{
    uint32_t n = 0;
    while ((n + 1) * (n + 2) / 2 <= index)
        n++;
    return n;
}

static inline uint32_t sequence_board(const struct sequence *sequence, uint32_t index)
{
    return sequence_is_triangle(sequence) ? sequence_row(index) : sequence->step * index + sequence->base;
}

/* Which of the numbers of its board's term it is. */
static inline uint32_t sequence_number(const struct sequence *sequence, uint32_t index)
{
    const uint32_t n = sequence_board(sequence, index);
    return sequence_is_triangle(sequence) ? index - n * (n + 1) / 2 : 0;
}

/* The largest index whose board the method has. */
static inline uint32_t sequence_last(const struct sequence *sequence)
{
    const uint32_t n = sequence->method->max_n;
    return sequence_is_triangle(sequence) ? n * (n + 3) / 2 : (n - sequence->base) / sequence->step;
}

#endif
