/* crew_job.c - makes the job that `nqueensd bench crew` plays: the real units of a real plan, with seconds. The plan
 * has no tables if only the list of units is wanted. Nothing is printed here. */
#include "bench/crew_job.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

size_t crew_numbers(const char *text, double *number, size_t most)
{
    for (size_t count = 0; count < most; text++) {
        char *end;
        const double value = strtod(text, &end);
        if (*text < '0' || *text > '9' || !(value > 0 && isfinite(value)))
            return 0;
        number[count++] = value;
        text = end;
        if (!*text)
            return count;
        if (*text != ',')
            return 0;
    }
    return 0;
}

static void measured_rates(struct crew_job *job)
{
    job->rates = job->sample.count;
    for (size_t i = 0; i < job->rates; i++)
        job->rate[i] = job->sample.draw[i].seconds / job->sample.draw[i].weight;
}

static void sum_up_rates(struct crew_job *job)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < job->rates; i++)
        sum += job->rate[i];
    job->mean = sum / (double)job->rates;
    for (size_t i = 0; i < job->rates; i++)
        squares += (job->rate[i] - job->mean) * (job->rate[i] - job->mean);
    job->deviation = job->rates > 1 ? sqrt(squares / (double)(job->rates - 1)) : 0;
    job->seconds = job->mean * job->sample.weight * (double)job->times;
    job->error = job->seconds * job->deviation / job->mean / sqrt((double)job->rates);
}

/* The whole list, as often as wanted. */
static bool list_units(struct crew_job *job)
{
    const struct sample *sample = &job->sample;
    struct random random = random_begin(job->seed, 1); /* workers draw from stream 0 */
    job->units = sample->units * job->times;
    job->expected = calloc(job->units, sizeof *job->expected);
    job->taken = calloc(job->units, sizeof *job->taken);
    if (!job->expected || !job->taken)
        return false;
    for (size_t unit = 0; unit < job->units; unit++) {
        const double weight = sample->method->weight(sample->plan, unit % sample->units);
        job->expected[unit] = weight * job->mean;
        job->taken[unit] = weight * job->rate[random_below(&random, (uint32_t)job->rates)];
        job->longest = fmax(job->longest, job->taken[unit]);
    }
    return true;
}

enum crew_job_end crew_job_begin(struct crew_job *job)
{
    job->rate = calloc(SAMPLE_MAX, sizeof *job->rate);
    if (!job->rate)
        return CREW_JOB_NOMEM;
    if (job->told && !(job->rates = crew_numbers(job->told, job->rate, SAMPLE_MAX)))
        return CREW_JOB_MISTOLD;
    if (!sample_prepare(&job->sample))
        return CREW_JOB_NOMEM;
    if (!job->told) {
        if (!sample_take(&job->sample))
            return CREW_JOB_NOMEM;
        measured_rates(job);
    }
    sum_up_rates(job);
    return list_units(job) ? CREW_JOB_READY : CREW_JOB_NOMEM;
}

void crew_job_end(struct crew_job *job)
{
    sample_end(&job->sample);
    free(job->rate);
    free(job->expected);
    free(job->taken);
}
