/* stepping.h - whether the steps a machine tells are what it does, for the tests of solvers and constructions. */
#ifndef UNIT_STEPPING_H
#define UNIT_STEPPING_H

#include "facts.h"
#include "steps/machine.h"
#include "steps/stats.h"

/* What came of a run. */
struct stepped {
    size_t count; /* solutions, n columns each, one after the other; the caller frees */
    uint32_t *solutions;
    struct stats stats;
    struct stats first;    /* up to the first solution, and with it */
    enum nq_status status; /* how it ended; NQ_AGAIN: `most` steps were done */
};

/* Runs a machine to its end, or for so many steps, on a board of the test's own: a queen goes to an empty row and to a
 * square that none attacks, a rejected square is attacked by whom it is said to be, what is removed stood, and so on;
 * depth and board agree after every step; solutions are solutions. Fails the test otherwise. */
struct stepped stepped_run(const struct machine_class *class, const struct machine_settings *settings, uint64_t most);

#endif
