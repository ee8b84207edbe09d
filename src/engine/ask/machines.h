/* machines.h - every algorithm that works in steps, whichever family it is of. */
#ifndef ENGINE_ASK_MACHINES_H
#define ENGINE_ASK_MACHINES_H

#include "steps/machine.h"

struct machine {
    const char *name; /* as in the tables of solvers and constructions */
    const struct machine_class *class;
    unsigned heeds;
    uint32_t max_n;
    uint32_t splits;   /* HEEDS_SPLIT: how many it takes, if any are given */
    bool by_rule;      /* it asks the rule which squares a queen attacks */
    bool by_regions;   /* it lists boards with regions */
    bool by_shape;     /* its class knows boards of any shape */
    const char *tests; /* the unit of its tests */
};

/* What a solver has of this, without a machine perhaps. */
struct solver;
struct machine machines_of(const struct solver *solver);

/* The i-th one, solvers first. False: there are no more. */
bool machines_get(size_t i, struct machine *machine);

bool machines_find(const char *name, struct machine *machine);

#endif
