/* sequence.h - the sequences that can be computed, under the numbers that the OEIS gives them, as rows of a table: what
 * they count on which boards, and by which class of terms. A row without code of its own is a question about all
 * squares of a board. */
#ifndef SEQUENCES_SEQUENCE_H
#define SEQUENCES_SEQUENCE_H

#include "board/query.h"

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

#endif
