/* ask_machine.h - which algorithm, and what it is set to, in the words of parameters: what /solve, /trace and /compare
 * have in common. */
#ifndef HTTP_ASK_MACHINE_H
#define HTTP_ASK_MACHINE_H

#include "engine/machines.h"
#include "http/param.h"

/* The rows. */
const char *ask_machine_strategies(size_t i);

/* The articles' first queen stands in the fourth column: so does anybody's, unless told. */
enum { ASK_FIRST_COLUMN = 3 };

/* The i-th parameter that algorithms heed, NULL after the last, and the bit that says so. */
const char *ask_machine_parameter(size_t i, unsigned *bit);
#define PARAM_COLUMN \
    { \
        .name = "column", .type = PARAM_NUMBER, .most = MACHINE_MAX_N, \
        .summary = "where the first queen stands, of algorithms that begin with it; the fourth unless told" \
    }
#define PARAM_SPLIT \
    { \
        .name = "split", .type = PARAM_COLUMNS, \
        .summary = \
            "rows that are filled when a stage ends, of algorithms in stages: one for romani-3, two for romani-4" \
    }
#define PARAM_STRATEGY \
    { \
        .name = "strategy", .type = PARAM_CHOICE, .choices = ask_machine_strategies, \
        .summary = "which placement is taken up next, of algorithms that keep many" \
    }

/* Where a route keeps their values. */
struct machine_values {
    const struct value *n, *base, *column, *split, *strategy, *seed;
};

/* Whether all of them are sound. */
bool ask_machine_sound(const struct machine_values *values);

/* What sound values set an algorithm to. Complaints: it does not heed what was given, or that is off the board, which
 * may be too large for it. */
void ask_machine(const struct machine_values *values, const struct machine *machine, struct complaints *complaints,
                 struct machine_settings *settings);

#endif
