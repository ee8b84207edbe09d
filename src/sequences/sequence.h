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

/* Whether it is a triangle: the method's terms are rows, one follows the other from that of n = 0 on, whose first
 * number has index 0, and step and base are not used. */
static inline bool sequence_is_triangle(const struct sequence *sequence)
{
    return sequence->method->value_numbers;
}

/* The row of a triangle that has a term, and the index of its first number. */
static inline uint32_t sequence_row(const struct sequence *sequence, uint32_t index, uint32_t *first)
{
    uint32_t n = 0;
    *first = 0;
    for (uint32_t numbers; numbers = sequence->method->value_numbers(n), index - *first >= numbers; n++)
        *first += numbers;
    return n;
}

static inline uint32_t sequence_board(const struct sequence *sequence, uint32_t index)
{
    uint32_t first;
    return sequence_is_triangle(sequence) ? sequence_row(sequence, index, &first)
                                          : sequence->step * index + sequence->base;
}

/* Which of the numbers of its board's term it is. */
static inline uint32_t sequence_number(const struct sequence *sequence, uint32_t index)
{
    uint32_t first;
    if (!sequence_is_triangle(sequence))
        return 0;
    (void)sequence_row(sequence, index, &first);
    return index - first;
}

/* The largest index whose board the method has. */
static inline uint32_t sequence_last(const struct sequence *sequence)
{
    const uint32_t most = sequence->method->max_n;
    uint32_t numbers = 0;
    if (!sequence_is_triangle(sequence))
        return (most - sequence->base) / sequence->step;
    for (uint32_t n = 0; n <= most; n++)
        numbers += sequence->method->value_numbers(n);
    return numbers - 1;
}

#endif
