/* crew_job.h - the units of a count by joining quadrants, and how long each takes here while so many threads are busy:
 * by its weight, and by what units that were drawn took per weight. It knows nothing of those who share the job. */
#ifndef BENCH_CREW_JOB_H
#define BENCH_CREW_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/sample.h"

struct crew_job {
    struct sample sample; /* its n, count, threads and megabytes are asked for */
    size_t plans;         /* so many are made at once, for that takes longer than making one */
    const char *told;     /* seconds per weight, separated by commas: instead of counting units, unless NULL */
    unsigned long times;  /* so many of each unit, for a larger board than there is a plan of */
    uint64_t seed;        /* of what is drawn */

    double listing, tables; /* seconds to list the units; to make a plan, tables and all */
    double *rate;           /* seconds per weight, which are drawn from */
    size_t rates;
    double mean, deviation;
    double *expected, *taken; /* seconds of each unit: by the mean, and by a rate that is drawn for it */
    size_t units;
    double seconds, error, longest; /* expected of all units, its standard error; taken by the longest one */
};

enum crew_job_end { CREW_JOB_READY, CREW_JOB_NOMEM, CREW_JOB_MISTOLD };

/* The caller ends it so, whatever was returned. */
enum crew_job_end crew_job_begin(struct crew_job *job);
void crew_job_end(struct crew_job *job);

/* Positive numbers separated by commas, at most `most` of them; returns how many, 0 for anything else. */
size_t crew_numbers(const char *text, double *number, size_t most);

#endif
