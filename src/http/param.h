/* param.h - query parameters as rows of a table: what may be given, and the strict reading of it. It knows text and
 * numbers, not what they mean to a route. */
#ifndef HTTP_PARAM_H
#define HTTP_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum param_type {
    PARAM_NUMBER,  /* decimal digits, no sign, no leading zeros */
    PARAM_CHOICE,  /* one of a few words */
    PARAM_TOKEN,   /* letters, digits, - and _ */
    PARAM_RANGE,   /* two numbers, "a-b" */
    PARAM_SQUARES, /* squares of a board, "row:column,row:column" */
    PARAM_COLUMNS, /* the columns of the queens, row by row, "1,5,8,6,3,7,2,4" */
    PARAM_FACTORS, /* numbers to be multiplied, "5x5x25" */
};

enum {
    PARAMS_MAX = 24,
    PARAM_TOKEN_MAX = 256,
    PARAM_SQUARES_MAX = 256,
    PARAM_COLUMNS_MAX = 64,
    PARAM_FACTORS_MAX = 14,
    COMPLAINTS_MAX = 20
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

/* One row. Rows stand in canonical order, those of a place last; a row without a name ends the table. */
struct param {
    const char *name;
    enum param_type type;
    bool required;
    uint64_t least;        /* numbers: below it makes no sense (400) */
    uint64_t most;         /* numbers: beyond it is our limit (422) */
    bool has_preset;       /* numbers: without it, not giving the parameter is a meaning of its own */
    uint64_t preset;       /* numbers */
    param_choices choices; /* the first is the preset */
    bool keep;             /* choices: giving the first is not the same as giving none */
    bool place;            /* tells where a list begins, as the cursor does that leads on from it */
    const char *summary;
};

/* What was given, or the preset. */
struct value {
    bool given;
    bool sound;      /* given and well, or a preset: the rest may be relied on */
    uint64_t number; /* a number, the index of a choice, the first of a range, how many squares, columns or factors */
    uint64_t last;   /* of a range */
    char token[PARAM_TOKEN_MAX + 1];
    struct param_square squares[PARAM_SQUARES_MAX]; /* row by row, none twice */
    uint16_t columns[PARAM_COLUMNS_MAX];
    uint32_t factors[PARAM_FACTORS_MAX]; /* 2 or more each, none beyond `most` */
};

/* What is wrong with a request, parameter by parameter. */
struct complaint {
    char parameter[48];
    char reason[160];
    bool policy; /* meaningful, but beyond a limit of ours */
};

struct complaints {
    size_t made;  /* all of them */
    size_t count; /* those kept in the list */
    bool invalid; /* at least one is not a matter of policy */
    struct complaint list[COMPLAINTS_MAX];
};

/* Adds a complaint; beyond COMPLAINTS_MAX it only counts. */
void complain(struct complaints *complaints, bool policy, const char *parameter, const char *reason, ...)
    __attribute__((format(printf, 4, 5)));

/* Lays in the presets. */
void params_begin(const struct param *rows, struct value *values);

/* Reads one name and value, not NUL-terminated, as decoded from the query; value is NULL for a name without "=". */
void params_read(const struct param *rows, struct value *values, const char *name, size_t name_size, const char *value,
                 size_t value_size, struct complaints *complaints);

/* Complains of what is required and was not given. */
void params_end(const struct param *rows, const struct value *values, struct complaints *complaints);

/* Appends "?a=1&b=2", what was given and is not the preset, in the order of the rows, with or without where the list
 * begins. */
void params_canonical(const struct param *rows, const struct value *values, bool placed, struct bytes *out);

#endif
