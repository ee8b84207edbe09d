/* run.h - carries out one scenario. */
#ifndef TESTS_SIM_RUN_H
#define TESTS_SIM_RUN_H

#include "scenario.h"

/* What a run came to; a run that fails ends the process by sim_violated(), see simulate.c. */
struct run_stats {
    uint64_t steps, late_ms; /* late: after all faults, beyond what counting takes */
};

/* Once in a process: nothing is set back. */
struct run_stats run_scenario(const struct scenario *scenario);

#endif
