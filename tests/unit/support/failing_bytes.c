/* failing_bytes.c - see failing_bytes.h. */
#include "support/failing_bytes.h"

#define failing_after bytes_failing_after
#define FAILING_ELSEWHERE
#include "support/failing_memory.h"

atomic_size_t bytes_failing_after = SIZE_MAX;

#include "base/bytes.c"
