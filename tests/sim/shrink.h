/* shrink.h - looks for a simpler scenario that fails in the same way. */
#ifndef TESTS_SIM_SHRINK_H
#define TESTS_SIM_SHRINK_H

#include "scenario.h"

/* Whether a scenario fails so. */
typedef bool shrink_fails(const struct scenario *scenario, const char *kind);

/* scenario fails so when it is called, and when it returns. */
void shrink(struct scenario *scenario, const char *kind, shrink_fails *fails);

#endif
