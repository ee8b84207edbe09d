/* crowding.h - several threads at one plan. */
#ifndef UNIT_CROWDING_H
#define UNIT_CROWDING_H

#include "count/method.h"

/* Each of them counts all its units: fails the test unless each comes to so many parts. */
void crowding_check(const struct method *method, const void *plan, uint64_t parts);

#endif
