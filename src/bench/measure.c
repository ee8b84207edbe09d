/* measure.c - takes times, and prints documents. It does not know what is measured. */
#include "bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"

bool bench_format(const char *value, void *to)
{
    bool *json = to;
    *json = strcmp(value, "json") == 0;
    return *json || strcmp(value, "table") == 0;
}

double bench_seconds(unsigned threads)
{
    return (double)(threads > 1 ? clock_now() : clock_worked()) / (double)CLOCK_SECOND;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(const double *times, unsigned count)
{
    double sorted[BENCH_ROUNDS_MAX];
    memcpy(sorted, times, count * sizeof *times);
    qsort(sorted, count, sizeof *sorted, ascending);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

int bench_print(json_t *document)
{
    struct bytes text = {0};
    bytes_json(&text, document, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    const bool written = !text.failed && fwrite(text.data, 1, text.size, stdout) == text.size;
    bytes_free(&text);
    return written ? 0 : 1;
}

json_t *bench_contestant(const char *name, unsigned threads, const double *seconds, unsigned rounds, double reference)
{
    const double median = bench_median(seconds, rounds);
    json_t *all = json_array();
    for (unsigned round = 0; round < rounds; round++)
        json_array_append_new(all, json_real(seconds[round]));
    return json_pack("{s:s, s:i, s:f, s:o, s:f}", "name", name, "threads", (int)threads, "seconds", median, "rounds",
                     all, "ratio", reference / median);
}

json_t *bench_contest(const char *bench, unsigned long n, unsigned rounds, json_t *contestants)
{
    json_t *first = json_object_get(json_array_get(contestants, 0), "name");
    return json_pack("{s:s, s:I, s:I, s:O, s:o}", "bench", bench, "n", (json_int_t)n, "rounds", (json_int_t)rounds,
                     "reference", first, "contestants", contestants);
}
