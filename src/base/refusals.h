/* refusals.h - every reason to refuse a parameter or a body: a code that never changes its meaning, so that a program
 * can say it in its own words, and the names of what its sentence holds. */
#ifndef BASE_REFUSALS_H
#define BASE_REFUSALS_H

#include <stdbool.h>
#include <stddef.h>

enum refusal {
    REFUSED_INVALID, /* what only a sentence says */
    REFUSED_LIMIT,   /* the same, beyond a limit of this service */
    /* the query itself */
    REFUSED_UNKNOWN,
    REFUSED_TWICE,
    REFUSED_EMPTY,
    REFUSED_MISSING,
    /* one value */
    REFUSED_SYNTAX,
    REFUSED_CHOICE,
    REFUSED_LESS,
    REFUSED_MORE,
    REFUSED_LOWER_LIMIT,
    REFUSED_UPPER_LIMIT,
    REFUSED_LONG,
    REFUSED_REVERSED,
    REFUSED_REPEATED,
    REFUSED_ORDER,
    REFUSED_CURSOR,
    /* what a value says of the board */
    REFUSED_SQUARE,
    REFUSED_OFF_BOARD,
    REFUSED_NO_SOLUTION,
    /* the body of a request */
    REFUSED_MALFORMED,
    REFUSED_OUTSIDE,
    REFUSED_DISAGREES,
    REFUSED_SEVERAL,
    REFUSED_NO_QUEENS,
    /* parameters that do not go together */
    REFUSED_WITH,
    REFUSED_WITHOUT,
    REFUSED_VALUE_WITH,
    /* counts */
    REFUSED_ROWS,
    REFUSED_ROWS_ESTIMATE,
    REFUSED_ROWS_COMPUTE,
    REFUSED_ROWS_RANGE,
    REFUSED_NO_TABLE,
    REFUSED_RANGE,
    REFUSALS
};

/* Words in one sentence. */
enum { REFUSAL_MEMBERS_MAX = 2 };

struct refusal_row {
    const char *code;
    bool policy; /* meaningful, but beyond a limit of ours: 422; else 400 */
    /* Names of the values in the sentence, in their order; a value beyond them is a part of speech. */
    const char *members[REFUSAL_MEMBERS_MAX];
};

extern const struct refusal_row refusals[REFUSALS];

#endif
