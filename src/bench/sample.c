/* sample.c - `nqueensd bench join`: what counting a large board by joining quadrants would take, from some of its
 * units. Units are drawn with probabilities in proportion to their weight, one from each of as many equal shares of all
 * weight; a total is the mean of what a unit has per weight, times all weight. Its standard error is that of
 * independent draws, rather too large for these. The seed is fixed: another run draws the same units. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/parallel.h"
#include "base/random.h"
#include "bench/bench.h"
#include "count/method.h"

enum { SEED = 1, LEAST_N = 8, SAMPLE_MAX = 10000 };

/* A unit, and what it had. */
struct draw {
    size_t unit;
    double weight, seconds;
    struct unit_result result;
    enum nq_status status;
};

struct sample {
    const struct method *method;
    const struct kernel *kernel;
    void *plan;
    unsigned long n, count, threads, megabytes;
    bool json;
    double prepare_seconds, weight;
    size_t units;
    struct method_memory told;
    double prepared, counted; /* bytes of the process, at most, so far */
    atomic_size_t next;
    struct draw *draw;
};

/* A total over all units, and its standard error. */
struct total {
    double mean, value, error;
};

static double peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss * 1024 : 0;
}

static bool prepare(struct sample *sample)
{
    struct filter filter;
    const size_t tables = sample->megabytes * BENCH_MEGABYTE;
    filter_begin(&filter, (uint32_t)sample->n);
    const struct method_means means = {.tables = tables, .threads = 1}; /* or its time could not be told */
    sample->told = sample->method->memory(&filter, tables);
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

static void draw_units(struct sample *sample)
{
    struct random random = random_begin(SEED, sample->n);
    const double share = sample->weight / (double)sample->count;
    double end = sample->method->weight(sample->plan, 0); /* of the weight up to the unit */
    size_t unit = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const double at = ((double)i + random_word(&random) / 4294967296.0) * share;
        while (end <= at && unit + 1 < sample->units)
            end += sample->method->weight(sample->plan, ++unit);
        sample->draw[i] = (struct draw){.unit = unit, .weight = sample->method->weight(sample->plan, unit)};
    }
}

static void run(void *context)
{
    struct sample *sample = context;
    for (size_t i; (i = atomic_fetch_add(&sample->next, 1)) < sample->count;) {
        struct draw *draw = &sample->draw[i];
        const double start = bench_seconds(1);
        draw->status = sample->method->count(sample->plan, draw->unit, sample->kernel, NULL, &draw->result);
        draw->seconds = bench_seconds(1) - start;
    }
}

/* False when a unit could not be counted. */
static bool count_units(struct sample *sample)
{
    parallel_run(sample->threads, run, sample);
    sample->counted = peak_memory();
    bool counted = true;
    for (size_t i = 0; i < sample->count; i++)
        counted = counted && sample->draw[i].status == NQ_OK;
    return counted;
}

static double seconds_of(const struct draw *draw)
{
    return draw->seconds;
}

static double halves_of(const struct draw *draw)
{
    return (double)draw->result.nodes;
}

static double solutions_of(const struct draw *draw)
{
    return (double)draw->result.parts / METHOD_PARTS;
}

static struct total estimate(const struct sample *sample, double (*of)(const struct draw *draw))
{
    const double count = (double)sample->count;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < sample->count; i++)
        sum += of(&sample->draw[i]) / sample->draw[i].weight;
    for (size_t i = 0; i < sample->count; i++) {
        const double off = of(&sample->draw[i]) / sample->draw[i].weight - sum / count;
        squares += off * off;
    }
    return (struct total){.mean = sum / count,
                          .value = sum / count * sample->weight,
                          .error = sample->weight * sqrt(squares / (count - 1) / count)};
}

static json_t *json_total(struct total total)
{
    return json_pack("{s:f, s:f}", "estimate", total.value, "standard_error", total.error);
}

static int print_json(const struct sample *sample)
{
    const struct total seconds = estimate(sample, seconds_of);
    json_t *memory =
        json_pack("{s:I, s:I, s:I, s:I, s:I}", "tables_allowed", (json_int_t)sample->megabytes * BENCH_MEGABYTE,
                  "shared_told", (json_int_t)sample->told.shared, "each_thread_told", (json_int_t)sample->told.each,
                  "peak_prepared", (json_int_t)sample->prepared, "peak_counted", (json_int_t)sample->counted);
    return bench_print(json_pack("{s:s, s:I, s:I, s:I, s:i, s:s, s:o, s:f, s:I, s:f, s:f, s:o, s:o, s:o}", "bench",
                                 "join", "n", (json_int_t)sample->n, "sample", (json_int_t)sample->count, "threads",
                                 (json_int_t)sample->threads, "seed", SEED, "kernel", sample->kernel->name, "memory",
                                 memory, "prepare_seconds", sample->prepare_seconds, "units", (json_int_t)sample->units,
                                 "weight", sample->weight, "seconds_per_weight", seconds.mean, "core_seconds",
                                 json_total(seconds), "halves", json_total(estimate(sample, halves_of)), "solutions",
                                 json_total(estimate(sample, solutions_of))));
}

static void print_total(const char *name, struct total total)
{
    printf("%-28s %14.6g +- %.2g\n", name, total.value, total.error);
}

static void print_table(const struct sample *sample)
{
    const struct total seconds = estimate(sample, seconds_of);
    printf("join n=%lu, %lu of %zu units, %s, %lu threads\n", sample->n, sample->count, sample->units,
           sample->kernel->name, sample->threads);
    printf("%-28s %14.1f\n", "MB told, shared", sample->told.shared / BENCH_MEGABYTE);
    printf("%-28s %14.1f\n", "MB told, each thread", sample->told.each / BENCH_MEGABYTE);
    printf("%-28s %14.1f\n", "MB taken, prepared", sample->prepared / BENCH_MEGABYTE);
    printf("%-28s %14.1f\n", "MB taken, counted", sample->counted / BENCH_MEGABYTE);
    printf("%-28s %14.3f\n", "seconds to prepare", sample->prepare_seconds);
    printf("%-28s %14.3g\n", "seconds per weight", seconds.mean);
    print_total("core-seconds for all", seconds);
    print_total("halves", estimate(sample, halves_of));
    print_total("solutions", estimate(sample, solutions_of));
}

static const struct method *join_method(void)
{
    const struct method *const *at = methods;
    while (strcmp((*at)->name, "join") != 0)
        at++;
    return *at;
}

int bench_sample(int count, char **arguments)
{
    struct sample sample = {.method = join_method(),
                            .kernel = kernel_find("auto"),
                            .n = 20,
                            .count = 20,
                            .threads = 1,
                            .megabytes = BENCH_TABLES};
    const struct bench_option known[] = {
        {.name = "--n", .number = &sample.n, .least = LEAST_N, .most = sample.method->max_n},
        {.name = "--sample", .number = &sample.count, .least = 2, .most = SAMPLE_MAX},
        {.name = "--threads", .number = &sample.threads, .least = 1, .most = BENCH_THREADS_MAX},
        {.name = "--tables", .number = &sample.megabytes, .most = SIZE_MAX / BENCH_MEGABYTE},
    };
    if (!bench_read(known, sizeof known / sizeof known[0], count, arguments, &sample.json)) {
        fputs("nqueensd bench join [--n N] [--sample K] [--threads T] [--tables M] [--format table|json]\n", stderr);
        return 2;
    }
    sample.draw = calloc(sample.count, sizeof *sample.draw);
    int status = 1;
    if (sample.draw && prepare(&sample)) {
        draw_units(&sample);
        if (count_units(&sample)) {
            status = sample.json ? print_json(&sample) : 0;
            if (!sample.json)
                print_table(&sample);
        }
        sample.method->release(sample.plan);
    }
    free(sample.draw);
    if (status)
        fputs("nqueensd bench: there is not memory enough\n", stderr);
    return status;
}
