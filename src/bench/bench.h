/* bench.h - `nqueensd bench`: figures as ratios within one run, against references in the same binary. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The command; returns the exit status. */
int bench_run(int count, char **arguments);

/* The yardstick: the textbook recursion on three bit masks, no symmetry, n <= 32. */
uint64_t textbook_count(uint32_t n);

/* The second one: the classic eightfold solver, whose first queen is the one nearest to a corner. n <= 31. */
uint64_t classic_count(uint32_t n);

/* Megabytes that tables may take, unless told. */
enum { BENCH_MEGABYTE = 1 << 20, BENCH_TABLES = 1024 };

/* `nqueensd bench join`, with the arguments that follow. */
int bench_join(int count, char **arguments);

/* `nqueensd bench crew`, with the arguments that follow. */
int bench_crew(int count, char **arguments);

/* `nqueensd bench solve`, with the arguments that follow. */
int bench_solve(int count, char **arguments);

/* The median of so many times, at most BENCH_ROUNDS_MAX. */
enum { BENCH_ROUNDS_MAX = 99, BENCH_THREADS_MAX = 64 };
double bench_median(const double *times, unsigned count);

/* CPU time of this thread, which other processes leave alone; for several threads, time. */
double bench_seconds(unsigned threads);

/* An option: its value is a whole number within limits, any number within them, or any text. */
struct bench_option {
    const char *name;
    unsigned long *number, least, most;
    double *real;
    const char **text;
};

/* Reads arguments, which are names and values in turns: these options, and --format, which is table or json. False when
 * one is no option, or a value is none for it. */
bool bench_read(const struct bench_option *options, size_t known, int count, char **arguments, bool *json);

/* Prints a document, and frees it; returns the exit status. */
int bench_print(json_t *document);

#endif
