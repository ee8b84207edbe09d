/* bench.h - the benches, what they share, and the solvers that they compare with. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "rules/rule.h"

/* Each with the arguments that follow its name. They return the exit status; 2: there are no such arguments, as a line
 * on standard error says. */
int bench_count(int count, char **arguments);
int bench_join(int count, char **arguments);
int bench_puzzle(int count, char **arguments);
int bench_shape(int count, char **arguments);
int bench_solve(int count, char **arguments);

/* ---- What benches share: the form of their output, times, medians, and the JSON document they print ---- */

/* BENCH_TABLES: megabytes that tables may take by default; BENCH_DIGITS: significant ones of times, in JSON. */
enum { BENCH_ROUNDS_MAX = 99, BENCH_THREADS_MAX = 64, BENCH_MEGABYTE = 1 << 20, BENCH_TABLES = 1024, BENCH_DIGITS = 6 };

/* Reads the value of --format, table or json: whether it is json. */
bool bench_format(const char *value, void *json);

/* The CPU time of this thread, which does not depend on other processes; with several threads, elapsed time. */
double bench_seconds(unsigned threads);

/* The median of `count` times, at most BENCH_ROUNDS_MAX. */
double bench_median(const double *times, unsigned count);

/* What ran in turns, in JSON. Begins the document, and in it the contestants, of which `reference` is the first. */
void bench_contest(struct bytes *out, const char *bench, unsigned long n, unsigned rounds, const char *reference);

/* Begins one of them, whose ratio is that of the reference's median to its own; the caller adds what else there is and
 * ends it. */
void bench_contestant(struct bytes *out, const char *name, unsigned threads, const double *seconds, unsigned rounds,
                      double reference);

/* Appends the members "seconds", the median, and "rounds". */
void bench_rounds(struct bytes *out, const double *seconds, unsigned rounds);

/* Ends a document, which is an object, prints it, and frees it; returns the exit status. */
int bench_print(struct bytes *text);

/* ---- Solvers that everybody knows: every figure is a ratio to one of them ---- */

/* The textbook recursion on three bit masks, without symmetry; n <= 32. */
uint64_t textbook_count(uint32_t n);

/* The classic eightfold solver, whose first queen is the one nearest to a corner; n <= 31. */
uint64_t classic_count(uint32_t n);

/* Placements of any number of queens on n x n, by a recursion over squares; n <= 32. */
uint64_t squares_count(uint32_t n);

/* The textbook recursion by any rule of the table; n <= RULE_MAX_N. */
uint64_t plain_count(const struct rule *rule, uint32_t n);

#endif
