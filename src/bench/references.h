/* references.h - solvers that everybody knows: every figure is a ratio to one of them. */
#ifndef BENCH_REFERENCES_H
#define BENCH_REFERENCES_H

#include <stdint.h>

#include "rules/rule.h"

/* The textbook recursion on three bit masks, without symmetry; n <= 32. */
uint64_t textbook_count(uint32_t n);

/* The classic eightfold solver, whose first queen is the one nearest to a corner; n <= 31. */
uint64_t classic_count(uint32_t n);

/* Placements of any number of queens on n x n, by a recursion over squares; n <= 32. */
uint64_t squares_count(uint32_t n);

/* The textbook recursion by any rule of the table; n <= RULE_MAX_N. */
uint64_t plain_count(const struct rule *rule, uint32_t n);

#endif
