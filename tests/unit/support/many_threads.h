/* many_threads.h - several threads at one plan. */
#ifndef TESTS_UNIT_SUPPORT_MANY_THREADS_H
#define TESTS_UNIT_SUPPORT_MANY_THREADS_H

#include "count/methods/method.h"

/* Each of them counts all its units: fails the test unless each comes to so many thirds. */
void many_threads_check(const struct method *method, const void *plan, uint64_t thirds);

#endif
