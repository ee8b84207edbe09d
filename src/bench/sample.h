/* sample.h - draws some units of a count by joining quadrants, or pieces of those that are split, and counts them, to
 * estimate what all would take. It prints nothing. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "count/methods/method.h"

/* The seed is fixed: another run draws the same units. */
enum { SAMPLE_SEED = 1, SAMPLE_LEAST_N = 8, SAMPLE_MAX = 10000 };

/* A unit or a piece of one, and its result. */
struct draw {
    size_t unit, piece;
    double weight, seconds;
    struct unit_result result;
    enum nq_status status;
};

struct sample {
    unsigned long n, count, threads, megabytes; /* set by the caller: the board, how many units, with what means */
    unsigned long
        seconds; /* of CPU time, after which no unit is begun: then sample_take() sets count to fewer. 0: no end */
    void (*counted_one)(const struct draw *draw); /* called by the thread that counted it; NULL: nothing is */
    double split_weight;                          /* as of struct method_means */
    const struct method *method;
    const struct kernel *kernel;
    void *plan;
    double prepare_seconds, weight; /* of all units */
    size_t units;
    struct method_memory memory; /* as the method estimates it */
    double prepared, counted;    /* peak bytes of the process after either */
    struct draw *draw;           /* in random order */
    double begun;                /* CPU time of the process when the first unit was */
    atomic_size_t next, done;
    atomic_bool all; /* are done */
};

/* A total over all units and its standard error; the mean of what a unit has per weight. */
struct total {
    double mean, value, error;
};

/* The method that is sampled. */
const struct method *sample_method(void);

/* Makes a plan of the board, and measures it on one thread; false: out of memory. */
bool sample_prepare(struct sample *sample);

/* Draws `count` units of the plan and counts them on `threads` threads, all of which are busy until the last unit is
 * counted: a thread whose neighbours rest is faster. False: out of memory. */
bool sample_take(struct sample *sample);

/* Frees what the calls above have made, whatever they returned. */
void sample_end(struct sample *sample);

/* The mean of what draws have per weight, times all weight. */
struct total sample_total(const struct sample *sample, double (*of)(const struct draw *draw));
double sample_seconds(const struct draw *draw);
double sample_pieces(const struct draw *draw);
double sample_longest(const struct sample *sample); /* seconds of a draw */

#endif
