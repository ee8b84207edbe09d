/* crew_job.c - makes the job that `nqueensd bench crew` plays: the real units of a real plan, with seconds. The plan
 * has no tables if only the list of units is wanted. Nothing is printed here. */
#include "bench/crew_job.h"

#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
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

/* Of all units; 0 when there is not memory enough. */
static size_t count_pieces(const struct sample *sample)
{
    size_t count = 0;
    for (size_t unit = 0; unit < sample->units; unit++) {
        const size_t pieces = sample_pieces(sample, unit);
        if (!pieces)
            return 0;
        count += pieces;
    }
    return count;
}

/* The whole list, as often as wanted: units, or what they are cut into. */
static bool list_units(struct crew_job *job)
{
    const struct sample *sample = &job->sample;
    struct random random = random_begin(job->seed, 1); /* workers draw from stream 0 */
    const size_t most = count_pieces(sample) * job->times;
    job->expected = most ? calloc(most, sizeof *job->expected) : NULL;
    job->taken = most ? calloc(most, sizeof *job->taken) : NULL;
    if (!job->expected || !job->taken)
        return false;
    for (size_t i = 0; i < sample->units * job->times; i++) {
        const size_t unit = i % sample->units, pieces = sample_pieces(sample, unit);
        const double weight = sample->method->weight(sample->plan, unit) / (double)pieces;
        for (size_t piece = 0; piece < pieces; piece++, job->units++) {
            job->expected[job->units] = weight * job->mean;
            job->taken[job->units] = weight * job->rate[random_below(&random, (uint32_t)job->rates)];
            job->longest = fmax(job->longest, job->taken[job->units]);
        }
    }
    return true;
}

/* Without tables, as a server does whose workers have them. */
static bool time_listing(struct crew_job *job)
{
    struct sample bare = {.n = job->sample.n};
    const bool listed = sample_prepare(&bare);
    job->listing = bare.prepare_seconds;
    sample_end(&bare);
    return listed;
}

/* Plans that are made at the same time. */
struct making {
    size_t count;
    atomic_size_t next;
    struct made {
        struct sample sample;
        bool done;
    } * made;
};

static void make_plans(void *context)
{
    struct making *making = context;
    for (size_t i; (i = atomic_fetch_add(&making->next, 1)) < making->count;)
        making->made[i].done = sample_prepare(&making->made[i].sample);
}

/* The first one is kept. */
static bool time_tables(struct crew_job *job)
{
    struct making making = {.count = job->plans, .made = calloc(job->plans, sizeof *making.made)};
    bool done = making.made;
    for (size_t i = 0; making.made && i < making.count; i++)
        making.made[i].sample = job->sample;
    if (making.made)
        parallel_run((unsigned)making.count, make_plans, &making);
    for (size_t i = 0; making.made && i < making.count; i++) {
        struct made *made = &making.made[i];
        done = done && made->done;
        job->tables += made->sample.prepare_seconds / (double)making.count;
        if (i)
            sample_end(&made->sample);
        else
            job->sample = made->sample;
    }
    free(making.made);
    return done;
}

enum crew_job_end crew_job_begin(struct crew_job *job)
{
    job->rate = calloc(SAMPLE_MAX, sizeof *job->rate);
    if (!job->rate)
        return CREW_JOB_NOMEM;
    if (job->told && !(job->rates = crew_numbers(job->told, job->rate, SAMPLE_MAX)))
        return CREW_JOB_MISTOLD;
    if (!time_listing(job) || !time_tables(job))
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
