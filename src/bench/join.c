/* join.c - `nqueensd bench join`: what counting a large board by joining quadrants would take, from some of its units.
 * All weight is divided into equal strata, and one unit drawn from each with a probability in proportion to its weight;
 * of a unit that is split, one piece is drawn. They are counted in random order: those that are counted within a limit
 * are a sample, too. A total is the mean of what a unit has per weight, times all weight. Its standard error is that of
 * independent draws, which is too large rather than too small. */
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/json.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/random.h"
#include "bench/bench.h"
#include "count/methods/method.h"

/* ---- The sample ---- */

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
static const struct method *sample_method(void)
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

/* Makes a plan of the board, and measures it on one thread; false: out of memory. */
static bool sample_prepare(struct sample *sample)
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
    sample->units = method_units(sample->plan);
    for (size_t unit = 0; unit < sample->units; unit++)
        sample->weight += method_weight(sample->plan, unit);
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
    double end = method_weight(sample->plan, 0); /* of the weight up to the unit */
    size_t unit = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const double at = ((double)i + random_word(&random) / 4294967296.0) * share;
        while (end <= at && unit + 1 < sample->units)
            end += method_weight(sample->plan, ++unit);
        const size_t pieces = count_pieces(sample, unit);
        if (!pieces)
            return false;
        sample->draw[i] = (struct draw){.unit = unit,
                                        .piece = random_below(&random, (uint32_t)pieces),
                                        .weight = method_weight(sample->plan, unit) / (double)pieces};
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
    return sample->method->count(sample->plan, draw->unit, draw->piece, sample->kernel, stop, result);
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

/* Draws `count` units of the plan and counts them on `threads` threads, all of which are busy until the last unit is
 * counted: a thread whose neighbours rest is faster. False: out of memory. */
static bool sample_take(struct sample *sample)
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

/* Frees what the calls above have made, whatever they returned. */
static void sample_end(struct sample *sample)
{
    if (sample->plan)
        sample->method->release(sample->plan);
    free(sample->draw);
}

static double sample_seconds(const struct draw *draw)
{
    return draw->seconds;
}

static double sample_pieces(const struct draw *draw)
{
    (void)draw; /* each is one, and its weight is the unit's share */
    return 1;
}

/* seconds of a draw */
static double sample_longest(const struct sample *sample)
{
    double longest = 0;
    for (size_t i = 0; i < sample->count; i++)
        longest = fmax(longest, sample->draw[i].seconds);
    return longest;
}

/* The mean of what draws have per weight, times all weight. */
static struct total sample_total(const struct sample *sample, double (*of)(const struct draw *draw))
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

/* ---- What is printed ---- */

static double halves_of(const struct draw *draw)
{
    return (double)draw->result.nodes;
}

static double solutions_of(const struct draw *draw)
{
    return (double)draw->result.parts / METHOD_THIRDS;
}

static void write_total(struct bytes *out, const char *name, struct total total)
{
    json_begin_object(out, name);
    json_write_real(out, "estimate", total.value, BENCH_DIGITS);
    json_write_real(out, "standard_error", total.error, BENCH_DIGITS);
    json_end_object(out);
}

static void write_memory(struct bytes *out, const struct sample *sample)
{
    json_begin_object(out, "memory");
    json_write_number(out, "tables_allowed", (uint64_t)sample->megabytes * BENCH_MEGABYTE);
    json_write_number(out, "shared_told", (uint64_t)sample->memory.shared);
    json_write_number(out, "each_thread_told", (uint64_t)sample->memory.each);
    json_write_number(out, "peak_prepared", (uint64_t)sample->prepared);
    json_write_number(out, "peak_counted", (uint64_t)sample->counted);
    json_end_object(out);
}

static int print_json(const struct sample *sample)
{
    const struct total seconds = sample_total(sample, sample_seconds);
    struct bytes text = {0};
    json_begin_object(&text, NULL);
    json_write_text(&text, "bench", "join");
    json_write_number(&text, "n", sample->n);
    json_write_number(&text, "sample", sample->count);
    json_write_number(&text, "threads", sample->threads);
    json_write_number(&text, "seed", SAMPLE_SEED);
    json_write_text(&text, "kernel", sample->kernel->name);
    write_memory(&text, sample);
    json_write_real(&text, "prepare_seconds", sample->prepare_seconds, BENCH_DIGITS);
    json_write_number(&text, "units", sample->units);
    json_write_real(&text, "weight", sample->weight, BENCH_DIGITS);
    json_write_real(&text, "seconds_per_weight", seconds.mean, BENCH_DIGITS);
    json_write_real(&text, "longest_seconds", sample_longest(sample), BENCH_DIGITS);
    write_total(&text, "pieces", sample_total(sample, sample_pieces));
    write_total(&text, "core_seconds", seconds);
    write_total(&text, "halves", sample_total(sample, halves_of));
    write_total(&text, "solutions", sample_total(sample, solutions_of));
    return bench_print(&text);
}

/* Of what takes long, so that one sees how far it is. */
static void report(const struct draw *draw)
{
    if (draw->seconds >= 1)
        fprintf(stderr, "unit %zu, piece %zu: weight %.6g, %.3f s, %.6g halves, %.6g solutions\n", draw->unit,
                draw->piece, draw->weight, draw->seconds, halves_of(draw), solutions_of(draw));
}

static void print_total(const char *name, struct total total)
{
    printf("%-28s %14.6g +- %.2g\n", name, total.value, total.error);
}

static void print_table(const struct sample *sample)
{
    const struct total seconds = sample_total(sample, sample_seconds);
    printf("join n=%lu, %lu drawn of %zu units, %s, %lu threads\n", sample->n, sample->count, sample->units,
           sample->kernel->name, sample->threads);
    printf("%-28s %14.1f\n", "MB told, shared", sample->memory.shared / BENCH_MEGABYTE);
    printf("%-28s %14.1f\n", "MB told, each thread", sample->memory.each / BENCH_MEGABYTE);
    printf("%-28s %14.1f\n", "MB taken, prepared", sample->prepared / BENCH_MEGABYTE);
    printf("%-28s %14.1f\n", "MB taken, counted", sample->counted / BENCH_MEGABYTE);
    printf("%-28s %14.3f\n", "seconds to prepare", sample->prepare_seconds);
    printf("%-28s %14.3g\n", "seconds per weight", seconds.mean);
    print_total("units and pieces", sample_total(sample, sample_pieces));
    printf("%-28s %14.3f\n", "seconds of the longest", sample_longest(sample));
    print_total("core-seconds for all", seconds);
    print_total("halves", sample_total(sample, halves_of));
    print_total("solutions", sample_total(sample, solutions_of));
}

int bench_join(int count, char **arguments)
{
    struct sample sample = {.n = 20, .count = 20, .threads = 1, .megabytes = BENCH_TABLES};
    unsigned long split = 0;
    bool json = false;
    const struct command_option known[] = {
        {.name = "--n", .number = &sample.n, .least = SAMPLE_LEAST_N, .most = sample_method()->max_n},
        {.name = "--sample", .number = &sample.count, .least = 2, .most = SAMPLE_MAX},
        {.name = "--threads", .number = &sample.threads, .least = 1, .most = BENCH_THREADS_MAX},
        {.name = "--tables", .number = &sample.megabytes, .most = SIZE_MAX / BENCH_MEGABYTE},
        {.name = "--seconds", .number = &sample.seconds, .least = 1, .most = INT32_MAX},
        {.name = "--split", .number = &split, .least = 1000, .most = INT64_MAX},
        {.name = "--format", .read = bench_format, .to = &json, .form = "table or json"},
        {0},
    };
    if (!options_read("bench", known, count, arguments))
        return 2;
    sample.split_weight = (double)split;
    sample.counted_one = report;
    int status = 1;
    if (sample_prepare(&sample) && sample_take(&sample)) {
        status = json ? print_json(&sample) : 0;
        if (!json)
            print_table(&sample);
    }
    sample_end(&sample);
    if (status)
        fputs("nqueensd bench: there is not memory enough\n", stderr);
    return status;
}
