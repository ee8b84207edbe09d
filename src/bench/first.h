/* first.h - how long the first solutions of large boards take. */
#ifndef BENCH_FIRST_H
#define BENCH_FIRST_H

#include <stdbool.h>

#include "base/bytes.h"

/* The CPU time of the first 100 solutions of some large boards, in at most BENCH_ROUNDS_MAX rounds: an entry for each,
 * or printed, if json is NULL, as the median. False: some were not found. */
bool bench_first(unsigned rounds, struct bytes *json);

#endif
