/* check.h - the counts of the simulation, as counting.c counts them, and what must hold of results. The violations are:
 *
 *   total      an answer is not the sum of the results of all units: one is wrong, lost, or counted twice
 *   fact       a fact in the store is not what its unit or term comes to
 *   failed     a count failed though all can be counted
 *   late       a count is not answered though some server and, if need be, some worker live
 *   usurped    a server that does not lead posts or deletes batches
 *   left       something remains in the broker or in the store after the end
 *   stuck      a process that is told to end does not, or fibers run in circles */
#ifndef TESTS_SIM_CHECK_H
#define TESTS_SIM_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/wide.h"
#include "stores/store.h"

/* Counts have n = CHECK_N, CHECK_N + 1, ... */
enum { CHECK_N = 20, CHECK_COUNTS = 2, CHECK_TERMS = 3, CHECK_UNITS = 64, CHECK_PIECES = 4 };

/* What is to be counted; set before a run. */
extern struct check_count {
    unsigned terms, units, pieces; /* units: of a term; pieces: of every fourth unit, 1: none is split */
    double seconds;                /* of a unit, about, on a process of speed 1 */
} check_counts[CHECK_COUNTS];

/* Of the process whose fiber asks; 1: usual. */
extern double check_speed[];

uint64_t check_unit(unsigned n, unsigned term, unsigned unit, unsigned piece); /* piece: or CHECK_PIECES for all */
double check_seconds(unsigned n, unsigned term, unsigned unit);
nq_wide check_total(unsigned n, bool by_value); /* by value, a count has the units of its first term only */

/* Works for so long, but ends soon after *stop. */
enum nq_status check_work(double seconds, const atomic_bool *stop);

/* A fact is written. */
void check_fact(enum store_kind kind, const char *key, const char *value, size_t size);

#endif
