/* ask_machine.h - the settings of an algorithm as parameters, which /solve, /trace and /compare share. */
#ifndef HTTP_ASK_ASK_MACHINE_H
#define HTTP_ASK_ASK_MACHINE_H

#include "base/param.h"
#include "engine/ask/machines.h"

/* The rows. */
const char *ask_machine_strategies(size_t i);

/* The column of the first queen unless it is given: the fourth, as in the articles. */
enum { ASK_FIRST_COLUMN = 3 };

/* The i-th parameter that algorithms may have, NULL after the last, and its bit in `heeds`. */
const char *ask_machine_parameter(size_t i, unsigned *bit);

/* Whether an algorithm has no such setting: for bonds. */
bool ask_lacks_column(const char *algorithm);
bool ask_lacks_split(const char *algorithm);
bool ask_lacks_strategy(const char *algorithm);
bool ask_lacks_seed(const char *algorithm);

/* Whether an algorithm asks no rule which squares a queen attacks: for bonds. */
bool ask_knows_queens_only(const char *algorithm);

/* Whether it knows square boards without walls only: for bonds. */
bool ask_knows_no_shapes(const char *algorithm);
#define PARAM_COLUMN \
    { \
        .name = "column", .type = PARAM_NUMBER, .most = MACHINE_MAX_N, \
        .summary = "column of the first queen, for algorithms that start with it; by default the fourth", \
        .bonds = \
            BONDS(BOND(EXCLUDES, IS("algorithm", .has = ask_lacks_column), .because = ", which has no such setting")) \
    }
#define PARAM_SPLIT \
    { \
        .name = "split", .type = PARAM_COLUMNS, \
        .summary = "numbers of rows after which a stage ends: one number for romani-3, two for romani-4", \
        .bonds = \
            BONDS(BOND(EXCLUDES, IS("algorithm", .has = ask_lacks_split), .because = ", which has no such setting")) \
    }
#define PARAM_STRATEGY \
    { \
        .name = "strategy", .type = PARAM_CHOICE, .choices = ask_machine_strategies, \
        .summary = "order in which an algorithm with a queue continues its placements", \
        .bonds = BONDS( \
            BOND(EXCLUDES, IS("algorithm", .has = ask_lacks_strategy), .because = ", which has no such setting")) \
    }

struct machine_values {
    const struct value *n, *base, *column, *split, *strategy, *seed;
};

/* The values of these rows in a table; those that it lacks are not given. */
struct machine_values machine_values_of(const struct param *rows, const struct value *values);

/* Reads sound values into settings. Adds validation errors: for parameters that the algorithm does not have, for what
 * is off the board, for a board that is too large. */
void ask_machine(const struct machine_values *values, const struct machine *machine, struct validation_errors *errors,
                 struct machine_settings *settings);

#endif
