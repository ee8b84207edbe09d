/* refusals.h - every reason to refuse a parameter or a body: a code that never changes its meaning, so that a program
 * can say it in its own words, and the names of what its sentence holds. */
#ifndef BASE_REFUSALS_H
#define BASE_REFUSALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum refusal {
    UNCODED, /* of a fault that only its sentence describes */
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
    REFUSED_NUMBERS, /* another number of numbers than `expected` */
    REFUSED_FACTORS,
    REFUSED_REVERSED,
    REFUSED_REPEATED,
    REFUSED_ORDER,
    REFUSED_CURSOR,
    REFUSED_CODE,
    REFUSED_CODE_REVISION,
    /* what a value says of the board */
    REFUSED_SQUARE,
    REFUSED_WALL,
    REFUSED_OFF_BOARD,
    REFUSED_NO_SOLUTION,
    REFUSED_REGIONS,
    REFUSED_REGIONS_SQUARE,
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
    REFUSED_RULE,
    REFUSED_ONLY_COUNTED,
    /* counts */
    REFUSED_ROWS,
    REFUSED_ROWS_ESTIMATE,
    REFUSED_ROWS_WALKS,
    REFUSED_ROWS_COMPUTE,
    REFUSED_ROWS_RANGE,
    REFUSED_NO_TABLE,
    REFUSED_RANGE,
    /* not of one parameter: why a question has no answer */
    FAULTS,
    FAULT_NO_SOLUTION = FAULTS,
    FAULT_METHOD,
    FAULT_SETTLED,
    FAULT_COST,
    FAULT_COST_INDEX,
    FAULT_COST_WITHOUT_JOB,
    FAULT_COST_WITHOUT_KEY,
    FAULT_COST_FOR_KEY,
    FAULT_COMPLETED,
    FAULT_NOT_DRAWN,
    FAULT_MEMORY,
    FAULT_SEARCH_BYTES,
    FAULT_UNDECIDED,
    FAULT_NEVER_MINIMAL,
    FAULT_PUZZLE,
    FAULT_UNITS,
    FAULT_DISAGREE,
    FAULT_SUM,
    FAULT_NO_MEMORY,
    FAULT_RETIRED,
    REFUSALS
};

/* Words in one sentence. */
enum { REFUSAL_MEMBERS_MAX = 3 };

struct refusal_row {
    const char *code;
    bool policy; /* meaningful, but beyond a limit of ours: 422; else 400 */
    /* Names of values that the sentence holds. */
    const char *members[REFUSAL_MEMBERS_MAX];
};

extern const struct refusal_row refusals[REFUSALS];

/* The value of a member, as who refuses gives it; the texts are copied. */
struct refusal_member {
    bool given;
    uint64_t number;
    const char *word; /* NULL: it is a number */
};
#define NUMBER(value) \
    { \
        .given = true, .number = (uint64_t)(value) \
    }
#define WORD(text) \
    { \
        .given = true, .word = (text) \
    }
#define MEMBERS(...) ((const struct refusal_member[REFUSAL_MEMBERS_MAX]){__VA_ARGS__})

/* The value of a member. */
struct refusal_value {
    bool given;
    uint64_t number;
    char text[48]; /* not "": it is a text */
};

enum { FAULT_TEXT_MAX = 240 };

/* Why a question has no answer, beyond what a status says. */
struct fault {
    enum refusal why;
    double numbers[REFUSAL_MEMBERS_MAX]; /* of the members that `why` has */
    char text[FAULT_TEXT_MAX];           /* the sentence; "": nothing more is known, and the rest means nothing */
};

/* Whether it has a code, not only a sentence. */
static inline bool fault_coded(const struct fault *fault)
{
    return fault->text[0] && fault->why >= FAULTS;
}

/* Sets a fault; numbers may be NULL if `why` has no members. */
void fault_write(struct fault *fault, enum refusal why, const double *numbers, const char *text, ...)
    __attribute__((format(printf, 4, 5)));

#endif
