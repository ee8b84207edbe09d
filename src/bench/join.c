/* join.c - `nqueensd bench join`: what counting a large board by joining quadrants would take, from some of its units.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
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
