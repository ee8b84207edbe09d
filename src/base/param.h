/* param.h - query parameters as rows of a table: what may be given, and the strict reading of it. It knows text and
 * numbers, not what they mean to a route. */
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/refusals.h"

enum param_type {
    PARAM_NUMBER,  /* decimal digits, no sign, no leading zeros */
    PARAM_CHOICE,  /* one of a few words */
    PARAM_TOKEN,   /* letters, digits, - and _ */
    PARAM_RANGE,   /* two numbers, "a-b" */
    PARAM_SQUARES, /* squares of a board, "row:column,row:column" */
    PARAM_COLUMNS, /* the columns of the queens, row by row, "1,5,8,6,3,7,2,4" */
    PARAM_QUEENS,  /* a placement: either of the two; and none of them, "", which is not the same as not to give it */
    PARAM_FACTORS, /* sizes and boards to be multiplied, "5x5x25", "5x2,5,3,1,4" */
    PARAM_TEXT,    /* letters, digits and - . / : ? _: whoever reads it may put its canonical form there */
};

enum {
    PARAMS_MAX = 32,
    PARAM_TOKEN_MAX = 2800,
    PARAM_TEXT_MAX = 511,
    PARAM_BOARD_MAX = 8191, /* of a text that is a board: 400 squares, each of them as rgb(255, 255, 255), */
    PARAM_SQUARES_MAX = 1000,
    PARAM_COLUMNS_MAX = 1000,
    PARAM_NO_ROW = UINT16_MAX, /* the row of each square of a placement that was given as columns */
    PARAM_FACTORS_MAX = 14,
    PARAM_FACTOR_COLUMNS_MAX = 128, /* of all boards among them */
    VALIDATION_ERRORS_MAX = 20
};

struct param_square {
    uint16_t row, column;
};

/* The i-th word of a choice, NULL after the last: a list, or the names of a table. */
typedef const char *(*param_choices)(size_t i);

/* Defines such a function from a list of words. */
#define PARAM_CHOICES(name, ...) \
    static const char *name(size_t i) \
    { \
        static const char *const words[] = {__VA_ARGS__}; \
        return i < sizeof words / sizeof words[0] ? words[i] : NULL; \
    } \
    static const char *name(size_t i)

/* ---- Bonds ---- */

/* A condition on a parameter: "regions": it is given, and is no neutral preset; "format=svg|png": it is one of these
 * words, given or not; "n=": it is a range. */
struct condition {
    const char *text;
    bool (*has)(const char *word); /* of a choice instead: what its word is like. NULL: the text says it all */
    bool given;                    /* with `has`: it does not hold for a choice that is not given */
    const char *called;            /* how sentences name it, if not by what was given */
};

enum bond_kind {
    BOND_NONE,
    EXCLUDES, /* cannot be used together */
    NEEDS,    /* can be used only together */
    MUST_BE,  /* is `value` then */
    AT_MOST,  /* is no more than `limit` then */
    AT_LEAST,
    NEVER, /* is not for this route */
};

/* What a parameter has to do with another of its table: of /solve and others each is a row, so that the check, the
 * error, the contract and the page of parameters say the same. It binds if the parameter is given and is no neutral
 * preset, or is one of `own`, and if the conditions hold. A condition on a parameter that the table does not have, or
 * whose value is not sound, binds nothing. */
struct bond {
    enum bond_kind kind;
    struct condition with, also; /* also: both must hold */
    struct condition unless;     /* it binds only where this does not hold; of NEEDS: this will do, too */
    const char *unless_any;      /* nor any of these is given, "a b" */
    const char *own;             /* only these words of the parameter itself, "a|b" */
    bool (*own_has)(const char *word);
    const char *value;
    uint64_t limit;
    const char *because; /* how the sentence goes on; NULL: it does not */
    enum refusal why;    /* 0: that of its kind */
};

/* Of a row: `.bonds = BONDS(BOND(EXCLUDES, IS("cursor")), ...)`. */
#define IS(text_, ...) \
    { \
        .text = (text_), __VA_ARGS__ \
    }
#define BOND(kind_, with_, ...) \
    { \
        .kind = (kind_), .with = with_, __VA_ARGS__ \
    }
#define BONDS(...) ((const struct bond[]){__VA_ARGS__, {.kind = BOND_NONE}})

/* ---- Rows ---- */

/* One row. Rows stand in canonical order, those of a place last; a row without a name ends the table. */
struct param {
    const char *name;
    enum param_type type;
    bool required;
    const char *unless;    /* parameters with which a required one may be missing, "a b"; NULL: none */
    uint64_t least;        /* numbers: below it makes no sense (400) */
    uint64_t most;         /* numbers: beyond it is our limit (422) */
    uint64_t sizes;        /* numbers: not 0: a range of up to so many of them is accepted too, */
    const char *all;       /* and this word, for the range of all of them; NULL: none */
    bool has_preset;       /* numbers: without it, not giving the parameter is a meaning of its own */
    uint64_t preset;       /* numbers */
    param_choices choices; /* the first is the preset */
    bool keep;             /* choices: giving the first is not the same as giving none */
    bool place;            /* where a list begins, as a cursor also does */
    bool neutral;          /* its preset asks for nothing: to give it is the same as to leave it out */
    bool board;            /* texts: any characters, PARAM_BOARD_MAX of them */
    const char *summary;
    const struct bond *bonds; /* NULL: none */
};

/* In the word of a factor: it is a board. */
#define PARAM_BOARD (UINT32_C(1) << 31)

/* What was given, or the preset. What it points to belongs to the struct params that read it. */
struct value {
    bool given;
    bool sound;      /* given and well, or a preset: the rest may be relied on */
    uint64_t number; /* a number, the index of a choice, the first of a range, how many squares, columns or factors */
    uint64_t last;   /* of a range; how many words the factors take */
    bool ranged;     /* a range where a number might be, even one of a single number */
    union {
        const char *token;
        char *text;                         /* of a text: with room for PARAM_TEXT_MAX characters, or for a board */
        const void *items;                  /* any of the lists: */
        const struct param_square *squares; /* row by row, none twice; of a placement see PARAM_NO_ROW */
        const uint16_t *columns;
        const uint32_t *factors; /* 2 or more each, none beyond `most`; PARAM_BOARD in one that is a board, whose
                                  * columns follow, from 1 */
    };
};

/* What is wrong with a request, parameter by parameter. */
struct validation_error {
    enum refusal why;
    char parameter[48];
    char reason[320];
    struct refusal_value values[REFUSAL_MEMBERS_MAX]; /* of the members that `why` has */
    param_choices choices;                            /* what may be given; NULL: REFUSED_CHOICE is not why */
    const struct param *among;                        /* the parameters that may be given; NULL: not REFUSED_UNKNOWN */
    const char *suggestion;                           /* the name that is meant, or "name=value"; NULL: none */
};

struct validation_errors {
    size_t made;  /* all of them */
    size_t count; /* those kept in the list */
    bool invalid; /* at least one is not a matter of policy */
    struct validation_error list[VALIDATION_ERRORS_MAX];
};

/* Adds a validation error with values of the members that `why` has: MEMBERS(NUMBER(8), WORD("regions")), the last of
 * which may be missing; NULL: it has none. Beyond VALIDATION_ERRORS_MAX it only counts. */
void reject_with(struct validation_errors *errors, enum refusal why, const char *parameter,
                 const struct refusal_member *members, const char *reason, ...) __attribute__((format(printf, 5, 6)));

/* The same without members. */
#define reject_param(errors, why, parameter, ...) reject_with(errors, why, parameter, NULL, __VA_ARGS__)

/* Adds one whose sentence and members the caller writes; NULL: there are too many, it was only counted. */
struct validation_error *reject(struct validation_errors *errors, enum refusal why, const char *parameter);

/* Adds one that says what is not one of the choices; reason: NULL lists them. */
void reject_choice(struct validation_errors *errors, const char *parameter, param_choices choices, const char *reason);

/* The same as one error, whose values are in args; members: NULL: none. */
void validation_error_write(struct validation_error *error, enum refusal why, const char *parameter,
                            const struct refusal_member *members, const char *reason, va_list args)
    __attribute__((format(printf, 5, 0)));

/* Adds all of another list. */
void validation_errors_add(struct validation_errors *errors, const struct validation_errors *more);

/* Bytes for a token, a text, a board, four lists of squares, two of columns and one of factors: no table may have more
 * of them.
 */
enum {
    PARAMS_ROOM = PARAM_TOKEN_MAX + 4 + PARAM_TEXT_MAX + 1 + PARAM_BOARD_MAX + 1 +
                  4 * PARAM_SQUARES_MAX * (int)sizeof(struct param_square) +
                  2 * PARAM_COLUMNS_MAX * (int)sizeof(uint16_t) +
                  (PARAM_FACTORS_MAX + PARAM_FACTOR_COLUMNS_MAX) * (int)sizeof(uint32_t)
};

/* A query that is read. */
struct params {
    const struct param *rows;
    struct value values[PARAMS_MAX];
    struct validation_errors errors;
    bool loose;                                          /* names without a row are no errors */
    uint32_t used, room[PARAMS_ROOM / sizeof(uint32_t)]; /* for what values point to; how much of it is used */
};

/* Where the parameter of a name, of so many bytes, stands in a table; the end of it: nowhere. */
size_t param_place(const struct param *rows, const char *name, size_t size);

/* The value of a parameter; NULL: the table does not have it. */
struct value *value_named(const struct param *rows, struct value *values, const char *name);

/* Gives a number, or the index of a choice. */
void value_set(struct value *value, uint64_t number);

/* The same of one value, as if it had not been given. */
void value_preset(const struct param *row, struct value *value);
void params_begin(struct params *params, const struct param *rows);

/* Reads one name and value, not NUL-terminated, as decoded from the query; value is NULL for a name without "=". */
void params_read(struct params *params, const char *name, size_t name_size, const char *value, size_t value_size);

/* Adds a validation error for each parameter that is required and was not given. One that may be missing is sound. */
void params_end(struct params *params);

/* Adds a validation error for each bond that is broken; to be called once, when all values are known. True: none is. */
bool params_bonds(const struct param *rows, const struct value *values, struct validation_errors *errors);

/* Whether a word of a choice is one for which a condition on it holds, as far as the word says it. */
bool condition_admits(const struct condition *condition, const char *word);

/* The same of a word of the parameter itself, for a bond that is about some of them. */
bool bond_admits(const struct bond *bond, const char *word);

/* Where the parameter of a condition stands in a table; the end of it: nowhere. */
size_t condition_place(const struct param *rows, const struct condition *condition);

/* Reads such text, "?a=1&b=2", as params_canonical() writes it, up to params_end(). False: it is not of that form. */
bool params_parse(struct params *params, const struct param *rows, const char *text);

/* Appends "?a=1&b=2", what was given and is not the preset, in the order of the rows, with or without where the list
 * begins. */
void params_canonical(const struct param *rows, const struct value *values, bool placed, struct bytes *out);

#endif
