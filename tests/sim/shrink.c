/* shrink.c - leaves out one thing after the other, as long as some schedule still fails. */
#include "shrink.h"

#include <string.h>

/* Schedules that are tried for a simpler scenario: what fails is usually a matter of the moment. */
enum { SCHEDULES = 40 };

/* Takes the simpler scenario over if it fails, too. */
static bool take(struct scenario *scenario, struct scenario simpler, const char *kind, shrink_fails *fails)
{
    for (unsigned i = 0; i < SCHEDULES; i++) {
        if (fails(&simpler, kind)) {
            *scenario = simpler;
            return true;
        }
        simpler.seed = i + 1;
    }
    return false;
}

static bool without_fault(struct scenario *scenario, const char *kind, shrink_fails *fails)
{
    for (unsigned i = 0; i < scenario->fault_count; i++) {
        struct scenario simpler = *scenario;
        simpler.fault_count--;
        memmove(&simpler.faults[i], &simpler.faults[i + 1], (simpler.fault_count - i) * sizeof simpler.faults[0]);
        if (take(scenario, simpler, kind, fails))
            return true;
    }
    return false;
}

static bool with_less(struct scenario *scenario, const char *kind, shrink_fails *fails)
{
    for (const struct scenario_number *number = scenario_numbers; number->name; number++) {
        struct scenario simpler = *scenario;
        unsigned *value = scenario_at(&simpler, number);
        const unsigned was = *value;
        if (strcmp(number->name, "seed") == 0 || strcmp(number->name, "lease_ms") == 0 || was <= number->least)
            continue;
        *value = number->least;
        if (take(scenario, simpler, kind, fails))
            return true;
        *value = number->least + (was - number->least) / 2;
        if (*value != number->least && take(scenario, simpler, kind, fails))
            return true;
    }
    return false;
}

void shrink(struct scenario *scenario, const char *kind, shrink_fails *fails)
{
    while (without_fault(scenario, kind, fails) || with_less(scenario, kind, fails))
        continue;
}
