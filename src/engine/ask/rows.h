/* rows.h - rows that several tables of parameters have: n, base, format, seed, and flags. */
#ifndef ENGINE_ASK_ROWS_H
#define ENGINE_ASK_ROWS_H

#include "base/param.h"
#include "base/refusals.h"
#include "rules/rule.h"

/* "false" and "true": the number of such a value is a flag. */
const char *row_no_yes(size_t i);

const char *row_bases(size_t i);
#define PARAM_BASE \
    { \
        .name = "base", .type = PARAM_CHOICE, .choices = row_bases, \
        .summary = "number of the first row and column, in requests and replies" \
    }
#define PARAM_RULES \
    { \
        .name = "rules", .type = PARAM_CHOICE, .choices = rule_name, .summary = "which squares a queen attacks" \
    }
#define PARAM_FORMAT(names) \
    { \
        .name = "format", .type = PARAM_CHOICE, .choices = (names), .keep = true, \
        .summary = "the representation; takes precedence over Accept" \
    }
#define PARAM_FLAG(label, text) \
    { \
        .name = (label), .type = PARAM_CHOICE, .choices = row_no_yes, .summary = (text) \
    }
#define PARAM_N(from, to) \
    { \
        .name = "n", .type = PARAM_NUMBER, .required = true, .least = (from), .most = (to), .summary = "board size" \
    }
#define PARAM_SEED(of) \
    { \
        .name = "seed", .type = PARAM_NUMBER, .most = SEED_MOST, .summary = (of) \
    }

/* Seeds stay below 2^53: a client that reads numbers as doubles must be able to ask again. */
#define SEED_MOST ((UINT64_C(1) << 53) - 1)

/* The value of the row with a name; in a table without such a row, a sound value that was not given. */
const struct value *row_value(const struct param *rows, const struct value *values, const char *name);

/* The rule that a value of that row stands for; NULL: that of queens. */
const struct rule *row_rule(const struct value *value);

/* Sets the fault of a board that has no solutions by a rule; NULL: by that of queens. */
void fault_no_solution(struct fault *fault, uint32_t n, const struct rule *rule);

/* Draws a seed if none is given, and sets the value to it; true: it was drawn. */
bool seed_draw(struct value *seed);

/* The base that a value of that row stands for: its choices are "1" and "0". */
static inline uint32_t row_base(const struct value *value)
{
    return value->number == 0;
}

#endif
