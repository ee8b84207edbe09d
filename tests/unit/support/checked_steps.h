/* checked_steps.h - checks that the steps a machine returns are what it does, for the tests of solvers and
 * constructions. */
#ifndef TESTS_UNIT_SUPPORT_CHECKED_STEPS_H
#define TESTS_UNIT_SUPPORT_CHECKED_STEPS_H

#include "steps/machine.h"
#include "support/facts.h"

/* The result of a run. */
struct checked_steps {
    size_t count; /* solutions, n columns each, one after the other; checked_steps_end() frees them */
    uint32_t *solutions;
    struct stats stats;
    struct stats first;    /* up to the first solution, and with it */
    enum nq_status status; /* how it ended; NQ_AGAIN: `most` steps were done */
};

/* Runs a machine to its end, or for so many steps, on a board of the test's own: a queen goes to an empty row and to a
 * square that none attacks, a rejected square is attacked by whom it is said to be, what is removed stood, and so on;
 * depth and board agree after every step; solutions are solutions. Fails the test otherwise. */
struct checked_steps checked_steps_run(const struct machine_class *class, const struct machine_settings *settings,
                                       uint64_t most);

static inline void checked_steps_end(struct checked_steps *result)
{
    free(result->solutions);
}

#endif
