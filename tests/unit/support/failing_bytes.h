/* failing_bytes.h - makes the allocations of struct bytes fail on demand, in every program of tests: its copy of
 * src/base/bytes.c takes the place of the library's. */
#ifndef TESTS_UNIT_SUPPORT_FAILING_BYTES_H
#define TESTS_UNIT_SUPPORT_FAILING_BYTES_H

#include <stdatomic.h>

/* As failing_after of failing_memory.h. */
extern atomic_size_t bytes_failing_after;

#endif
