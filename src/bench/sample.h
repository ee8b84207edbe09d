/* sample.h - some units of a count by joining quadrants, or pieces of them if they are cut, drawn and counted, to tell
 * what all of them would take. It prints nothing, and does not know what is made of it. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "count/method.h"

/* The seed is fixed: another run draws the same units. */
enum { SAMPLE_SEED = 1, SAMPLE_LEAST_N = 8, SAMPLE_MAX = 10000 };

/* A unit or a piece of one, and what it had. */
struct draw {
    size_t unit, piece;
    double weight, seconds;
    struct unit_result result;
    enum nq_status status;
};

struct sample {
    unsigned long n, count, threads, megabytes; /* what is asked for: of which board, how many units, with what */
    const struct method *method;
    const struct kernel *kernel;
    void *plan;
    double prepare_seconds, weight; /* of all units */
    size_t units;
    struct method_memory told;
    double prepared, counted; /* bytes of the process, at most, so far */
    struct draw *draw;
    atomic_size_t next, done;
    atomic_bool all; /* are done */
};

/* A total over all units, its standard error, and the mean of what a unit has per weight. */
struct total {
    double mean, value, error;
};

/* The method that is sampled. */
const struct method *sample_method(void);

/* A plan of the board, and how long it took on one thread; false when there is not memory enough. */
bool sample_prepare(struct sample *sample);

/* Draws `count` units of the plan and counts them, on `threads` threads, all of them busy until the last one is
 * counted: a thread whose neighbours rest is faster. False when there is not memory enough. */
bool sample_take(struct sample *sample);

/* The caller ends so what one of these was called with, whatever it returned. */
void sample_end(struct sample *sample);

/* Into how many pieces a unit is cut: 1, if it is not; 0 when there is not memory enough. */
size_t sample_pieces(const struct sample *sample, size_t unit);

/* What a draw has per weight, times all weight. */
struct total sample_total(const struct sample *sample, double (*of)(const struct draw *draw));
double sample_seconds(const struct draw *draw);

#endif
