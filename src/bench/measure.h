/* measure.h - what benches share: the form of their output, times, medians, and the JSON document they print. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

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

#endif
