/* references.h - two solvers that everybody knows: every figure is a ratio to one of them. */
#ifndef BENCH_REFERENCES_H
#define BENCH_REFERENCES_H

#include <stdint.h>

/* The textbook recursion on three bit masks, without symmetry; n <= 32. */
uint64_t textbook_count(uint32_t n);

/* The classic eightfold solver, whose first queen is the one nearest to a corner; n <= 31. */
uint64_t classic_count(uint32_t n);

#endif
