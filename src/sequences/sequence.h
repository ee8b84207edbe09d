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

static inline uint32_t sequence_board(const struct sequence *sequence, uint32_t index)
{
    return sequence->step * index + sequence->base;
}

/* The largest index whose board the method has. */
static inline uint32_t sequence_last(const struct sequence *sequence)
{
    return (sequence->method->max_n - sequence->base) / sequence->step;
}

#endif
