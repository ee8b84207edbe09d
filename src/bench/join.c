/* join.c - `nqueensd bench join`: what counting a large board by joining quadrants would take, from some of its units.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/sample.h"

static double halves_of(const struct draw *draw)
{
    return (double)draw->result.nodes;
}

static double solutions_of(const struct draw *draw)
{
    return (double)draw->result.thirds / METHOD_THIRDS;
}

static json_t *json_total(struct total total)
{
    return json_pack("{s:f, s:f}", "estimate", total.value, "standard_error", total.error);
}

static int print_json(const struct sample *sample)
{
    const struct total seconds = sample_total(sample, sample_seconds);
    json_t *memory =
        json_pack("{s:I, s:I, s:I, s:I, s:I}", "tables_allowed", (json_int_t)sample->megabytes * BENCH_MEGABYTE,
                  "shared_told", (json_int_t)sample->memory.shared, "each_thread_told", (json_int_t)sample->memory.each,
                  "peak_prepared", (json_int_t)sample->prepared, "peak_counted", (json_int_t)sample->counted);
    return bench_print(json_pack(
        "{s:s, s:I, s:I, s:I, s:i, s:s, s:o, s:f, s:I, s:f, s:f, s:f, s:o, s:o, s:o, s:o}", "bench", "join", "n",
        (json_int_t)sample->n, "sample", (json_int_t)sample->count, "threads", (json_int_t)sample->threads, "seed",
        SAMPLE_SEED, "kernel", sample->kernel->name, "memory", memory, "prepare_seconds", sample->prepare_seconds,
        "units", (json_int_t)sample->units, "weight", sample->weight, "seconds_per_weight", seconds.mean,
        "longest_seconds", sample_longest(sample), "pieces", json_total(sample_total(sample, sample_pieces)),
        "core_seconds", json_total(seconds), "halves", json_total(sample_total(sample, halves_of)), "solutions",
        json_total(sample_total(sample, solutions_of))));
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
