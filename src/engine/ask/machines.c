/* machines.c - solvers and constructions that have a machine, one after the other. */
#include "engine/ask/machines.h"

#include <string.h>

#include "constructions/construction.h"
#include "solvers/solver.h"

struct machine machines_of(const struct solver *solver)
{
    return (struct machine){.name = solver->name,
                            .class = solver->machine,
                            .heeds = solver->heeds,
                            .max_n = solver->max_n,
                            .splits = solver->splits,
                            .by_rule = solver->by_rule,
                            .by_regions = solver->by_regions,
                            .by_shape = solver->by_shape,
                            .tests = solver->tests};
}

static bool get_solver(size_t *i, struct machine *machine)
{
    for (const struct solver *const *at = solvers; *at; at++)
        if ((*at)->machine && (*i)-- == 0) {
            *machine = machines_of(*at);
            return true;
        }
    return false;
}

static bool get_construction(size_t *i, struct machine *machine)
{
    for (const struct construction *const *at = constructions; *at; at++)
        if ((*at)->machine && (*i)-- == 0) {
            *machine = (struct machine){.name = (*at)->name,
                                        .class = (*at)->machine,
                                        .heeds = (*at)->takes & TAKES_SEED ? HEEDS_SEED : 0,
                                        .max_n = (*at)->machine_max_n,
                                        .tests = (*at)->tests};
            return true;
        }
    return false;
}

bool machines_get(size_t i, struct machine *machine)
{
    return get_solver(&i, machine) || get_construction(&i, machine);
}

bool machines_find(const char *name, struct machine *machine)
{
    for (size_t i = 0; machines_get(i, machine); i++)
        if (strcmp(machine->name, name) == 0)
            return true;
    return false;
}
