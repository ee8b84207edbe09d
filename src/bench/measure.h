/* measure.h - what benches share: the form of their output, times, medians, and the JSON document they print. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* BENCH_TABLES: megabytes that tables may take by default. */
enum { BENCH_ROUNDS_MAX = 99, BENCH_THREADS_MAX = 64, BENCH_MEGABYTE = 1 << 20, BENCH_TABLES = 1024 };

/* Reads the value of --format, table or json: whether it is json. */
bool bench_format(const char *value, void *json);

/* The CPU time of this thread, which does not depend on other processes; with several threads, elapsed time. */
double bench_seconds(unsigned threads);

/* The median of `count` times, at most BENCH_ROUNDS_MAX. */
double bench_median(const double *times, unsigned count);

/* Prints a document, and frees it; returns the exit status. */
int bench_print(json_t *document);

/* What ran in turns, in JSON: a contestant, whose ratio is that of the reference's median to its own; and all of them,
 * with the name of the first. */
json_t *bench_contestant(const char *name, unsigned threads, const double *seconds, unsigned rounds, double reference);
json_t *bench_contest(const char *bench, unsigned long n, unsigned rounds, json_t *contestants);

#endif
