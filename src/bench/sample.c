/* sample.c - draws units of a count by joining quadrants and counts them. All weight is divided into equal strata, and
 * one unit drawn from each with a probability in proportion to its weight; of a unit that is split, one piece is drawn.
 * They are counted in random order: those that are counted within a limit are a sample, too.
 * A total is the mean of what a unit has per weight, times all weight. Its standard error is that of independent draws,
 * which is too large rather than too small. */
#include "bench/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/parallel.h"
#include "base/random.h"
#include "bench/measure.h"

const struct method *sample_method(void)
{
    const struct method *const *at = methods;
    while (strcmp((*at)->name, "join") != 0)
        at++;
    return *at;
}

static double peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss * 1024 : 0;
}

bool sample_prepare(struct sample *sample)
{
    sample->method = sample_method();
    sample->kernel = kernel_find("auto");
    struct filter filter;
    const size_t tables = sample->megabytes * BENCH_MEGABYTE;
    filter_begin(&filter, (uint32_t)sample->n);
    const struct method_means means = {.tables = tables,
                                       .threads = 1, /* its CPU time is measured */
                                       .split_weight = sample->split_weight};
    sample->memory = sample->method->memory(&filter, tables);
    const double start = bench_seconds(1);
    if (sample->method->prepare(&filter, &means, NULL, &sample->plan) != NQ_OK)
        return false;
    sample->prepare_seconds = bench_seconds(1) - start;
    sample->prepared = peak_memory();
    sample->units = sample->method->units(sample->plan);
    for (size_t unit = 0; unit < sample->units; unit++)
        sample->weight += sample->method->weight(sample->plan, unit);
    return true;
}

/* The number of pieces that a unit is split into; 1: it is not split; 0: out of memory. */
static size_t count_pieces(const struct sample *sample, size_t unit)
{
    size_t pieces = 0;
    return sample->method->pieces(sample->plan, unit, NULL, &pieces) == NQ_OK ? pieces : 0;
}

static bool draw_units(struct sample *sample)
{
    struct random random = random_begin(SAMPLE_SEED, sample->n);
    const double share = sample->weight / (double)sample->count;
    double end = sample->method->weight(sample->plan, 0); /* of the weight up to the unit */
    size_t unit = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const double at = ((double)i + random_word(&random) / 4294967296.0) * share;
        while (end <= at && unit + 1 < sample->units)
            end += sample->method->weight(sample->plan, ++unit);
        const size_t pieces = count_pieces(sample, unit);
        if (!pieces)
            return false;
        sample->draw[i] = (struct draw){.unit = unit,
                                        .piece = random_below(&random, (uint32_t)pieces),
                                        .weight = sample->method->weight(sample->plan, unit) / (double)pieces};
    }
    for (size_t i = sample->count; i > 1; i--) {
        const size_t other = random_below(&random, (uint32_t)i);
        const struct draw draw = sample->draw[i - 1];
        sample->draw[i - 1] = sample->draw[other];
        sample->draw[other] = draw;
    }
    return true;
}

static double worked(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) : 0;
}

static enum nq_status count_piece(const struct sample *sample, const struct draw *draw, const atomic_bool *stop,
                                  struct unit_result *result)
{
    return sample->method->count_piece(sample->plan, draw->unit, draw->piece, sample->kernel, stop, result);
}

static void count_draw(struct sample *sample, struct draw *draw)
{
    const double start = bench_seconds(1);
    draw->status = count_piece(sample, draw, NULL, &draw->result);
    draw->seconds = bench_seconds(1) - start;
    if (sample->counted_one)
        sample->counted_one(draw);
}

/* A thread that finds no unit left counts one again, so that the others still have a busy neighbour. */
static void run(void *context)
{
    struct sample *sample = context;
    for (size_t i; i = atomic_fetch_add(&sample->next, 1), !atomic_load(&sample->all);) {
        struct unit_result unwanted;
        if (i < sample->count) {
            if (!sample->seconds || i < 2 || worked() - sample->begun < (double)sample->seconds)
                count_draw(sample, &sample->draw[i]);
            if (atomic_fetch_add(&sample->done, 1) + 1 == sample->count)
                atomic_store(&sample->all, true);
        } else {
            (void)count_piece(sample, &sample->draw[i % sample->count], &sample->all, &unwanted);
        }
    }
}

bool sample_take(struct sample *sample)
{
    sample->draw = calloc(sample->count, sizeof *sample->draw);
    if (!sample->draw || !draw_units(sample))
        return false;
    sample->begun = worked();
    parallel_run(sample->threads, run, sample);
    sample->counted = peak_memory();
    size_t counted = 0; /* units are taken in order, and none is after the first one that was not */
    while (counted < sample->count && sample->draw[counted].seconds > 0 && sample->draw[counted].status == NQ_OK)
        counted++;
    const bool failed = counted < sample->count && sample->draw[counted].status != NQ_OK;
    sample->count = counted;
    return !failed;
}

void sample_end(struct sample *sample)
{
    if (sample->plan)
        sample->method->release(sample->plan);
    free(sample->draw);
}

double sample_seconds(const struct draw *draw)
{
    return draw->seconds;
}

double sample_pieces(const struct draw *draw)
{
    (void)draw; /* each is one, and its weight is the unit's share */
    return 1;
}

double sample_longest(const struct sample *sample)
{
    double longest = 0;
    for (size_t i = 0; i < sample->count; i++)
        longest = fmax(longest, sample->draw[i].seconds);
    return longest;
}

struct total sample_total(const struct sample *sample, double (*of)(const struct draw *draw))
{
    const double count = (double)sample->count;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < sample->count; i++)
        sum += of(&sample->draw[i]) / sample->draw[i].weight;
    for (size_t i = 0; i < sample->count; i++) {
        const double off = of(&sample->draw[i]) / sample->draw[i].weight - sum / count;
        squares += off * off;
    }
    const double deviation = count > 1 ? sqrt(squares / (count - 1)) : 0;
    return (struct total){
        .mean = sum / count, .value = sum / count * sample->weight, .error = sample->weight * deviation / sqrt(count)};
}
