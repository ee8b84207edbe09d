/* bench.h - `nqueensd bench`: figures as ratios within one run, against references in the same binary. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>

/* The command; returns the exit status. */
int bench_run(int count, char **arguments);

/* The yardstick: the textbook recursion on three bit masks, no symmetry, n <= 32. */
uint64_t textbook_count(uint32_t n);

/* The second one: the classic eightfold solver, whose first queen is the one nearest to a corner. n <= 31. */
uint64_t classic_count(uint32_t n);

#endif
